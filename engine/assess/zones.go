package assess

import (
	"cmp"
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// lastOnes reports whether an outdated node is among the last ones that go, by the zones.
func (s *Reader) lastOnes(id string) bool {
	going := map[string]int{}
	toGo := 0
	for _, n := range s.Run.Nodes.All() {
		if !n.New && n.Stage != record.Replaced && n.Stage != record.Terminating && n.Stage != record.Skipped && n.Stage != record.NodeFail {
			going[n.Zone]++
			toGo++
		}
	}
	switch {
	case toGo > s.Excess():
		return false
	case len(s.W.Group.Zones) < 2:
		return true
	}
	end := zonesInTheEnd(s, going, "")
	return end <= max(1, Spread(s.W, s.ZonesBefore())) || end <= zonesInTheEnd(s, going, s.Run.Nodes.Peek(id).Zone)
}

// zonesInTheEnd foresees by how much the zones will differ when the outdated nodes that
// are still to go (by zone) have taken the group's size down with them and the rest of
// the surge is retired; if a zone is named, the first of its nodes is replaced.
func zonesInTheEnd(s *Reader, going map[string]int, replaced string) int {
	inZone, fresh := map[string]int{}, map[string]int{}
	present := 0
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes.Get(m.ID)
		if m.Leaving() || m.State == world.MachineStandby || n.Stage == record.Terminating {
			continue
		}
		present++
		inZone[m.Zone]++
		if n.New && n.Stage != record.Draining && n.Stage != record.Settling {
			fresh[m.Zone]++
		}
	}
	launches, retired := s.Run.Expected()-present, s.Excess()
	if replaced != "" {
		going = maps.Clone(going)
		going[replaced]--
		inZone[replaced]--
		launches++
	}
	for range launches { // the group launches where it has the fewest
		zone := slices.MinFunc(s.W.Group.Zones, func(a, b string) int { return inZone[a] - inZone[b] })
		inZone[zone]++
		fresh[zone]++
	}
	for zone, n := range going {
		inZone[zone] -= n
		retired -= n
	}
	for range retired {
		zone := slices.MaxFunc(s.W.Group.Zones, func(a, b string) int {
			return cmp.Or(cmp.Compare(min(fresh[a], 1), min(fresh[b], 1)), cmp.Compare(inZone[a], inZone[b]))
		})
		inZone[zone]--
		fresh[zone]--
	}
	return Spread(s.W, inZone)
}

// ZonesLeft counts the machines of each zone that are there to stay.
func (s *Reader) ZonesLeft() map[string]int {
	inZone := map[string]int{}
	for _, m := range s.W.Machines() {
		if stage := s.Run.Nodes.Peek(m.ID).Stage; !m.Leaving() && m.State != world.MachineStandby && stage != record.Draining && stage != record.Settling && stage != record.Terminating {
			inZone[m.Zone]++
		}
	}
	return inZone
}

// ZonesBefore counts the machines of each zone when the run began.
func (s *Reader) ZonesBefore() map[string]int {
	before := map[string]int{}
	for _, n := range s.Run.Nodes.All() {
		if !n.New && !n.Late {
			before[n.Zone]++
		}
	}
	for _, m := range s.W.Machines() {
		if s.Run.Nodes.Peek(m.ID).New && !m.Leaving() && s.LaunchedBefore(m) {
			before[m.Zone]++
		}
	}
	return before
}

// Spread is by how much the machines in the group's zones differ at most.
func Spread(w *world.World, inZone map[string]int) int {
	var counts []int
	for _, z := range w.Group.Zones {
		counts = append(counts, inZone[z])
	}
	if len(counts) == 0 {
		return 0
	}
	return slices.Max(counts) - slices.Min(counts)
}
