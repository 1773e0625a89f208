package world

import "time"

// SelectLabel is the label that selects a node for an update in place: who updates a pool
// by hand puts it, and machine-controller-manager takes it off when all is done.
const SelectLabel = gardenerSelected

// CriticalTaint is on a node until its critical components are ready (Gardener, "Readiness of
// Shoot Worker Nodes").
const CriticalTaint = "node.gardener.cloud/critical-components-not-ready"

// InPlaceUpdate is how a node stands in an update in place by Gardener.
type InPlaceUpdate struct {
	// Candidate: it awaits its update. Selected: it was chosen. Done: it is updated, and
	// machine-controller-manager has yet to take that in.
	Candidate, Selected, Done bool
	// Step is the reason of the condition GardenerInPlace, and since when it is.
	Step  string
	Since time.Time
	// Failed: the update failed, Why says how.
	Failed bool
	Why    string
	// Critical: its critical components are not ready.
	Critical bool
}

// InPlace reads the labels, the condition and the taint of an update in place.
func (n *Node) InPlace() InPlaceUpdate {
	result := n.Labels[gardenerResult]
	p := InPlaceUpdate{
		Candidate: n.Labels[gardenerCandidate] == "true", Selected: n.Labels[gardenerSelected] == "true",
		Done: result == "successful", Why: n.Annotations[gardenerWhy],
	}
	if c := n.Condition(GardenerInPlace); c.On {
		p.Step, p.Since = c.Reason, c.Since
	}
	p.Failed = result == "failed" || p.Step == GardenerFailed
	for _, t := range n.Taints {
		p.Critical = p.Critical || t.Key == CriticalTaint
	}
	return p
}

// Taken reports whether Gardener has begun with a node that was selected: taking the label
// off does not keep it from continuing.
func (p InPlaceUpdate) Taken() bool {
	switch p.Step {
	case GardenerSelected, GardenerDrained, GardenerReady, GardenerFailed:
		return true
	}
	return false
}

// Out reports whether the node is out of service for its update, or because that failed: it
// does not count as available until it is over.
func (p InPlaceUpdate) Out() bool {
	return p.Failed || p.Done || p.Step == GardenerDrained || p.Step == GardenerReady
}

// InPlaceMark is how far the update in place of a node is, in a word.
type InPlaceMark string

// Marks of an update in place, the furthest last.
const (
	InPlaceCandidate InPlaceMark = "candidate"
	InPlaceSelected  InPlaceMark = "selected"
	InPlaceUpdated   InPlaceMark = "updated"
	InPlaceFailed    InPlaceMark = "failed"
)

// Mark is how far it is, "" where none is to come.
func (p InPlaceUpdate) Mark() InPlaceMark {
	switch {
	case p.Failed:
		return InPlaceFailed
	case p.Done:
		return InPlaceUpdated
	case p.Selected:
		return InPlaceSelected
	case p.Candidate:
		return InPlaceCandidate
	}
	return ""
}

// Updated reports whether nothing of an update in place is left to do on a node.
func (n *Node) Updated() bool {
	p := n.InPlace()
	return !p.Candidate && !p.Selected && !p.Critical && n.Ready && !n.Unschedulable
}
