package assess

import (
	"slices"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// InWork reports whether the run is about to end a machine.
func InWork(run *record.Run, machine string) bool {
	switch run.Nodes.Peek(machine).Stage {
	case record.Draining, record.Settling, record.Terminating:
		return true
	}
	return false
}

// ConsentsOn are those that a drain of a node goes by: ours, or of others what they are
// known to take. kubectl drain takes what it was told to, which cannot be seen.
func (s *Reader) ConsentsOn(node string) drain.Consents {
	if n := s.W.Node(node); n != nil {
		moves := s.Run.External.MovesOf(n.Machine)
		if len(moves) > 0 && moves[0].By != world.MoverUnknown {
			return drain.Consents{Unmanaged: true, EmptyDir: true}
		}
	}
	return s.Consents()
}

// Opposed says which external mover is at work that no run continues beside, or what else keeps one
// from touching the group, "" if nothing does.
func (s *Reader) Opposed() string {
	for _, r := range s.Run.ExternalMovers {
		if r.Handling == record.HandlingRefused {
			return r.Action() + ": " + r.WayOut
		}
	}
	if s.W.Group.Refused != "" && s.Fresh(world.Cloud) {
		return s.W.Group.Refused
	}
	return ""
}

// TakenBy is who takes a node out of service, so that it is not drained meanwhile, "" if
// nobody does.
func (s *Reader) TakenBy(node string) string { return s.takenNodes()[node] }

// takenNodes are the nodes that others take out of service, each with who does.
func (s *Reader) takenNodes() map[string]string {
	if s.theirs == nil {
		s.theirs = map[string]string{}
		for _, r := range s.Run.ExternalMovers {
			if r.Handling == record.HandlingWaited {
				for _, node := range r.Nodes {
					s.theirs[node] = r.Who
				}
			}
		}
	}
	return s.theirs
}

// ForgetMovers forgets who takes which nodes, because the run's movers have changed.
func (s *Reader) ForgetMovers() { s.theirs = nil }

// takenOut counts the nodes that others take out of service and that the run has yet to
// do something with.
func (s *Reader) takenOut() int {
	if len(s.takenNodes()) == 0 {
		return 0
	}
	count := 0
	for _, id := range s.In(record.Outdated, record.Queued, record.Ready, record.Surplus) {
		if s.TakenBy(s.Run.Nodes.Peek(id).Name) != "" {
			count++
		}
	}
	return count
}

// Slots is how many nodes more may be taken out of service. Those that others take out
// count like our own.
func (s *Reader) Slots() int { return s.AtOnce() - s.Unavailable() - s.takenOut() }

// NoRoom says that only what others take out of service keeps the next drain from
// starting, "" if it is not so.
func (s *Reader) NoRoom() string {
	if s.Slots() > 0 || s.AtOnce() <= s.Unavailable() {
		return ""
	}
	return WaitsFor(&s.Run)
}

// WaitsFor says which nodes are waited for, and who takes them out of service.
func WaitsFor(run *record.Run) string {
	var parts []string
	for _, r := range run.ExternalMovers {
		if r.Handling == record.HandlingWaited {
			parts = append(parts, r.Action())
		}
	}
	return text.WaitedFor(parts)
}

// TheirMoves is what a node tells of others, by what is left of its marks without ours.
func TheirMoves(n *world.Node, ours []record.Mark) []world.Move {
	if onlyOurs(n, ours) { // in the middle of a roll half of the nodes wear our taint and nothing else
		bare := *n
		bare.Taints, bare.Unschedulable = nil, false
		return bare.Moves()
	}
	return record.WithoutMarks(n, ours).Moves()
}

// onlyOurs reports whether all taints and the cordon of a node are ours.
func onlyOurs(n *world.Node, marks []record.Mark) bool {
	ours := func(kind record.ActionKind, t world.Taint) bool {
		return slices.ContainsFunc(marks, func(m record.Mark) bool {
			return !m.Foreign && m.Put.Kind == kind && m.Put.Node == n.Name && m.Put.AsTaint() == t
		})
	}
	for _, t := range n.Taints {
		if !ours(record.AddTaint, t) {
			return false
		}
	}
	return !n.Unschedulable || ours(record.Cordon, world.Taint{})
}
