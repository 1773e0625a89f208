// Package planner computes what a run would do, before anything is changed.
//
// A Request has the command line's flags for runs; TermsFor lays it over the defaults of a
// group's system and returns the rules and settings of a run there. A Scope selects groups.
// A Planner applies a Request to a session:
//
//	planner.go   Group and Plan: the run of one group
//	roll.go      Roll: several groups in their provider's order
//	pool.go      Pool: a Gardener worker pool, and what would block a roll of it
//	foresee.go   how long a run takes, and how it ends as things stand
//	only.go      nodes of --only, and nodes that a plan leaves unchanged
//
// A Change is a change of a Gardener Shoot: change.go reads the Shoot before and after it, from
// files or the garden cluster (garden.go); providers/gardener/shoot computes its effect.
//
// Nothing here takes a lock, writes a record or prints; internal/present shows the plans.
package planner
