package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Unavailable counts the nodes that are out of service because of us: from the
// first eviction until the machine has left the group or, if the node is given up
// in between, until our cordon is off.
func (s *Step) Unavailable() int {
	count := s.Count(Draining, Settling, Terminating)
	for machine, marks := range s.Run.Marks {
		n := s.Run.Nodes[machine]
		if !n.Began.IsZero() && (n.Stage == Skipped || n.Stage == NodeFail) && slices.ContainsFunc(marks, func(m Mark) bool { return m.Put.Kind == Cordon && !m.Foreign }) {
			count++
		}
	}
	return count
}

// shut says why no new drain may start now, "" if one may, with so many nodes in
// service. Two things are looked at: that enough of them stay so, and that the pods
// we evicted have found a place.
func (s *Step) shut(in int) string {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return "what is known is too old to start a drain"
	}
	size := min(s.Run.Base.Desired, s.W.Group.Sizes.Desired) // who has made it smaller meanwhile, wants fewer
	if floor := size - s.Run.Limit; in-1 < floor {
		return fmt.Sprintf("%s in service, and %d must stay", isAre(in, "node"), floor)
	}
	return s.homeless()
}

// inService counts the group's nodes that are Ready and schedulable, less those
// that drain. A node with nothing but our own taint or cordon still serves until
// its drain begins.
func (s *Step) inService() int {
	count := 0
	for _, m := range s.W.Machines() {
		if s.serves(m) {
			count++
		}
	}
	return count
}

func (s *Step) serves(m *world.Machine) bool {
	node := s.W.NodeOf(m.ID)
	if m.State != world.MachineInService || node == nil || !node.Ready || node.Unschedulable && !s.ourCordon(m.ID, node.Name) {
		return false
	}
	switch s.Run.Nodes[m.ID].Stage {
	case Draining, Settling, Terminating, Launching:
		return false
	}
	return true
}

// startDrains begins to empty nodes, one after the other as far as the gate allows.
func (s *Step) startDrains(machines []string) {
	if len(machines) == 0 {
		return
	}
	in := s.inService()
	for _, id := range machines {
		if why := s.shut(in); why != "" {
			s.holdGate(why)
			return
		}
		if m := s.W.Machine(id); m != nil && s.serves(m) {
			in--
		}
		s.startDrain(id)
	}
	s.openGate()
}

// ourCordon reports whether it was us who cordoned a node.
func (s *Step) ourCordon(machine, node string) bool {
	mark, known := s.Run.mark(CordonOf(machine, node))
	return known && !mark.Foreign
}

// homeless names a pod that stands in for an evicted one and has been Pending
// for too long, "" if there is none.
func (s *Step) homeless() string {
	for _, p := range s.W.Unplaced() {
		if !s.Run.Evicted[p.Owner.UID] || p.Phase != world.PodPending {
			continue
		}
		since := p.Created.Add(s.Run.Settings.PendingLimit)
		if s.Now.Before(since) {
			s.WakeAt(since)
			continue
		}
		why := fmt.Sprintf("%s, which replaces an evicted pod, has been Pending for %s", p.Ref(), s.Now.Sub(p.Created).Round(time.Second))
		if p.Unplaced != "" {
			why += ": " + p.Unplaced
		}
		return why
	}
	return ""
}

// Admit starts drains: as many queued nodes as the limit and the gate allow.
func (s *Step) Admit() {
	if s.Run.State != Running {
		return
	}
	s.LeaveLate(0, s.Run.Surge())
	slots := s.Run.Limit - s.Unavailable()
	s.approve(slots)
	queued := s.Count(Queued)
	if queued == 0 {
		s.openGate()
	}
	next := make([]string, 0, max(0, min(slots, queued)))
	for _, id := range s.Run.Order {
		if len(next) == cap(next) {
			break
		}
		if s.Run.Nodes[id].Stage == Queued {
			next = append(next, id)
		}
	}
	s.startDrains(next)
}

// holdGate notes that no drain starts now; a gate that stays shut pauses the run.
func (s *Step) holdGate(why string) {
	if s.Run.GateSince.IsZero() {
		s.Run.GateSince = s.Now
		s.Report(Event{Type: Warning, Reason: "gate", Message: "no new drain starts: " + why})
	}
	s.Run.Gate = why
	limit := s.Run.GateSince.Add(s.Run.Settings.GatePause)
	s.WakeAt(limit)
	if !s.Now.Before(limit) {
		s.openGate()
		s.Pause("no new drain could start for " + s.Run.Settings.GatePause.String() + ": " + why)
	}
}

func (s *Step) openGate() {
	s.Run.GateSince, s.Run.Gate = time.Time{}, ""
}
