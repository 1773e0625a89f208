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

// autoscalerTaint keeps pods off a node that the autoscaler is about to remove.
var autoscalerTaint = world.Taint{Key: "ToBeDeletedByClusterAutoscaler", Effect: "NoSchedule"}

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
		s.group.Tags = map[string]string{"k8s.io/cluster-autoscaler/enabled": "true"}
		s.listMachines()
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
	s.after(span, func() {
		if s.now.Before(s.faults.etcd) || do() {
			s.every(span, do)
		}
	})
}

// scalesUp adds a machine for unplaced pods. It reports whether there are any.
func (s *Sim) scalesUp(a *autoscaler) bool {
	sizes := &s.group.Sizes
	waiting := false
	for _, p := range s.Truth.Unplaced() {
		waiting = waiting || p.Unplaced != "" && s.now.Sub(p.Created) >= a.ScaleUp
	}
	if waiting && sizes.Desired < sizes.Max && len(s.alive()) >= sizes.Desired && s.now.Sub(a.raised) > s.Config.Launch+s.Config.Boot+s.Config.NodeReady {
		a.raised = s.now
		sizes.Desired++
		s.resizedByOthers(1)
		s.tilted, s.shrunk = true, s.now
		s.listMachines()
		s.touch()
	}
	return waiting
}

// scalesDown removes the next node that has been empty enough for long.
func (s *Sim) scalesDown(a *autoscaler) {
	if a.leaves != "" {
		if m := s.machineOf(a.leaves); m == nil || m.Leaving() {
			a.leaves = ""
		} else if s.empties(m) && s.terminateOne(record.Action{Machine: m.ID, Decrement: true}).Verdict == record.Done {
			s.resizedByOthers(-1)
			s.tilted = true
		} else if s.now.Sub(a.since) >= a.GiveUp { // and looks for another one
			s.editByOthers(a.leaves, func(n *world.Node) {
				n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t == autoscalerTaint })
			})
			a.leaves = ""
		}
		return
	}
	for _, m := range s.alive() {
		n := s.Truth.Node(m.name)
		if n == nil || !n.Ready || n.Annotations[keepAnnotation] == "true" || m.State != world.MachineInService || !s.roomy(s.pods.loads[n.Name], a.Below) || !s.fitElsewhere(n) {
			delete(a.empty, m.name)
			continue
		}
		if since, seen := a.empty[m.name]; !seen {
			a.empty[m.name] = s.now
		} else if s.now.Sub(since) >= a.ScaleDown && s.now.Sub(n.Created) >= a.ScaleDown && s.now.Sub(a.raised) >= a.ScaleDown && s.group.Sizes.Desired > s.group.Sizes.Min {
			a.leaves, a.since = m.name, s.now
			delete(a.empty, m.name)
			s.editByOthers(m.name, func(n *world.Node) { n.Taints = append(n.Taints, autoscalerTaint) })
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
func (s *Sim) empties(m *machine) bool {
	return s.emptiesAs(m.name, false, func(*pod) bool { return true }, func(*pod) bool { return false })
}

// Drain lets a user cordon and drain a node by hand, and then end its machine
// if that is wanted.
func (s *Sim) Drain(m *machine, end bool) {
	s.editByOthers(m.name, func(n *world.Node) { cordon(n, s.now) })
	s.every(5*time.Second, func() bool {
		s.drains[m.ID] = s.machines[m.ID] == m && !m.Leaving()
		if !s.drains[m.ID] {
			return false
		}
		going := func(p *pod) bool { return p.Terminating() }
		stay := slices.DeleteFunc(s.podsOn(m.name), going)
		empty := s.empties(m)
		for _, p := range stay {
			s.byHand[p.UID] = going(p)
		}
		if !empty {
			return true
		}
		delete(s.drains, m.ID)
		if end {
			s.end(m)
			s.tilted = true
		}
		return false
	})
}

// editByOthers changes a node as another user. Marks that look like ours are
// remembered as not ours; those made while a run continues may coincide with ours,
// and so may go with them.
func (s *Sim) editByOthers(name string, edit func(*world.Node)) bool {
	old := s.Truth.Node(name)
	if !s.editNode(name, edit) {
		return false
	}
	now := s.marksOn(s.Truth.Node(name))
	for _, mark := range s.marksOn(old) {
		if !slices.Contains(now, mark) {
			delete(s.marks, mark)
		}
	}
	for _, mark := range now {
		s.marks[mark] = s.marks[mark] || !s.rolling
	}
	return true
}
