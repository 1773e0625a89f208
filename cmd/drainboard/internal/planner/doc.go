// Package planner works out what a run would do, before anything is changed.
//
// A Request is what the command line says of runs; TermsFor lays it over what a group's system
// says and returns the rules and settings of a run there. A Scope is which groups are meant.
// A Planner joins a Request with a session:
//
//	planner.go   Group and Plan: the run of one group
//	roll.go      Roll: several groups in their provider's order
//	pool.go      Pool: a worker pool of Gardener, and what a roll of it meets
//	rehearse.go  how long a run takes, and how it ends as things stand
//	only.go      nodes that --only names, and what a plan leaves as it is
//
// A Change is a change of a Gardener Shoot: change.go reads what it is and becomes, from files
// or the garden cluster (garden.go); what that does to each pool is providers/gardener/shoot's.
//
// Nothing here takes a lock, writes a record or prints; internal/present shows the plans.
package planner
