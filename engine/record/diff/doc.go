// Package diff tells two records of one run apart as events, for a user who watches a run that
// another process drives: the events of the driver are in that process alone, and the record is
// what both see.
//
//	Between  everything that two records say differently; all that is known, without a first one
//	Nodes    only what became of nodes, and of who else moves them
//
// An event has the time that the record has for it, where there is one, and the words that the
// driver uses for the same. What a record does not keep (attempts that were refused, actions
// that were answered) is not told.
//
// It reads records and nothing else: no world, no clock.
package diff
