package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

func detachKey(machine string) string { return "detach/" + machine }

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
		return n.Stage != Outdated && n.Stage != Queued
	})
	var inside []string
	for _, id := range toGo {
		asked, busy := s.Run.Pending[detachKey(id)]
		switch {
		case busy && asked.Accepted.IsZero():
			have, open = have+1, true
		case s.Run.Nodes[id].Detached: // also while somebody ends it: it is one more until it is gone
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
		if m == nil || m.State != world.MachineInService || s.Run.Retries[detachKey(id)].stays() {
			continue
		}
		have++
		open = !s.Ensure(Action{Kind: Detach, Key: detachKey(id), Machine: id, Node: n.Name, Zone: n.Zone, Group: s.Run.Group, Tag: s.capabilities().DetachTag}) || open
	}
	return min(have, want), open
}

// SurgeSpent reports whether nothing stands in any more for a node that is still to go, and
// none may be missing: one that was returned to, or came late, when all detached machines
// had gone.
func (s *Reader) SurgeSpent() bool {
	all, left := len(s.facts().with[outside]), len(s.facts().with[outsideStill])
	return s.Run.Surges > 0 && left == 0 && s.Run.Limit <= all && s.Count(Outdated, Queued) > 0
}

// Leaving reports whether the cluster has yet to prove valid with what stands in for a
// machine that was detached.
func (s *Reader) Leaving() bool {
	return slices.ContainsFunc(s.In(Outdated, Queued), func(id string) bool { return !s.Run.Nodes[id].PendingValidation.IsZero() })
}

// stays reports whether a refusal is more than bad luck.
func (r Retry) stays() bool {
	return r.Tries > 0 && r.Refusal != RefusedBusy && r.Refusal != RefusedStale
}

// detaching reports whether a machine was just taken out of its group, and may be on no
// list for a moment.
func (s *Reader) detaching(id string) bool {
	p, busy := s.Run.Pending[detachKey(id)]
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

// LeftOut reports whether the run was never to replace the node.
func (n Node) LeftOut() bool { return n.Stage == Skipped && n.Reason == notSelected }

// Detached counts the machines that are out of their group and still to be replaced.
func (r *Run) Detached() (count int) {
	for _, n := range r.Nodes {
		if n.Detached && n.Stage != Replaced && n.Stage != Terminating {
			count++
		}
	}
	return count
}

// outside counts the machines that are or were out of their group, and of these those that
// are not ended, or whose end the cluster has yet to stand. Those that the run is not to
// replace stand in for nothing.
func (r *Run) outside() (all, left int) {
	for _, n := range r.Nodes {
		if n.outside() {
			all++
		}
		if n.outsideStill() {
			left++
		}
	}
	return all, left
}

func (n Node) outside() bool { return n.Detached && !n.LeftOut() }

func (n Node) outsideStill() bool {
	return n.outside() && !n.Validated && (n.Stage != Replaced || !n.PendingValidation.IsZero())
}

// Surged is how many nodes may go at once: the limit, less what the detached machines that
// are ended stood in for.
func (r *Run) Surged() int {
	all, left := r.outside()
	return max(1, r.Limit-all+left)
}

// listUnrestoredDetached names the machines that run outside their group, or are out of its load
// balancers, at the end of a run.
func (s *Step) listUnrestoredDetached() {
	for _, id := range slices.Sorted(maps.Keys(s.Run.Nodes)) {
		n, m := s.Run.Nodes[id], s.W.Machine(id)
		gone := m == nil && !s.detaching(id) || m != nil && m.Leaving()
		if gone || n.Stage == Replaced || n.Stage == Terminating {
			continue
		}
		if n.Detached {
			s.AddUnrestored(s.Run.leaveDetached(id))
		} else if n.OffBalancers {
			s.AddUnrestored(s.Run.leaveOff(id))
		}
	}
	for _, m := range s.W.Machines() { // of an earlier roll, in a run that ended before it looked at them
		if _, known := s.Run.Nodes[m.ID]; !known && m.Detached && !m.Leaving() {
			s.AddUnrestored(s.Run.leaveDetached(m.ID))
		}
	}
}

// leaveDetached names a machine that runs outside its group, with the commands that end
// it or put it back.
func (r *Run) leaveDetached(id string) (what, command string) {
	return name(id, r.Nodes[id]) + " is detached and serves outside its group, which has another machine in its place; the next upgrade of the group replaces it. Drain it and end it, or put it back into the group, which is one larger then",
		fmt.Sprintf("aws ec2 terminate-instances --instance-ids %s  # or: aws autoscaling attach-instances --auto-scaling-group-name %s --instance-ids %s", id, r.Group, id)
}

// name is what a machine is called: by its node, or by its own id.
func name(id string, n Node) string { return cmp.Or(n.Name, id) }

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
