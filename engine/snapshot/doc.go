// Package snapshot is what a screen or a program sees of a run or a group. It looks at the
// world and the run through an assess.Reader, and changes neither.
//
//	View      a run as a Snapshot: phases, tables, blockers, batch, abilities   view.go
//	          with the details of a node or a budget                            details.go
//	Idle      a group without a run, as a run that does nothing                 idle.go
//	Movers    what others do with it                                            externalview.go
//	MakePlan  what an upgrade would do, from the first step of a planned run    plan.go
//	PlanPool  what a roll of a worker pool by its controller would meet         poolplan.go
//	Rehearsal what came of playing a run to its end (rehearse.Once plays it)     rehearsal.go
//
// Snapshots are immutable. Rows that did not change are the same pointers as before.
package snapshot
