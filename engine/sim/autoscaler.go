package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Autoscaler is how another operator, the Cluster Autoscaler, looks at the group.
type Autoscaler struct {
	// ScaleUp is how long a pod is unplaced before a machine is added; ScaleDown how
	// long a node is emptier than Below (a share of its room, in percent) before it
	// goes. Every is the time between two looks.
	ScaleUp, ScaleDown, Every time.Duration
	Below                     int
	// GiveUp is how long it tries to empty a node before it leaves it. Untagged: it was
	// told of the group by name, and nothing on the group tells of it.
	GiveUp   time.Duration
	Untagged bool
}

// AutoscalerTaint keeps pods off a node that the autoscaler is about to remove.
var AutoscalerTaint = world.Taint{Key: "ToBeDeletedByClusterAutoscaler", Effect: "NoSchedule"}

// autoscaler is one at work.
type autoscaler struct {
	Autoscaler
	empty  map[string]time.Time // since when a node is empty enough
	leaves string               // the node that it removes
	since  time.Time            // when it began to
	raised time.Time            // it scaled up last
}

// Autoscale lets an autoscaler look at the group from now on, as the Cluster
// Autoscaler does: it adds a machine for pods that have no place, within the
// group's maximum, and removes a node that has been empty enough for a while, when
// its pods fit elsewhere, one at a time and never below the minimum: tainted, its
// pods evicted, ended through the group with decrement.
func (s *Sim) Autoscale(how Autoscaler) {
	a := &autoscaler{Autoscaler: how, empty: map[string]time.Time{}}
	if !how.Untagged {
		s.Group.Tags = map[string]string{"k8s.io/cluster-autoscaler/enabled": "true"}
		s.ListMachines()
	}
	s.every(a.Every, func() bool {
		if !s.scalesUp(a) {
			s.scalesDown(a)
		}
		return true
	})
}

// every does something again and again, until it says no; not while the cluster can
// write nothing.
func (s *Sim) every(span time.Duration, do func() bool) {
	s.After(span, func() {
		if s.now.Before(s.Faults.EtcdUntil) || do() {
			s.every(span, do)
		}
	})
}

// scalesUp adds a machine for unplaced pods. It reports whether there are any.
func (s *Sim) scalesUp(a *autoscaler) bool {
	sizes := &s.Group.Sizes
	waiting := false
	for _, p := range s.Truth.Unplaced() {
		waiting = waiting || p.Unplaced != "" && s.now.Sub(p.Created) >= a.ScaleUp
	}
	if waiting && sizes.Desired < sizes.Max && len(s.Alive()) >= sizes.Desired && s.now.Sub(a.raised) > s.Config.Launch+s.Config.Boot+s.Config.NodeReady {
		a.raised = s.now
		sizes.Desired++
		s.resizedByOthers(1)
		s.Tilted, s.ShrunkAt = true, s.now
		s.ListMachines()
		s.Touch()
	}
	return waiting
}

// scalesDown removes the next node that has been empty enough for long.
func (s *Sim) scalesDown(a *autoscaler) {
	if a.leaves != "" {
		if m := s.MachineOf(a.leaves); m == nil || m.Leaving() {
			a.leaves = ""
		} else if s.empties(m) && s.terminateOne(record.Action{Machine: m.ID, Decrement: true}).Verdict == record.Done {
			s.resizedByOthers(-1)
			s.Tilted = true
		} else if s.now.Sub(a.since) >= a.GiveUp { // and looks for another one
			s.EditByOthers(a.leaves, func(n *world.Node) {
				n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t == AutoscalerTaint })
			})
			a.leaves = ""
		}
		return
	}
	for _, m := range s.Alive() {
		n := s.Truth.Node(m.Name)
		if n == nil || !n.Ready || n.Annotations[KeepAnnotation] == "true" || m.State != world.MachineInService || !s.roomy(s.pods.loads[n.Name], a.Below) || !s.fitElsewhere(n) {
			delete(a.empty, m.Name)
			continue
		}
		if since, seen := a.empty[m.Name]; !seen {
			a.empty[m.Name] = s.now
		} else if s.now.Sub(since) >= a.ScaleDown && s.now.Sub(n.Created) >= a.ScaleDown && s.now.Sub(a.raised) >= a.ScaleDown && s.Group.Sizes.Desired > s.Group.Sizes.Min {
			a.leaves, a.since = m.Name, s.now
			delete(a.empty, m.Name)
			s.EditByOthers(m.Name, func(n *world.Node) { n.Taints = append(n.Taints, AutoscalerTaint) })
			return
		}
	}
}

// roomy reports whether less than a share of a node is asked for.
func (s *Sim) roomy(l load, percent int) bool {
	if s.Config.CPU > 0 {
		return l.cpu*100 < percent*s.Config.CPU
	}
	return l.pods*100 < percent*s.Config.Slots
}

// fitElsewhere reports whether a node's pods have a place on other nodes.
func (s *Sim) fitElsewhere(from *world.Node) bool {
	room := 0
	for _, n := range s.Truth.Nodes() {
		hard := false
		for _, t := range n.Taints {
			hard = hard || t.Effect != "PreferNoSchedule"
		}
		if n != from && n.Ready && !n.Unschedulable && !hard {
			room += s.Config.Slots - s.pods.loads[n.Name].pods
		}
	}
	for _, p := range s.podsOn(from.Name) {
		if p.owner == nil && !p.Mirror && !p.Finished() {
			return false
		}
	}
	return room >= s.pods.loads[from.Name].pods
}

// empties evicts what has to leave a node. It reports whether nothing is left.
func (s *Sim) empties(m *Machine) bool {
	return s.emptiesAs(m.Name, false, func(*Pod) bool { return true }, func(*Pod) bool { return false })
}

// Drain lets a user cordon and drain a node by hand, and then end its machine
// if that is wanted.
func (s *Sim) Drain(m *Machine, end bool) {
	s.EditByOthers(m.Name, func(n *world.Node) { Cordon(n, s.now) })
	s.every(5*time.Second, func() bool {
		s.HandDrained[m.ID] = s.machines[m.ID] == m && !m.Leaving()
		if !s.HandDrained[m.ID] {
			return false
		}
		going := func(p *Pod) bool { return p.Terminating() }
		stay := slices.DeleteFunc(s.podsOn(m.Name), going)
		empty := s.empties(m)
		for _, p := range stay {
			s.LeftByHand[p.UID] = going(p)
		}
		if !empty {
			return true
		}
		delete(s.HandDrained, m.ID)
		if end {
			s.EndByOthers(m)
			s.Tilted = true
		}
		return false
	})
}

// EditByOthers changes a node as another user. Marks that look like ours are
// remembered as not ours; those made while a run continues may coincide with ours,
// and so may go with them.
func (s *Sim) EditByOthers(name string, edit func(*world.Node)) bool {
	old := s.Truth.Node(name)
	if !s.EditNode(name, edit) {
		return false
	}
	now := s.MarksOn(s.Truth.Node(name))
	for _, mark := range s.MarksOn(old) {
		if !slices.Contains(now, mark) {
			delete(s.OtherMarks, mark)
		}
	}
	for _, mark := range now {
		s.OtherMarks[mark] = s.OtherMarks[mark] || !s.Began
	}
	return true
}
