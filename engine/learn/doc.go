// Package learn tells how long things take in a cluster: until an instance has a node that is
// Ready, until it is gone, until pods have stopped or are Ready elsewhere. It reads that from
// what is there now, from what the run has measured so far, and from what earlier runs of the
// group have; where nothing is known, it guesses. Each value says what it rests on.
//
// Rehearsals (engine/sim/rehearse) use it; plans and snapshots list what they rested on
// (snapshot.Assumption).
package learn
