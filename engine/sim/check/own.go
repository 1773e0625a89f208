package check

import (
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// By our own rules (strategy drainboard) the limit is what stands in for others and what may be missing;
// drains begin in waves of 1, 2, 4, ... and none beside replacements that crash-loop.

func (c *Checker) isOwn() bool { return c.d.Run.Strategy == "drainboard" }

// spare is how many nodes may be missing from service, a share of the size before the run rounded down.
func (c *Checker) spare() int {
	set := c.d.Run.Settings.MaxUnavailable
	n := set.N
	if set.Percent {
		n = set.N * c.size / 100
	}
	if c.d.Run.Raised && c.d.Run.Raise <= c.d.Run.Lowered { // nothing is left of the surge
		return max(1, n)
	}
	return n
}

// raisesOwn checks that a raise is maxSurge, or no more than are to be replaced.
func (c *Checker) raisesOwn(a record.Action) {
	d := c.d
	if a.Key != record.RaiseKey || !c.isOwn() || c.heritage > 0 || d.Run.Inherited != nil {
		return
	}
	going := 0
	for _, n := range d.Run.Nodes.All() {
		if !n.New && (n.Stage == record.Outdated || n.Stage == record.Queued) {
			going++
		}
	}
	surge := d.Run.Settings.MaxSurge
	grows := a.Sizes.Desired - a.From.Desired
	for _, size := range []int{a.From.Desired, c.size} { // of the size at the start, or of what others have made of it since
		if grows == min(surge.Of(size, true), going) {
			c.grew = grows
			return
		}
	}
	if !c.raised || grows != c.grew { // what others have made of the group since is not counted in
		d.Breaks("surge: --max-surge %s raises the group by %d, of %d outdated nodes", surge, grows, going)
	}
}

// isClosed reports whether a node that others have not cordoned is closed to pods by the run.
func isClosed(n *world.Node) bool {
	return n != nil && !n.Unschedulable && n.HasTaint(world.Taint{Key: world.ClosedTaint, Effect: "NoSchedule"})
}

// reopened is how long an outdated node may take no pods after the last new one of its zone that does has gone.
const reopened = 30 * time.Second

// opens checks that an outdated node which is not drained takes pods again where others have taken away the new nodes of its
// zone that they were to move to.
func (c *Checker) opens(dec engine.Decision) {
	d, view, r := c.d, c.d.Sim.View, &dec.Run
	if !c.isOwn() || r.State != record.Running || d.Failing || !c.sees(world.Cluster) || !c.sees(world.Cloud) || !c.readOnce() || len(r.Order) == 0 {
		clear(c.closed)
		return
	}
	open := map[string]bool{}
	for _, m := range view.Machines() {
		open[m.Zone] = open[m.Zone] || r.Nodes.Peek(m.ID).New && !m.Leaving() && takes(view.NodeOf(m.ID))
	}
	for id, n := range r.Nodes.All() {
		_, refused := r.Retries["untaint/"+id+"/"+world.ClosedTaint]
		waits := n.Stage == record.Outdated || n.Stage == record.Queued
		if waited := c.lasts(c.closed, id, waits && !open[n.Zone] && !refused && isClosed(view.NodeOf(id))); waited > reopened {
			d.Breaks("own: %s has been closed for %s, and no new node of zone %s takes pods", n.Name, waited, n.Zone)
		}
	}
}

// takes reports whether a node takes pods.
func takes(n *world.Node) bool { return n != nil && n.Ready && !n.Unschedulable }

// waves checks, when drains have begun, that no more nodes drain side by side than one more than have
// drained before, as waves that double do.
func (c *Checker) waves(dec engine.Decision) {
	if !c.isOwn() {
		return
	}
	begins, draining := 0, 0
	for id, n := range dec.Run.Nodes.All() {
		was := c.nodes.Get(id)
		if was.Stage == record.Draining && n.Stage != record.Draining && !n.New {
			c.drainedOnce[id] = true
		}
		switch {
		case n.New || n.Began.IsZero() || c.drainedOnce[id]: // one drains again that counted already
		case n.Stage == record.Draining && was.Stage != record.Draining:
			if m := c.d.Sim.View.Machine(id); m == nil || !c.serves(m) {
				continue // nothing is lost with it
			}
			begins, draining = begins+1, draining+1
		case n.Stage == record.Draining:
			draining++
		}
	}
	if dec.Run.State != record.Running {
		return
	}
	if begins > 0 && draining > len(c.drainedOnce)+1 {
		c.d.Breaks("waves: %d nodes drain at once, and %d have drained before", draining, len(c.drainedOnce))
	}
	if w := dec.Run.Wave; begins > 0 && (w == nil || w.Trouble != "") {
		c.d.Breaks("waves: a drain begins in wave %+v", w)
	}
}
