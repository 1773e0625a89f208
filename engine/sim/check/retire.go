package check

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// retires checks what a run does while it retires surplus nodes: it drains new nodes only, no
// more than the group has too many, and makes nothing larger.
func (c *Checker) retires(dec engine.Decision) {
	r := dec.Run
	if n := len(r.Phases); n == 0 || r.Phases[n-1].Name != record.PhaseRetire || r.State != record.Running {
		return
	}
	c.retiresNew(r)
	for _, a := range dec.Actions {
		if a.Kind == record.LaunchIn || a.Kind == record.SetSizes && a.Key != record.KeepKey && (a.Sizes.Desired > a.From.Desired || a.Sizes.Max > a.From.Max) {
			c.d.Breaks("retire: %s %s makes the group larger", a.Kind, a.Key)
		}
	}
}

// retiresNew checks which nodes are being retired, and how many.
func (c *Checker) retiresNew(r record.Run) {
	d, busy := c.d, 0
	for id, n := range r.Nodes.All() {
		if n.Stage != record.Draining && n.Stage != record.Settling && n.Stage != record.Terminating {
			continue
		}
		m := d.Sim.View.Machine(id)
		if m != nil && !m.Leaving() && n.Stage != record.Terminating {
			busy++
		}
		if m != nil && !slices.Contains(r.Target.Templates, m.Template) && n.Stage == record.Draining && n.Since.Equal(d.Sim.Now()) {
			d.Breaks("retire: %s drains, which is no new node", n.Name)
		}
	}
	others := d.Sim.Lowered+d.Sim.RaisedBy > 0 || d.Sim.Foreign.Min > 0 // what they changed just now the run could not know
	if most := d.Sim.View.Group.Sizes.Desired - d.Sim.Owed() + d.Sim.Slack; busy > max(0, most) && !others && !slices.ContainsFunc(slices.Sorted(c.nodes.Keys()), func(id string) bool { return c.nodes.Peek(id).Stage == record.Terminating }) {
		d.Breaks("retire: %d nodes are being retired, and the group has %d too many", busy, most)
	}
}

// keepsEven checks that no surplus node begins to drain which leaves the zones further apart than they are, or were, while
// others were left out: the group would even that out by ending a machine that nobody has drained. What hooks were asked about may go,
// and a node before one of a fuller zone that waits for the gate.
func (c *Checker) keepsEven(n record.Node) {
	d := c.d
	if !n.New || d.Run.State != record.Running || d.Run.Settings.BeforeNode > 0 || !slices.ContainsFunc(slices.Sorted(c.nodes.Keys()), func(id string) bool {
		left := c.nodes.Get(id) // one that is left out in this very decision was to go with the others
		return left.New && (left.Stage == record.Skipped || left.Stage == record.NodeFail)
	}) {
		return
	}
	before, after := c.apart(c.nodes, 0), c.apart(d.Run.Nodes, d.Sim.View.Group.Sizes.Desired-d.Sim.Owed())
	if after > max(1, before, c.apartAtStart) {
		d.Breaks("retire: %s drains, others were left out, and the zones are %d machines apart with that, before %d", n.Name, after, before)
	}
}

// apart is by how many machines the zones differ, as far as they stay; so many of the new ones go, those of the fullest
// zones last.
func (c *Checker) apart(nodes shards.Map[record.Node], surplus int) int {
	view, counts, spare := c.d.Sim.View, map[string]int{}, map[string]int{}
	for _, zone := range view.Group.Zones {
		counts[zone] = 0
	}
	if len(counts) == 0 {
		return 0
	}
	for _, m := range view.Machines() {
		n := nodes.Get(m.ID)
		_, ours := counts[m.Zone]
		switch {
		case !ours || m.Leaving() || m.State == world.MachineStandby || n.Stage == record.Terminating:
		case n.Stage == record.Draining || n.Stage == record.Settling:
			surplus--
		default:
			counts[m.Zone]++
			if n.New && (n.Stage == record.Ready || n.Stage == record.Surplus) {
				spare[m.Zone]++
			}
		}
	}
	fullest := func() string {
		return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return counts[a] - counts[b] })
	}
	for zone := fullest(); surplus > 0 && spare[zone] > 0; zone = fullest() {
		counts[zone], spare[zone], surplus = counts[zone]-1, spare[zone]-1, surplus-1
	}
	values := slices.Collect(maps.Values(counts))
	return slices.Max(values) - slices.Min(values)
}

// lacking is what a run knows of machines that its group has not launched.
type lacking struct {
	since  time.Time // since when the group is known to have fewer than it is to have, zero while it has all
	early  time.Time // since when the run ends early, or only retires
	denied bool      // a change that it takes to lower the size, or to launch again after that, was refused then
}

