package check

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/world"
)

// selects checks that a node is selected for its update in place while the run runs; by hand,
// while no other one's update has failed, but for one that begins again beside it, and, the first time, while its pods' budgets let
// them go.
func (c *Checker) selects(a record.Action) {
	d := c.d
	if a.Kind != record.AddLabel || a.Label != sim.SelectedLabel {
		return
	}
	n := d.Run.Nodes.Get(a.Machine)
	if d.Run.State != record.Running {
		d.Breaks("in place: %s is selected while the run is %s", a.Node, d.Run.State)
	}
	if !n.Since.Equal(d.Sim.Now()) || d.Sim.Pool.Update != world.ManualInPlaceUpdate {
		return
	}
	for id, other := range d.Run.Nodes.All() {
		if node := d.Sim.View.Node(other.Name); id != a.Machine && other.Stage == record.Updating && other.Since.Before(d.Sim.Now()) && node != nil && sim.StepOf(node) == world.GardenerFailed {
			d.Breaks("in place: %s is selected, and the update of %s has failed", a.Node, other.Name)
		}
	}
	for _, p := range d.Sim.View.PodsOn(a.Node) {
		for _, b := range d.Sim.View.BudgetsOf(p) {
			if p.Ready && !p.Terminating() && b.Allowed == 0 {
				d.Breaks("in place: %s is selected, and budget %s allows no eviction", a.Node, b.Ref())
			}
		}
	}
}

// zoneUpdates checks, when a node is selected by itself (AutoInPlaceUpdate), that its zone can
// spare it by what the driver sees. One that is selected counts until it is healthy again, one
// whose update has failed as well; the controllers count it twice once it is drained.
func (c *Checker) zoneUpdates(id string, n record.Node) {
	d, view := c.d, c.d.Sim.View
	if d.Sim.Pool.Update != world.AutoInPlaceUpdate {
		return
	}
	z := c.countZone(id, n.Zone)
	surge, missing := c.zoneShare(n.Zone)
	if z.out > surge+missing {
		d.Breaks("in place: %d nodes of zone %s are out of service, %d may be", z.out, n.Zone, surge+missing)
	}
	coming, size := max(0, view.Group.Sizes.Desired-z.all), d.Run.Zones[n.Zone]
	if missing == 0 && z.there <= size && coming == 0 {
		missing = 1 // its share of the surge is elsewhere
	}
	if d.Run.Strategy == "gardener-inplace-seed" {
		z.twice = 0
	}
	if least := min(size, z.there+coming) - missing; z.serve-z.twice < least {
		d.Breaks("in place: the update of %s leaves %d nodes of zone %s in service, less %d that count twice; %d have to be", n.Name, z.serve, n.Zone, z.twice, least)
	}
}

// napping is how much time a process may have slept, which is not counted, without it showing as a gap.
const napping = 30 * time.Second

// healthy checks that the machine of a node whose update has failed is given up once its time to get healthy is up,
// while all others of its zone are in service: --health-timeout.
func (c *Checker) healthy(dec engine.Decision) {
	d, r := c.d, &dec.Run
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		n := r.Nodes.Get(id)
		node := d.Sim.View.NodeOf(id)
		failed := n.Stage == record.Updating && n.Wait != nil && r.Settings.HealthTimeout != 0 && node != nil && sim.StepOf(node) == world.GardenerFailed
		sees := r.State == record.Running && !d.Failing && c.sees(world.Cluster) && c.sees(world.Cloud)
		if waited := c.lasts(c.sick, id, failed && sees && !(r.Settings.HealthInTurn && c.troubled(r, id))); waited > r.Settings.HealthTimeout+napping {
			d.Breaks("in place: the update of %s failed %s ago, it has %s to get healthy, and is not given up", n.Name, waited, r.Settings.HealthTimeout)
		}
	}
}

// troubled reports whether another machine in the zone of one is not in service.
func (c *Checker) troubled(r *record.Run, id string) bool {
	return slices.ContainsFunc(c.d.Sim.View.Machines(), func(m *world.Machine) bool {
		stage := r.Nodes.Peek(m.ID).Stage
		return m.ID != id && m.Zone == r.Nodes.Peek(id).Zone && (m.Leaving() || slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating, record.Updating, record.Launching}, stage))
	})
}

// zoneInPlace counts a zone's machines while one of them is selected for its update.
type zoneInPlace struct {
	out, twice, serve, there int
	all                      int // of all zones
}

func (c *Checker) countZone(selected, zone string) (z zoneInPlace) {
	d, view := c.d, c.d.Sim.View
	for _, m := range view.Machines() {
		stage, node := d.Run.Nodes.Peek(m.ID).Stage, view.NodeOf(m.ID)
		works := slices.Contains([]record.Stage{record.Draining, record.Settling, record.Terminating, record.Updating}, stage)
		if works && m.Zone == zone {
			z.out++
		}
		if stage == record.Updating && m.ID != selected && m.Zone == zone && !m.Leaving() && countsTwice(node) {
			z.twice++
		}
		if m.Leaving() || m.Detached || m.State == world.MachineStandby {
			continue
		}
		z.all++
		if m.Zone != zone {
			continue
		}
		z.there++
		if !works && node != nil && node.Ready && m.State == world.MachineInService && (!node.Unschedulable || c.ourCordon(m.ID, node.Name)) {
			z.serve++
		}
	}
	return z
}

// countsTwice reports whether the controllers count a node as two that are out of service: it
// is drained for its update, or that is over and the label not yet taken off.
func countsTwice(n *world.Node) bool {
	if n == nil || n.Labels[sim.CandidateLabel] == "" {
		return false
	}
	switch sim.StepOf(n) {
	case world.GardenerReady, world.GardenerFailed, "UpdateSuccessful":
		return true
	}
	return false
}

// endsOld checks, when the drain of an old node of a pool begins, that its zone has as many
// others that await no update as it is to have. One that was given up has begun before.
func (c *Checker) endsOld(n record.Node) {
	d, view := c.d, c.d.Sim.View
	if d.Sim.Pool.Update == "" || n.New || d.Run.State == record.Ending {
		return
	}
	fresh := 0
	for _, m := range view.Machines() {
		if node := view.NodeOf(m.ID); m.Zone == n.Zone && !m.Leaving() && (node == nil || node.Labels[sim.CandidateLabel] == "") {
			fresh++
		}
	}
	if size := d.Run.Zones[n.Zone]; fresh < size {
		d.Breaks("in place: %s is drained to be ended, and zone %s has %d new or updated nodes, it is to have %d", n.Name, n.Zone, fresh, size)
	}
}
