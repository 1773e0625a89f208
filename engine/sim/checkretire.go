package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// retires checks what a run does while it retires surplus nodes: it drains new nodes only, no
// more than the group has too many, and makes nothing larger.
func (c *checker) retires(dec engine.Decision) {
	r := dec.Run
	if n := len(r.Phases); n == 0 || r.Phases[n-1].Name != record.PhaseRetire || r.State != record.Running {
		return
	}
	c.retiresNew(r)
	for _, a := range dec.Actions {
		if a.Kind == record.LaunchIn || a.Kind == record.SetSizes && a.Key != record.KeepKey && (a.Sizes.Desired > a.From.Desired || a.Sizes.Max > a.From.Max) {
			c.d.breaks("retire: %s %s makes the group larger", a.Kind, a.Key)
		}
	}
}

// retiresNew checks which nodes are being retired, and how many.
func (c *checker) retiresNew(r record.Run) {
	d, busy := c.d, 0
	for id, n := range r.Nodes.All() {
		if n.Stage != record.Draining && n.Stage != record.Settling && n.Stage != record.Terminating {
			continue
		}
		m := d.Sim.View.Machine(id)
		if m != nil && !m.Leaving() && n.Stage != record.Terminating {
			busy++
		}
		if m != nil && !slices.Contains(r.Target.Templates, m.Template) && n.Stage == record.Draining && n.Since.Equal(d.Sim.now) {
			d.breaks("retire: %s drains, which is no new node", n.Name)
		}
	}
	others := d.Sim.lowered+d.Sim.raised+d.Sim.doubts > 0 || d.Sim.foreign.Min > 0 // what they changed just now the run could not know
	if most := d.Sim.View.Group.Sizes.Desired - d.Sim.owed(); busy > max(0, most) && !others && !slices.ContainsFunc(slices.Sorted(c.nodes.Keys()), func(id string) bool { return c.nodes.Peek(id).Stage == record.Terminating }) {
		d.breaks("retire: %d nodes are being retired, and the group has %d too many", busy, most)
	}
}

// takesBack is what others do to the desired size while a run takes its raise back.
type takesBack struct {
	since  time.Time // the last read of the group before that, with none of the run's own changes open
	raised int       // by how much others have raised the desired size since then, as far as the driver has read
}

// watchRaises notes by how much others raise the group while the run takes its raise back. The
// record says only in which phase the run is and what it has open: the raises are the simulator's.
func (c *checker) watchRaises(dec engine.Decision) {
	if !c.sees(world.Cloud) || dec.Run.OnlyRetires() {
		return
	}
	b, read := &c.back, c.d.Sim.View.Health[world.Cloud].Fresh
	if n := len(dec.Run.Phases); n > 0 && !dec.Run.Phases[n-1].Start.IsZero() {
		b.raised = c.d.Sim.raisedBetween(b.since, read)
	} else if !changesSize(&dec.Run) {
		b.since = read
	}
}

// changesSize reports whether a change of the run itself to the desired size may not show yet.
func changesSize(r *record.Run) bool {
	for _, p := range r.Pending {
		a := p.Action
		if a.Kind == record.CheckEffect {
			a = *a.Of
		}
		if slices.Contains([]record.ActionKind{record.SetSizes, record.LaunchIn, record.Terminate}, a.Kind) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Sorted(r.Nodes.Keys()), func(id string) bool { return r.Nodes.Peek(id).Stage == record.Terminating })
}

// raisedBetween is by how much others have raised the desired size after a time, until another.
func (s *Sim) raisedBetween(after, until time.Time) (by int) {
	for at, n := range s.raises {
		if at.After(after) && !at.After(until) {
			by += n
		}
	}
	return by
}
