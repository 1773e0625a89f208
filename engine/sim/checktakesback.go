package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

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
