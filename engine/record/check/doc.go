// Package check finds what is wrong with a run record before a process works by it. A record
// is not trusted: it may be cut off, edited by hand, or older than the group.
//
//	Run         what the record alone shows: a state, stage, mark or action that there is not   check.go
//	OtherGroup  the record is that of another group: nothing in it counts                      reconcile.go
//	Reconcile   values to restore that the group does not bear out are taken out               reconcile.go
//	Traces      what a run may have left, where no record says so                              traces.go
//
// A record that Run or OtherGroup refuses is not resumed: the user discards it, and Traces
// lists what to look at. What Reconcile takes out is not restored; the run names it at its
// end, with the command that would.
//
// Nothing here changes a cluster or a group, and no argument is changed.
package check
