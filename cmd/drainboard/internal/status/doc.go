// Package status shows the state of runs once, on whichever machine they are driven: Status is
// one call of `drainboard status`.
//
// With a cluster it reads records, locks and nodes (status.go); without one the records on this
// machine and the tags of the groups (cloudonly.go). For a Gardener worker pool without a run it
// shows the pool's state. Text and JSON are internal/present's.
package status
