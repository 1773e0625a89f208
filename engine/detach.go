package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// detachShows is how long a machine that was detached may be on no list at all: its group
// has it no more, and the list of those that are detached may lag.
const detachShows = time.Minute

// DetachLast takes machines out of their group, those that go last first, until so many
// of those that are to be replaced are out of it. One that cannot be taken out is passed
// over. It returns how many of these are out, or asked for, and whether the answer to one
// is open.
func (s *Step) DetachLast(want int) (have int, open bool) {
	toGo := slices.DeleteFunc(slices.Clone(s.Run.Order), func(id string) bool {
		n := s.Run.Nodes[id]
		return n.Stage != record.Outdated && n.Stage != record.Queued
	})
	var inside []string
	for _, id := range toGo {
		asked, busy := s.Run.Pending[record.DetachKey(id)]
		switch {
		case busy && asked.Accepted.IsZero():
			have, open = have+1, true
		case s.Run.Nodes[id].Detached: // also while it is being terminated: it is one more until it is gone
			have++
		default:
			inside = append(inside, id)
		}
	}
	for _, id := range slices.Backward(inside) {
		if have >= want || s.failed {
			break
		}
		n, m := s.Run.Nodes[id], s.W.Machine(id)
		if m == nil || m.State != world.MachineInService || s.Run.Retries[record.DetachKey(id)].Stays() {
			continue
		}
		have++
		open = !s.Ensure(record.Action{Kind: record.Detach, Key: record.DetachKey(id), Machine: id, Node: n.Name, Zone: n.Zone, Group: s.Run.Group, Tag: s.capabilities().DetachTag}) || open
	}
	return min(have, want), open
}

// SurgeSpent reports whether nothing stands in any more for a node that is still to go, and
// none may be missing: one that was returned to, or came late, when all detached machines
// had gone.
func (s *Reader) SurgeSpent() bool {
	all, left := len(s.facts().with[outside]), len(s.facts().with[outsideStill])
	return s.Run.Surges > 0 && left == 0 && s.Run.Limit <= all && s.Count(record.Outdated, record.Queued) > 0
}

// Leaving reports whether the cluster has yet to prove valid with what stands in for a
// machine that was detached.
func (s *Reader) Leaving() bool {
	return slices.ContainsFunc(s.In(record.Outdated, record.Queued), func(id string) bool { return !s.Run.Nodes[id].PendingValidation.IsZero() })
}

// detaching reports whether a machine was just taken out of its group, and may be on no
// list for a moment.
func (s *Reader) detaching(id string) bool {
	p, busy := s.Run.Pending[record.DetachKey(id)]
	if !busy {
		return false
	}
	shows := cmp.Or(p.Accepted, p.Asked).Add(detachShows)
	s.WakeAt(shows)
	return s.Now.Before(shows)
}

// DetachedLast puts the machines that are out of their group at the end of the order: the
// group replaces the others as they go.
func (s *Step) DetachedLast() {
	last := func(id string) int {
		if s.Run.Nodes[id].Detached {
			return 1
		}
		return 0
	}
	compare := func(a, b string) int { return cmp.Compare(last(a), last(b)) }
	if !slices.IsSortedFunc(s.Run.Order, compare) {
		s.Run.Order = slices.Clone(s.Run.Order)
		slices.SortStableFunc(s.Run.Order, compare)
		s.changed = true
	}
}

// listUnrestoredDetached names the machines that run outside their group, or are out of its load
// balancers, at the end of a run.
func (s *Step) listUnrestoredDetached() {
	for _, id := range slices.Sorted(maps.Keys(s.Run.Nodes)) {
		n, m := s.Run.Nodes[id], s.W.Machine(id)
		gone := m == nil && !s.detaching(id) || m != nil && m.Leaving()
		if gone || n.Stage == record.Replaced || n.Stage == record.Terminating {
			continue
		}
		if n.Detached {
			s.AddUnrestored(s.Run.LeaveDetached(id))
		} else if n.OffBalancers {
			s.AddUnrestored(s.Run.LeaveOff(id))
		}
	}
	for _, m := range s.W.Machines() { // of an earlier roll, in a run that ended before it looked at them
		if _, known := s.Run.Nodes[m.ID]; !known && m.Detached && !m.Leaving() {
			s.AddUnrestored(s.Run.LeaveDetached(m.ID))
		}
	}
}

// left notes that a machine has left its group; the cluster has to prove valid without it.
func (s *Step) left(id string) {
	if n, known := s.Run.Nodes[id]; known && !n.Detached {
		n.Detached = true
		s.SetNode(id, n)
		s.requireValidation(id)
	}
}

// toDetach lists the machines that a plan takes out of the group, so many.
func (s *Reader) toDetach(count int) (out []string) {
	for _, id := range slices.Backward(s.Run.Order) {
		if s.capabilities().Detaches && !s.Run.Nodes[id].Detached && len(out) < count {
			out = append(out, id)
		}
	}
	return out
}
