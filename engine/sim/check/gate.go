package check

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// moved notes whose pods we made leave, as the driver gets to know it: for those that are
// made in their place drains wait until they have one.
func (c *Checker) noteMoved(a record.Action, o record.Outcome) {
	if o.Verdict != record.Done || a.Kind != record.Evict && a.Kind != record.Delete {
		return
	}
	if owner := c.owners[a.UID]; owner != "" {
		c.movedFrom[owner] = true
	}
}

// gated checks, when a drain begins, that the pods which replace evicted ones have found a
// node in time, and that as many nodes stay in service as have to, by what the driver sees.
func (c *Checker) gated(id string, n record.Node) {
	d, view := c.d, c.d.Sim.View
	if d.Run.State == record.Ending {
		return
	}
	for _, p := range view.Unplaced() {
		if n.Unfit != "" {
			break // another machine comes in its place, which may be what they need
		}
		if waits := d.Sim.Now().Sub(p.Created); c.movedFrom[p.Owner.UID] && p.Phase == world.PodPending && waits >= d.Run.Settings.PendingLimit {
			d.Breaks("gate: the drain of %s begins, and %s, which replaces an evicted pod, has been Pending for %s", n.Name, p.Ref(), waits)
		}
	}
	if c.isKops() || c.isGardener() || n.New {
		return // they count otherwise: enough, zoneRolls
	}
	if m := view.Machine(id); m == nil || !c.serves(m) {
		return // nothing is lost with it
	}
	in := 0
	for _, m := range view.Machines() {
		switch d.Run.Nodes.Peek(m.ID).Stage {
		case record.Draining, record.Settling, record.Terminating, record.Updating:
		default:
			if c.serves(m) {
				in++
			}
		}
	}
	size := view.Group.Sizes.Desired
	if c.isOwn() {
		read := view.Health[world.Cloud].Fresh
		size = min(size, d.Sim.Owed()-d.Sim.Slack-d.Sim.RaisedBetween(read, d.Sim.Now())) // the surge stands in for others
		if c.raised && !d.Sim.Grew {
			size -= min(d.Sim.RaisedBy, c.mostRaised) // what others have raised just so passes for the surge
		}
	}
	if floor := min(c.rested, size) - c.mayMiss(); in < floor {
		d.Breaks("gate: the drain of %s leaves %d nodes in service, %d have to be", n.Name, in, floor)
	}
}

// serves reports whether a machine's node takes pods, or would but for a cordon of ours.
func (c *Checker) serves(m *world.Machine) bool {
	node := c.d.Sim.View.NodeOf(m.ID)
	return m.State == world.MachineInService && node != nil && node.Ready && (!node.Unschedulable || c.ourCordon(m.ID, node.Name))
}

// mayMiss is how many nodes of an EKS group may be out of service at once: a share of its
// size before the run is rounded down, and is one at least.
func (c *Checker) mayMiss() int {
	if c.isOwn() {
		return c.spare()
	}
	set := c.d.Run.Settings.MaxUnavailable
	if set.Percent {
		return max(1, set.N*c.size/100)
	}
	return max(1, set.N)
}

// shut checks that the gate says why it is shut while it is, and that the run pauses once it has been
// for its time.
func (c *Checker) shut(r *record.Run) {
	d := c.d
	if r.GateSince.IsZero() && r.Gate != "" {
		d.Breaks("gate: it is open, and says why no drain starts: %s", r.Gate)
	}
	since := d.Sim.Now().Sub(r.GateSince)
	hooked := false
	for _, n := range r.Nodes.All() {
		hooked = hooked || n.Stage == record.Queued
	}
	if !r.GateSince.IsZero() && r.State == record.Running && since > 2*r.Settings.GatePause+time.Minute && !r.Retires() && !hooked {
		d.Breaks("gate: it has been shut for %s, and the run does not pause: %s", since, r.Gate)
	}
}
