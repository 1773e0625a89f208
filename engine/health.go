package engine

import (
	"cmp"
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Sick says in a few words why the node of a machine is not healthy, "" if it is: it is
// gone, not Ready, or has a condition that the settings name and that is not False.
func (s *Reader) Sick(m *world.Machine) string {
	n := s.W.NodeOf(m.ID)
	if n == nil {
		return text.NodeGone
	}
	for _, c := range n.Conditions {
		if slices.Contains(s.Run.Settings.NodeConditions, c.Type) && !c.Off {
			return c.Type
		}
	}
	if !n.Ready {
		return text.NotReady
	}
	return ""
}

// WatchHealth gives up new machines that did not get Ready in time, or were not healthy
// for as long as they may: they are drained and ended, and their group launches others.
// Each takes a slot, as a node that is replaced does.
func (s *Step) WatchHealth() {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return
	}
	for _, id := range s.In(record.Launching, record.Ready, record.Surplus) {
		n, m := s.Run.Nodes[id], s.W.Machine(id)
		if !n.New || m == nil || m.Leaving() || m.State == world.MachineStandby || s.takenBy(n.Name) != "" {
			continue
		}
		if n.Stage == record.Launching {
			if n.Wait != nil && s.Over(n.Wait) {
				s.giveUpMachine(id, text.TooLate(s.WhyNotReady(m), s.JoinTime()))
			}
			continue
		}
		switch sick := s.Sick(m); {
		case s.Run.Settings.HealthTimeout <= 0:
		case sick == "" && n.Wait != nil && n.Wait.OfHealth():
			n.Wait, n.Reason = nil, ""
			s.SetNode(id, n)
			s.changed = true
		case sick != "" && n.Wait == nil:
			n.Wait = s.newWait(record.WaitUnhealthy, s.Run.Settings.HealthTimeout, world.Cluster)
			s.SetNode(id, n)
			s.Report(record.Event{Type: record.Warning, Node: s.label(id, n), Zone: n.Zone, Reason: "unhealthy", Until: until(n.Wait), Message: text.NewAndSick(sick)})
		case sick != "" && s.Over(n.Wait):
			if while := s.unsettled(id); while != "" {
				s.postpone(id, text.SickPostponed(s.Run.Settings.HealthTimeout, sick, while))
				continue
			}
			s.giveUpMachine(id, text.SickFor(s.Run.Settings.HealthTimeout, sick))
		}
	}
}

// postpone notes why a machine whose time is up is not given up yet.
func (s *Step) postpone(id, why string) {
	n := s.Run.Nodes[id]
	if n.Reason == why && n.Wait.For == record.WaitPostponed {
		return
	}
	wait := *n.Wait
	wait.For = record.WaitPostponed
	n.Wait, n.Reason = &wait, why
	s.SetNode(id, n)
	s.changed = true
}

// unsettled says which other machine of the zone is not in service, where one is given up
// only while all others run; "" if all do.
func (s *Reader) unsettled(id string) string {
	if !s.Run.Settings.HealthInTurn {
		return ""
	}
	zone := s.Run.Nodes[id].Zone
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes[m.ID]
		if m.ID == id || m.Zone != zone {
			continue
		}
		switch who := s.label(m.ID, n); {
		case m.Leaving(), n.Stage == record.Settling, n.Stage == record.Terminating:
			return text.IsEnded(who)
		case n.Stage == record.Draining:
			return text.IsDrained(who)
		case n.Stage == record.Updating && n.Blocked:
			return text.UpdateHasFailed(who)
		case n.Stage == record.Updating:
			return text.IsUpdated(who)
		case n.Stage == record.Launching:
			return text.Launching(who)
		}
	}
	return ""
}

// giveUpMachine begins to end a new machine, if a slot is free.
func (s *Step) giveUpMachine(id, why string) {
	if s.slots() <= len(s.hooksUnderWay(record.BeforeNode)) || !s.letGo(id) {
		return
	}
	n := s.Run.Nodes[id]
	n.Unfit, n.Wait, n.Reason = why, nil, ""
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.Warning, Node: s.label(id, n), Zone: n.Zone, Reason: record.ReasonGivenUp, Message: text.GivenUp(why)})
	s.startDrain(id)
}

// UnhealthyFirst puts the outdated nodes that are not healthy at the front of the order: they
// take nothing out of service.
func (s *Step) UnhealthyFirst() {
	if !s.Fresh(world.Cluster) {
		return
	}
	rank := map[string]int{}
	for _, id := range s.In(record.Outdated, record.Queued) {
		if m := s.W.Machine(id); m != nil && s.Run.Nodes[id].Name != "" && s.Sick(m) != "" {
			rank[id] = -1
		}
	}
	if len(rank) == 0 {
		return
	}
	compare := func(a, b string) int { return cmp.Compare(rank[a], rank[b]) }
	if !slices.IsSortedFunc(s.Run.Order, compare) {
		s.Run.Order = slices.Clone(s.Run.Order)
		slices.SortStableFunc(s.Run.Order, compare)
		s.changed = true
		var names []string
		for id := range rank {
			names = append(names, s.label(id, s.Run.Nodes[id]))
		}
		slices.Sort(names)
		s.Report(record.Event{Type: record.Warning, Reason: "order", Message: text.UnhealthyFirst(names)})
	}
}
