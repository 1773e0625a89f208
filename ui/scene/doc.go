// Package scene is a snapshot read with a clock. A Scene holds the snapshot and what is
// worked out from it once: short node names, rows by machine, what waits for approval. It
// tells the cluster's time between two snapshots, what is left of a wait, and in words how
// the run stands; the board and the plain lines say the same because both ask it.
//
//	scene.go       Scene, New, the clock, short names
//	state.go       how the run stands: its state, phases, counts, time left
//	notes.go       what must be known: stale sources, clocks that differ, no driver, the canary
//	others.go      who else moves nodes
//	row.go         what a node's row says
//	blockers.go    what blocks pods, the way out, the deadline
//	validation.go  how the validation of a cluster stands
//	events.go      an event as a sentence
//	roll.go        the groups of a roll
//	batch.go, pool.go  names of what is approved, and a worker pool's words
//	filter.go      words that choose rows and lines
//
// A Scene is never changed once it is shown, but for the events overheard from stderr.
package scene
