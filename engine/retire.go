package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Retire drains and ends surplus new nodes, emptiest first, under limit and
// gate, until excess of them are gone. It reports how many are in work or wait for
// a slot.
func (s *Step) Retire(excess int) int {
	var ready []string
	working, present := 0, 0
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes[m.ID]
		switch {
		case n.Stage == record.Terminating:
			working++
			continue
		case m.Leaving(), m.State == world.MachineStandby:
			continue // terminated by others, or not in service
		case n.New && (n.Stage == record.Draining || n.Stage == record.Settling):
			working++
			excess--
		case n.New && (n.Stage == record.Ready || n.Stage == record.Surplus):
			ready = append(ready, m.ID)
		}
		present++
	}
	slots := s.slots()
	due := s.mostSpare(ready, min(len(ready), max(0, excess), max(0, present-s.Run.Base.Desired)))
	s.startDrains(due, slots)
	return working + len(due)
}

// EndsOpen reports whether it is still open what became of a machine that was to be
// ended, and so what the group's size says.
func (s *Reader) EndsOpen() bool {
	open := s.Count(record.Terminating) > 0
	for _, p := range s.Run.Pending {
		open = open || p.Action.Kind == record.Terminate
	}
	if open {
		s.WakeAt(s.Now.Add(time.Second))
	}
	return open
}

// mostSpare picks n of the surplus machines: those whose hooks were asked already, and
// those marked as surplus first, then of the zone with the most machines, so that the zones end even and
// AZRebalance finds nothing to move; then the emptiest.
func (s *Reader) mostSpare(machines []string, n int) []string {
	if n <= 0 {
		return nil
	}
	asked := s.hooksUnderWay(record.BeforeNode)
	inZone := s.zonesLeft()
	unmarked := func(id string) int {
		switch n := s.Run.Nodes[id]; {
		case !n.LetGo.IsZero() || slices.Contains(asked, id):
			return -1
		case n.Stage == record.Surplus:
			return 0
		}
		return 1
	}
	list := s.ByPods(machines)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(unmarked(a), unmarked(b)) })
	place, byZone := map[string]int{}, map[string][]string{}
	for i, id := range list {
		place[id] = i
		zone := s.Run.Nodes[id].Zone
		byZone[zone] = append(byZone[zone], id)
	}
	var out []string
	for len(out) < n {
		zone := slices.MinFunc(slices.Sorted(maps.Keys(byZone)), func(a, b string) int {
			one, two := byZone[a][0], byZone[b][0]
			return cmp.Or(cmp.Compare(unmarked(one), unmarked(two)), cmp.Compare(inZone[b], inZone[a]), cmp.Compare(place[one], place[two]))
		})
		out = append(out, byZone[zone][0])
		inZone[zone]--
		if byZone[zone] = byZone[zone][1:]; len(byZone[zone]) == 0 {
			delete(byZone, zone)
		}
	}
	return out
}

// StopRetiring puts new nodes that are being retired back into service. It
// reports whether none is ending any more.
func (s *Step) StopRetiring() bool {
	done := true
	for _, id := range slices.Sorted(maps.Keys(s.Run.Nodes)) {
		n := s.Run.Nodes[id]
		switch {
		case !n.New:
		case n.Stage == record.Draining, n.Stage == record.Settling, n.Stage == record.Terminating && !s.terminationAsked(id):
			s.putBack(id, n)
		case n.Stage == record.Terminating:
			done = false
		}
	}
	return done
}

// placeWithin is how long a pod may wait for the scheduler to look at all nodes. One
// that has waited for longer found no place on those that are empty.
const placeWithin = 30 * time.Second

// placing reports whether a pod that replaces an evicted one may still come to any
// node.
func (s *Reader) placing() bool {
	for _, p := range s.W.Unplaced() {
		if until := p.Created.Add(placeWithin); s.standsIn(p) && s.Now.Before(until) {
			s.WakeAt(until)
			return true
		}
	}
	return false
}

// RetireEmpty ends new nodes that hold nothing that would have to be evicted and that
// no evicted pod is about to come to, at most excess of them, those of the fullest zones
// first. It reports whether none is in work any more.
func (s *Step) RetireEmpty(excess int) bool {
	placing := s.placing()
	done := true
	var empty []*world.Machine
	excess = min(excess, s.W.Group.Sizes.Desired-s.Run.Base.Desired)
	for _, n := range s.Run.Nodes {
		if n.New && (n.Stage == record.Draining || n.Stage == record.Settling) {
			excess--
		}
	}
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes[m.ID]
		if !n.New || m.Leaving() && n.Stage != record.Terminating {
			continue
		}
		left, _ := leaving(s.W, s.W.PodsOn(n.Name), s.Consents())
		switch n.Stage {
		case record.Terminating:
			done = false
		case record.Draining, record.Settling:
			done = false
			switch {
			case len(left) > 0:
				s.putBack(m.ID, n)
			case n.Stage == record.Draining:
				s.advanceDrain(m.ID, n)
			default:
				s.advanceSettling(m.ID, n)
			}
		case record.Ready, record.Surplus, record.Launching:
			if len(left) > 0 || !s.Fresh(world.Cluster) || s.givenUp("terminate/"+m.ID) {
				continue
			}
			empty = append(empty, m)
		}
	}
	for inZone := s.zonesLeft(); excess > 0 && len(empty) > 0; excess-- {
		next := slices.MaxFunc(empty, func(a, b *world.Machine) int { return cmp.Compare(inZone[a.Zone], inZone[b.Zone]) })
		inZone[next.Zone]--
		empty = slices.DeleteFunc(empty, func(m *world.Machine) bool { return m == next })
		done = false
		if !placing {
			s.startDrain(next.ID)
			s.Soon()
		}
	}
	return done
}
