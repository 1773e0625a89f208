package sim

import (
	"slices"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
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
