package engine

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Unavailable counts the nodes that are out of service because of us: from the
// first eviction until the machine has left the group.
func (r *Run) Unavailable() int { return r.Count(Draining, Settling, Terminating) }

// shut says why no new drain may start now, "" if one may. Two things are looked
// at: that enough nodes stay in service, and that the pods we evicted have found
// a place.
func (s *Step) shut() string {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return "what is known is too old to start a drain"
	}
	in := s.inService()
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
		node := s.W.NodeOf(m.ID)
		if m.State != world.MachineInService || node == nil || !node.Ready || node.Unschedulable && !s.ourCordon(m.ID, node.Name) {
			continue
		}
		switch s.Run.Nodes[m.ID].Stage {
		case Draining, Settling, Terminating, Launching:
		default:
			count++
		}
	}
	return count
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
		if _, evicted := s.Run.Evicted[p.Owner.UID]; !evicted || p.Phase != world.PodPending {
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
	slots := s.Run.Limit - s.Run.Unavailable()
	s.approve(slots)
	want := s.Run.Count(Queued) > 0 && slots > 0
	for _, id := range s.Run.Order {
		if slots <= 0 || s.Run.Nodes[id].Stage != Queued {
			continue
		}
		if why := s.shut(); why != "" {
			s.holdGate(why)
			return
		}
		s.startDrain(id)
		slots--
	}
	if want || s.Run.Count(Queued) == 0 {
		s.openGate()
	}
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
