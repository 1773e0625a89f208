// Package status takes one look at runs, wherever they are driven: Status is one call of
// `drainboard status`.
//
// With a cluster the records, the locks and the nodes tell (status.go); without one the records on
// this machine and the tags of the groups (cloudonly.go). Of a group without a run it says so, of a
// worker pool of Gardener how that stands. Words and JSON are internal/present's.
package status
