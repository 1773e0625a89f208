// Package blockers says what keeps a pod on its node now, and the way out: a budget, a
// webhook, a finalizer, a grace period, no room, a missing consent.
//
//	b := blockers.Of(reader, pod, node, machine)
//	b.Sentence()
//
// The same value is in snapshots, events and failures. forced.go knows the deadlines of a pod
// that a controller evicts, and how many tries it makes.
package blockers
