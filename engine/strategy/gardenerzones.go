package strategy

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// A worker pool has a machine deployment in each of its zones, and each rolls by itself.
// maxSurge and maxUnavailable are split: a number goes to the zones in turn (Gardener,
// extensions/pkg/controller/worker/machines.go, DistributeOverZones), a percentage is one
// of each zone, rounded up and down. Where both come to 0, one machine may be unavailable
// (machine-controller-manager, pkg/controller/deployment_util.go, ResolveFenceposts): of
// three zones and maxSurge 1, two replace their old machines before the new ones come.

// share is how many machines a zone may have more than it is to have, and miss.
type share struct{ surge, unavailable int }

// most is how many nodes of the zone may be out of service at once.
func (s share) most() int { return s.surge + s.unavailable }

// zoneSizes counts the machines of each zone that are there to stay.
func zoneSizes(w *world.World) map[string]int {
	sizes := map[string]int{}
	for _, m := range w.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			sizes[m.Zone]++
		}
	}
	return sizes
}

// zonesOf are the sizes of the zones when the run began, or as they are where there was none: no zones are
// not in the record.
func zonesOf(w *world.World, r *record.Run) map[string]int {
	if len(r.Zones) > 0 {
		return r.Zones
	}
	return zoneSizes(w)
}

// shares are those of the zones that have machines.
func (Gardener) shares(w *world.World, r *record.Run) map[string]share {
	sizes, zones := zonesOf(w, r), w.Group.Zones
	part := func(a record.Amount, i, size int, up bool) int {
		if a.Percent {
			return a.Of(size, up)
		}
		n := a.N / len(zones)
		if i < a.N%len(zones) {
			n++
		}
		return n
	}
	out := map[string]share{}
	for i, zone := range zones {
		size := sizes[zone]
		if size == 0 {
			continue
		}
		s := share{surge: part(r.Settings.MaxSurge, i, size, true), unavailable: part(r.Settings.MaxUnavailable, i, size, false)}
		if s.most() == 0 {
			s.unavailable = 1
		}
		out[zone] = s
	}
	return out
}

// Limit is how many nodes of all zones may be out of service at once.
func (g Gardener) Limit(w *world.World, r *record.Run) int {
	n := 0
	for _, s := range g.shares(w, r) {
		n += s.most()
	}
	return max(1, n)
}

// Bounds: none of the pool may be unavailable; a zone without a share has one.
func (Gardener) Bounds(w *world.World, r *record.Run) assess.Bounds {
	b := assess.Base{}.Bounds(w, r)
	b.Least = 0
	return b
}

// surge is how many machines more there may be in all zones.
func (g Gardener) surge(w *world.World, r *record.Run) int {
	n := 0
	for _, s := range g.shares(w, r) {
		n += s.surge
	}
	return n
}

// Extra is how many machines more the group has while it is rolled.
func (g Gardener) Extra(w *world.World, r *record.Run) int { return g.surge(w, r) }

// Holds says why a node of a zone may not begin to drain now: too many of the zone are out
// of service, or too few would stay (pkg/controller/deployment_rolling.go,
// reconcileOldMachineSets). An Auto Scaling group chooses by itself in which zone the
// machine more is; a zone whose share is elsewhere goes unavailable first.
func (g Gardener) Holds(s *assess.Reader, machine string, about []string) string {
	zone := s.Run.Nodes.Peek(machine).Zone
	share, has := g.shares(s.W, &s.Run)[zone]
	if !has {
		share.unavailable = 1
	}
	z := g.look(s, zone, about)
	if z.out >= share.most() {
		return systems.ZoneOut(zone, z.out, share.most())
	}
	may := share.unavailable
	if may == 0 && z.there <= z.size && z.coming == 0 {
		may = 1
	}
	if floor := min(z.size, z.there+z.coming) - may; z.serve-1 < floor {
		return systems.ZoneServes(zone, z.serve, floor)
	}
	return ""
}

// Decrements reports whether the end of a machine takes the group's size down: as many new
// ones are there, or about to be, as the zone is to have. So no more new machines come than
// stay.
func (g Gardener) Decrements(s *assess.Reader, machine string) bool {
	if s.Excess() <= 0 {
		return false
	}
	zone := s.Run.Nodes.Peek(machine).Zone
	z := g.look(s, zone, nil)
	old, ending := 0, 0
	for id, n := range s.Run.Nodes.All() {
		switch m := s.W.Machine(id); {
		case n.New || n.Zone != zone || m == nil:
		case m.Leaving(): // others may end it
			ending++
		case n.Stage == record.Terminating:
			ending++
			z.there--
		case n.Stage != record.Replaced && n.Stage != record.Skipped && n.Stage != record.NodeFail:
			old++
		}
	}
	return old <= z.there+min(z.coming, ending)-z.size
}

// sight is how a zone stands: how many machines it is to have, are there, serve and are out of
// service through us; coming are those of the group, in whichever zone, that are still to be
// launched.
type sight struct{ size, there, serve, out, coming int }

func (Gardener) look(s *assess.Reader, zone string, about []string) sight {
	z := sight{size: s.Run.Zones[zone], coming: s.W.Group.Sizes.Desired}
	ours := s.Run.Holds()
	if ours {
		z.coming = s.Run.Expected() + assess.Uncounted(s) // which the cloud may not tell yet
	}
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes.Get(m.ID)
		stage := n.Stage
		working := stage == record.Draining || stage == record.Settling || stage == record.Terminating || stage == record.Updating || slices.Contains(about, m.ID)
		if working && m.Zone == zone {
			z.out++
		}
		if m.Leaving() || m.Detached || m.State == world.MachineStandby {
			continue
		}
		if !ours || stage != record.Terminating || !n.Decrement { // the size that is expected is without it
			z.coming--
		}
		if m.Zone != zone {
			continue
		}
		z.there++
		if !working && s.Serves(m) {
			z.serve++
		}
	}
	z.coming = max(0, z.coming)
	return z
}

// Estimate is how long the slowest zone takes: after each drain it waits for a machine.
func (g Gardener) Estimate(w *world.World, r *record.Run, left int) time.Duration {
	shares, old := g.shares(w, r), map[string]int{}
	for _, n := range r.Nodes.All() {
		if !n.New && n.Stage != record.Replaced && n.Stage != record.Skipped && n.Stage != record.NodeFail {
			old[n.Zone]++
		}
	}
	turns := time.Duration(0)
	for zone, n := range old {
		turns = max(turns, rounds(min(n, left), shares[zone].most()))
	}
	return turns * (r.Settings.Settle + assess.DrainGuess + assess.JoinGuess)
}
