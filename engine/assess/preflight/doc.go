// Package preflight says what is to be expected of a node's drain before it starts: budgets
// that never open, single replicas, pods that need a consent, finalizers.
//
//	preflight.Of(reader, node)       blockers to expect, a sentence each
//	preflight.Forever(reader, node)  pods that, as it stands, can never be evicted
//	preflight.Refusals(reader, node) what needs a consent first
//
// batch.go does it for a batch that waits for approval, and order.go puts nodes in an order
// in which those with the fewest blockers go first, where the run asks for that.
package preflight