// heard notes that such a change was refused for good.
func (l *lacking) heard(a record.Action, o record.Outcome) {
	if (a.Kind == record.SetSizes || a.Kind == record.Suspend || a.Kind == record.Resume) && o.Verdict == record.Refused && o.Refusal != record.RefusedBusy && o.Refusal != record.RefusedConflict {
		l.denied = l.denied || !l.early.IsZero()
	}
}

// lowersFor is how long a run tries to lower the desired size.
const lowersFor = 2 * time.Minute

// lacks checks that a run which ends early leaves nothing of its raise in the desired size for which there is no
// machine, as far as it lacked that when it began to end: the group would launch it when nobody wants it any more. A run takes nothing back
// once others raise the group.
func (c *Checker) lacks(dec engine.Decision) {
	l, s, now := &c.lacking, c.d.Sim, c.d.Sim.Now()
	size, there := s.View.Group.Sizes.Desired, c.standing()
	if size <= there {
		l.since = time.Time{}
	} else if l.since.IsZero() {
		l.since = now
	}
	if c.early && l.early.IsZero() {
		l.early = now
	}
	if dec.Run.State != record.Finished || !c.early || l.denied || l.since.IsZero() || l.since.After(l.early.Add(s.Config.CloudEvery+s.Config.CloudLag)) || now.Sub(l.early) > lowersFor || size != s.Group.Sizes.Desired || s.RaisedBetween(l.early, now) > 0 {
		return
	}
	if over := size - max(there, s.Owed()); over > 0 && !c.inDoubt(over) && !LeavesDoubt(&dec.Run) {
		c.d.Breaks("sizes: the desired size stays at %d, it is to be %d, and the group has %d machines", size, s.Owed(), there)
	}
}

// takesBack is what others do to the desired size while a run takes its raise back.
type takesBack struct {
	since  time.Time // the last read of the group before that, with none of the run's own changes open
	raised int       // by how much others have raised the desired size since then, as far as the driver has read

	quiet  time.Time // the last read with none of the run's own changes open, zero before a process has read anything
	wanted bool      // one after that has shown the group raised by others
	lives  int       // how many processes had died by then
}

// watchRaises notes by how much others raise the group while the run takes its raise back. The
// record says only in which phase the run is and what it has open: the raises are the simulator's.
func (c *Checker) watchRaises(dec engine.Decision) {
	if !c.sees(world.Cloud) || dec.Run.OnlyRetires() {
		return
	}
	b, read := &c.back, c.d.Sim.View.Health[world.Cloud].Fresh
	if n := len(dec.Run.Phases); n > 0 && !dec.Run.Phases[n-1].Start.IsZero() {
		b.raised = c.d.Sim.RaisedBetween(b.since, read)
	} else if !changesSize(&dec.Run) && !c.d.Failing { // a run takes nothing in while its record cannot be written
		b.since = read
	}
}

// leavesThem checks that a run which takes its raise back ends no more machines for that once it has read that others
// have raised the group meanwhile: they want them.
func (c *Checker) leavesThem(dec engine.Decision) {
	d, b, was := c.d, &c.back, &c.clock.was
	read, n := d.Sim.View.Health[world.Cloud].Fresh, len(was.Phases)
	takes := n > 0 && !was.Phases[n-1].Start.IsZero() && was.Phases[n-1].Name != record.PhaseRetire && dec.Run.State == record.Running
	switch {
	case !takes || b.lives != d.Deaths: // who continues with a run may know less
		b.quiet, b.wanted, b.lives = read, false, d.Deaths
		return
	case c.sees(world.Cloud) && !d.Failing && !changesSize(was) && !changesSize(&dec.Run):
		b.wanted = b.wanted || !b.quiet.IsZero() && d.Sim.ChangedBetween(b.quiet, read) > 0 && d.Sim.Doubted() == 0
		b.quiet = read
	}
	for _, a := range dec.Actions {
		if b.wanted && a.Kind == record.Terminate && a.Decrement && dec.Run.Nodes.Peek(a.Machine).New {
			d.Breaks("retire: %s is to be ended, and others have raised the group since its raise is taken back", a.Machine)
		}
	}
}

// changesSize reports whether a change of the run itself to the desired size may not show yet, or whether
// it was made at all.
func changesSize(r *record.Run) bool {
	if r.Doubted > 0 {
		return true
	}
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

// ResizedAway reports whether others explain what a run leaves of its raise: they have raised the
// group while that was taken back, or lowered it so that it ended the machines of the raise, and
// none is left to retire.
func (c *Checker) ResizedAway(r *record.Run) bool {
	if r.Result != record.NodesLeft || !named(r, figureless(text.DesiredStays(0))) {
		return false
	}
	fresh := slices.ContainsFunc(c.d.Sim.Alive(), func(m *sim.Machine) bool { return r.Nodes.Peek(m.ID).New })
	return c.back.raised > 0 || c.d.Sim.Lowered > 0 && !fresh
}
