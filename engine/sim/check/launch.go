package check

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// launches is how long the machines that a run of an EKS strategy depends on have been on
// their way: usable time, by what the driver could see.
type launches struct {
	joining map[string]time.Duration // machines of the target that have not been Ready yet
	joined  map[string]bool          // those that have
	missing time.Duration            // since the group lacks a machine, or one last joined
	forgone int                      // machines that it lacked when the first drain began
	resumed time.Time                // when the last process began, zero for the first one
	asleep  bool                     // until the first decision of a process: nobody saw them
}

func (l launches) clone() launches {
	l.joining, l.joined = maps.Clone(l.joining), maps.Clone(l.joined)
	return l
}

// overdueGrace is how long an overdue launch may go without a word: the cloud is asked first
// what is wrong with it, and its answers may get lost.
const overdueGrace = time.Minute + Slack

// onTheirWay adds a stretch of usable time to the launches that are under way.
func (c *Checker) onTheirWay(passed time.Duration) {
	d, view, l := c.d, c.d.Sim.View, &c.launches
	if view.Health[world.Cloud].Fresh.IsZero() {
		return // a process that has just begun
	}
	if l.asleep {
		passed, l.asleep = 0, false
	}
	there := 0
	for _, m := range view.Machines() {
		if m.Leaving() || m.State == world.MachineStandby || m.Detached {
			delete(l.joining, m.ID)
			continue
		}
		there++
		switch {
		case l.joined[m.ID] || !slices.Contains(d.Run.Target.Templates, m.Template):
		case c.joinedBy(m):
			l.joined[m.ID], l.missing = true, 0
			delete(l.joining, m.ID)
		case c.dependsOnLaunches(d.Run): // else it has its time from the start of the phase that does
			l.joining[m.ID] += passed
		}
	}
	for id := range l.joining {
		if view.Machine(id) == nil {
			delete(l.joining, id)
		}
	}
	size := min(view.Group.Sizes.Desired, d.Sim.Group.Sizes.Desired) // it may be lower than it is seen: an end has taken it down
	lacks := max(0, size-max(0, d.Sim.Foreign.Desired)-there)
	if len(c.service.touched) == 0 {
		l.forgone = lacks
	}
	l.forgone = min(l.forgone, max(lacks, view.Group.Sizes.Desired-max(0, d.Sim.Foreign.Desired)-there)) // as it is seen
	if l.missing += passed; lacks == l.forgone {
		l.missing = 0
	}
}

// forget takes off the usable time that no record tells of: the process that has died did not write what it saw last.
func (l *launches) forget(saved, last, now time.Time) {
	if saved.Before(l.resumed) { // what was before that is forgotten already
		saved = l.resumed
	}
	l.resumed, l.asleep = now, true
	lost := max(0, last.Sub(saved))
	l.missing = max(0, l.missing-lost)
	for id, had := range l.joining {
		l.joining[id] = max(0, had-lost)
	}
}

// joinedBy reports whether a machine's node is Ready and labelled.
func (c *Checker) joinedBy(m *world.Machine) bool {
	n := c.d.Sim.View.NodeOf(m.ID)
	return n != nil && n.Ready && m.State == world.MachineInService && !slices.ContainsFunc(slices.Sorted(maps.Keys(c.d.Run.Settings.NewLabels)), func(label string) bool {
		got, there := n.Labels[label]
		return !there || c.d.Run.Settings.NewLabels[label] != "" && got != c.d.Run.Settings.NewLabels[label]
	})
}

// overdueBy names the launch that is the longest over its time, and by how much.
func (c *Checker) overdueBy() (what string, by time.Duration) {
	limit := c.d.Run.Settings.NodeReadyTimeout
	for _, h := range c.d.Sim.Group.LifecycleHooks {
		if h.Launching {
			limit = max(limit, c.d.Run.Settings.NodeReadyTimeout+h.Timeout)
		}
	}
	what, by = "a machine that is not launched", c.launches.missing-limit
	for _, id := range slices.Sorted(maps.Keys(c.launches.joining)) {
		if over := c.launches.joining[id] - limit; over > by {
			what, by = id, over
		}
	}
	return what, by
}

