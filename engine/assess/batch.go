package assess

import (
	"slices"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
)

// Startable reports whether a node that is approved waits for nothing but its turn.
func (s *Reader) Startable() bool {
	return slices.ContainsFunc(s.facts().stages[record.Queued], func(id string) bool { return !s.ZoneBusy(id) })
}

// AnyPassesGate reports whether a node of the order passes the gate before it is approved.
func (s *Reader) AnyPassesGate() bool {
	f := s.orderFacts()
	return anyKey(f.with[outOfUse], func(id string) bool {
		_, there := f.places[id]
		return there && s.PassesGate(id)
	})
}

// ZoneBusy reports whether the strategy holds a node back because others of its zone are
// in work, which may last: other zones need not wait for it.
func (s *Reader) ZoneBusy(id string) bool {
	if s.Held(id, nil) == "" {
		return false
	}
	zone := s.Run.Nodes.Peek(id).Zone
	return slices.ContainsFunc(s.In(record.Draining, record.Settling, record.Terminating, record.Updating), func(other string) bool { return s.Run.Nodes.Peek(other).Zone == zone })
}

// PhasePrefix tells the approval of a phase from that of a machine.
const PhasePrefix = "phase "

// PodsToMove counts the pods that have to leave a node, and those that stay.
func (s *Reader) PodsToMove(node string) (leave, stay int) {
	for _, p := range s.W.PodsOn(node) {
		if drain.Judge(s.W, p, s.Consents()).Fate == drain.Stays {
			stay++
		} else {
			leave++
		}
	}
	return leave, stay
}

// CanaryStarted reports whether the canary is no longer to come: a node of the
// first batch was replaced or is in work. One that was skipped or failed is no
// canary, another one is taken.
func CanaryStarted(run *record.Run) bool {
	for _, n := range run.Nodes.All() {
		if n.Batch > 0 && !n.New && n.Stage != record.Outdated && n.Stage != record.Skipped && n.Stage != record.NodeFail {
			return true
		}
	}
	return false
}
