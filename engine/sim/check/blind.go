package check

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// darkness is the time in which the run's cluster was not seen, while the run ran: all of it, and
// that in which a machine of its own had ended and the cluster was not found valid since.
type darkness struct {
	all, after, told time.Duration
	seen             time.Time       // the last decision
	state            record.State    // before this decision
	paused           bool            // the run has paused itself for it
	granted          map[string]bool // machines whose end was granted, as the driver knows
}

// blindPause begins the reason of a run that pauses itself because it does not see its cluster.
const blindPause = "no view of the cluster"

// darkens checks that no wait for sight of the cluster after the run's own end of a machine is
// endless or silent: it is told again and again, and pauses the run after the time that a
// validation has, not sooner. It never ends the run (rule 10).
func (c *Checker) darkens(dec engine.Decision) {
	d, k := c.d, &c.dark
	passed := d.Sim.Now().Sub(k.seen)
	if passed > longGap || k.seen.IsZero() {
		passed = 0
	}
	k.seen = d.Sim.Now()
	was, limit := k.state, d.Run.Settings.ValidateTimeout
	if resumed := k.paused && was == record.Paused && dec.Run.State != record.Paused; c.sees(world.Cluster) || !c.validates() || resumed {
		k.all, k.after, k.told, k.paused = 0, 0, 0, false
		return
	}
	if was == record.Paused {
		if slices.ContainsFunc(dec.Events, pausedBlind) {
			d.Breaks("rule 10: the run has paused itself in the moment in which it was resumed")
		}
		return
	}
	if k.all += passed; slices.ContainsFunc(slices.Sorted(maps.Keys(c.kops.out)), c.knowsEnded) {
		k.after += passed
	} else {
		k.after, k.told = 0, 0
	}
	c.tellsBlind(dec.Events)
	if dec.Run.State != record.Running {
		return
	}
	if k.after > limit+longGap {
		d.Breaks("every wait ends: the cluster has not been seen for %s since a machine was ended, and the run waits", k.after)
	}
	if k.after-k.told > time.Minute+longGap+2*Slack {
		d.Breaks("every wait is told: nothing was told for %s of a cluster that is not seen", k.after-k.told)
	}
}

// tellsBlind notes what events say about a cluster that is not seen, and checks that the run does not pause itself
// too soon.
func (c *Checker) tellsBlind(events []record.Event) {
	k, limit, grace := &c.dark, c.d.Run.Settings.ValidateTimeout, Slack
	if c.d.Deaths > 0 { // who continues with a run counts from when it was last written, if that is no gap
		grace += longGap
	}
	for _, e := range events {
		if e.Type == record.Warning && e.Reason == record.ReasonBlind {
			k.told = k.after
		}
		if !pausedBlind(e) {
			continue
		}
		if k.paused = true; k.all < limit-grace {
			c.d.Breaks("rule 10: the run has paused itself after %s without a view of the cluster, it has %s", k.all, limit)
		}
	}
}

// pausedBlind reports whether an event tells that the run has paused itself because it does not see its cluster.
func pausedBlind(e record.Event) bool {
	return e.Type == record.RunPaused && strings.HasPrefix(e.Reason, blindPause)
}

// knowsEnded reports whether the driver can know that a machine ends that the run wants ended: it
// has asked for that, or the cloud shows it. A process that has not read both sources yet notices nothing.
func (c *Checker) knowsEnded(id string) bool {
	v := c.d.Sim.View
	m, read := v.Machine(id), !v.Health[world.Cloud].Fresh.IsZero() && !v.Health[world.Cluster].Fresh.IsZero()
	return c.open["terminate/"+id] || c.dark.granted[id] || read && (m == nil || m.Leaving())
}

// Unwritten checks a decision that was taken while the run record cannot be written: it asks
// for nothing, no drain starts, and the run neither fails nor succeeds (rule 10). It ends if
// its operator says so.
func (c *Checker) Unwritten(before record.Run, in engine.Inputs, dec engine.Decision) {
	d := c.d
	if len(dec.Actions) > 0 {
		d.Breaks("write first: %s %s asked for while the record cannot be written", dec.Actions[0].Kind, dec.Actions[0].Key)
	}
	for id, n := range dec.Run.Nodes.All() {
		switch was := before.Nodes.Get(id); {
		case n.Stage == was.Stage:
		case n.Stage == record.Draining, n.Stage == record.Settling, n.Stage == record.Terminating, n.Stage == record.NodeFail, n.Order != was.Order:
			d.Breaks("rule 10: %s is %s, was %s, while the record cannot be written", n.Name, n.Stage, was.Stage)
		}
	}
	aborted := slices.ContainsFunc(in.Commands, func(k record.Command) bool { return k.Kind == record.CmdAbort })
	if now := dec.Run.State; now != before.State && (now == record.Finished || now == record.Ending && !aborted) {
		d.Breaks("rule 10: the run is %s, was %s, while the record cannot be written: %s", now, before.State, dec.Run.Why)
	}
}

// named checks that what is asked for by a node's name is for the node of the machine that
// it is meant for: names are given out again.
func (c *Checker) named(a record.Action) {
	switch a.Kind {
	case record.AddTaint, record.RemoveTaint, record.Cordon, record.Uncordon, record.AddLabel, record.RemoveLabel, record.Annotate, record.Unannotate, record.Evict, record.Delete:
	default:
		return
	}
	if n := c.d.Sim.View.Node(a.Node); n != nil && n.Machine != "" && a.Machine != "" && n.Machine != a.Machine {
		c.d.Breaks("names: %s %s is meant for %s, and %s is the node of %s now", a.Kind, a.Key, a.Machine, a.Node, n.Machine)
	}
}