// awaits checks that a run of an EKS strategy neither waits for an overdue launch without a
// word, nor begins a drain beside one.
func (c *Checker) awaits(dec engine.Decision) {
	d := c.d
	for _, e := range dec.Events {
		if e.Type == record.RunPaused && strings.HasPrefix(e.Reason, overduePause) { // who resumes it gives them their time again
			clear(c.launches.joining)
			c.launches.missing = 0
		}
	}
	if dec.Run.State != record.Running || !strings.HasPrefix(dec.Run.Strategy, "eks") && !c.isOwn() || !c.dependsOnLaunches(dec.Run) || c.keepsSize(dec.Run) {
		return
	}
	c.standsIn(&dec.Run)
	what, by := c.overdueBy()
	if by > overdueGrace && !c.awaitsPhase(&dec.Run) {
		d.Breaks("launches: %s is overdue by %s, and the run continues", what, by)
	}
	grace := Slack
	if d.Deaths > 0 { // who continues with a run cannot tell what the process before saw last
		grace = overdueGrace
	}
	for id, n := range dec.Run.Nodes.All() {
		was := c.nodes.Peek(id).Stage
		if n.Stage == record.Draining && n.Since.Equal(d.Sim.Now()) && was != record.Settling && was != record.Terminating && by > grace {
			d.Breaks("launches: the drain of %s begins, and %s is overdue by %s", n.Name, what, by)
		}
	}
}

// awaitsPhase reports whether a run waits for the approval of a phase, or did until just now, and says so: what is overdue holds
// it after that.
func (c *Checker) awaitsPhase(r *record.Run) bool {
	return slices.ContainsFunc(r.Batches, func(b record.Batch) bool {
		return b.Phase != "" && (b.Approved.IsZero() || c.d.Sim.Now().Sub(b.Approved) <= Slack)
	})
}

// keepsSize reports whether others have raised the group while the run takes its raise back, and the run says
// that the group keeps its size: then it only puts its changes back, and waits for no launch.
func (c *Checker) keepsSize(r record.Run) bool {
	return c.back.raised > 0 && notes(&r, figureless(systems.SizeLeft("", 0)))
}

// standsIn checks that a wait which begins for machines in the place of others, while nodes are replaced, is for
// one that has not joined, or that the group lacks of those which are not others' alone: what these have added
// since the raise, if they have, keeps no drain back.
func (c *Checker) standsIn(r *record.Run) {
	view, w := c.d.Sim.View, r.PhaseWait
	if w == nil || w.For != record.WaitReplacements || !w.Start.Equal(c.d.Sim.Now()) || r.State != record.Running || c.meantAt.IsZero() || len(c.launches.joining) > 0 {
		return
	}
	if last := len(r.Phases) - 1; last < 0 || !r.Phases[last].Start.IsZero() { // at the end it waits for all
		return
	}
	joins := func(m *world.Machine) bool { // a resumed run waits for it once more
		n := view.NodeOf(m.ID)
		return !m.Leaving() && (n == nil || !n.Ready && r.Nodes.Peek(m.ID).Stage == record.Launching)
	}
	if c.shrinks(r) || slices.ContainsFunc(view.Machines(), joins) || !c.d.Sim.Grew && c.raised { // or the raise was not made, and that of others passes for it
		return
	}
	since := c.meantAt
	if r.Inherited != nil { // it counts what others change from its start on
		since = r.Started
	}
	theirs := max(0, c.d.Sim.ChangedBetween(since, view.Health[world.Cloud].Fresh))
	if size, there := view.Group.Sizes.Desired, c.staying(r); theirs > 0 && size-theirs-there <= 0 {
		c.d.Breaks("launches: the run waits for machines in the place of others, and lacks none: the group has %d of %d, of which others have added %d since the raise", there, size, theirs)
	}
}

// shrinks reports whether the run ends a machine that takes the desired size down with it, and the group still
// shows that machine: what is missing then, the next look tells.
func (c *Checker) shrinks(r *record.Run) bool {
	for id, n := range r.Nodes.All() {
		_, refused := r.Retries["terminate/"+id]
		if m := c.d.Sim.View.Machine(id); n.Stage == record.Terminating && (n.Decrement || refused) && m != nil && !m.Leaving() {
			return true
		}
	}
	return false
}

// staying counts the machines that the group is known to have, without those that are about to go and to be
// replaced.
func (c *Checker) staying(r *record.Run) (n int) {
	for _, m := range c.d.Sim.View.Machines() {
		_, ends := r.Pending["terminate/"+m.ID]
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby && !(ends && !r.Nodes.Peek(m.ID).Decrement) {
			n++
		}
	}
	return n
}

// dependsOnLaunches reports whether the current phase waits for new machines, or ends old
// ones.
func (c *Checker) dependsOnLaunches(r record.Run) bool {
	return slices.ContainsFunc(r.Phases, func(p record.Phase) bool {
		if p.Name == "scale up" && !c.raised && c.heritage == 0 { // its time begins with the raise
			return false
		}
		return p.End.IsZero() && !p.Start.IsZero() && !slices.Contains([]string{"setup", "cordon", record.PhaseRetire}, p.Name)
	})
}
