package check

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// isGardener reports whether the run is by Gardener's rules for rolling updates.
func (c *Checker) isGardener() bool { return strings.HasPrefix(c.d.Run.Strategy, "gardener") }

// zoneShare is what a zone may have more and miss: numbers go to the zones in turn, a
// share is one of each zone; where both are nothing, one machine may be missing.
func (c *Checker) zoneShare(zone string) (surge, missing int) {
	k, zones := &c.d.Run.Settings, c.d.Sim.Group.Zones
	part := func(a record.Amount, up bool) (n int) {
		if a.Percent {
			return a.Of(c.d.Run.Zones[zone], up)
		}
		for given := range a.N { // one after the other
			if zones[given%len(zones)] == zone {
				n++
			}
		}
		return n
	}
	surge, missing = part(k.MaxSurge, true), part(k.MaxUnavailable, false)
	if surge+missing == 0 {
		missing = 1
	}
	return surge, missing
}

// zoneRolls checks, when the drain of a node that serves begins, that its zone can spare
// it by what the driver sees: no more are out of service than its share, and as many serve
// as have to.
func (c *Checker) zoneRolls(id string, n record.Node) {
	d, view := c.d, c.d.Sim.View
	m := view.Machine(id)
	if !c.isGardener() || n.New || d.Run.State == record.Ending || c.worksOn(id) || m == nil || !c.takesPods(m) {
		return
	}
	out, serve, there, all := c.zoneCounts(n.Zone)
	surge, missing := c.zoneShare(n.Zone)
	if out > surge+missing {
		d.Breaks("zones: %d nodes of zone %s are out of service, %d may be", out, n.Zone, surge+missing)
	}
	coming := max(0, view.Group.Sizes.Desired-all)
	size := d.Run.Zones[n.Zone]
	if missing == 0 && there <= size && coming == 0 {
		missing = 1 // its share of the surge is elsewhere
	}
	if least := min(size, there+coming) - missing; serve < least {
		d.Breaks("zones: the drain of %s leaves %d nodes of zone %s in service, %d have to be", n.Name, serve, n.Zone, least)
	}
}

// zoneCounts counts a zone's machines as the driver sees them: those out of service by the
// run, those that serve, those that are there; and those of all zones.
func (c *Checker) zoneCounts(zone string) (out, serve, there, all int) {
	d := c.d
	for _, other := range d.Sim.View.Machines() {
		stage := d.Run.Nodes.Peek(other.ID).Stage
		works := stage == record.Draining || stage == record.Settling || stage == record.Terminating
		if works && other.Zone == zone && (c.worksOn(other.ID) || c.takesPods(other)) {
			out++ // one that begins beside it and serves nobody takes nothing from the zone
		}
		if other.Leaving() || other.State == world.MachineStandby || other.Detached {
			continue
		}
		all++
		if other.Zone != zone {
			continue
		}
		there++
		if !works && c.takesPods(other) {
			serve++
		}
	}
	return out, serve, there, all
}

// openEnds is by how much the ends of other machines take the group's size down that do not show yet: they are under way, or
// were refused, and are asked for again.
func (c *Checker) openEnds(but string) (less int) {
	for key := range c.open {
		if on := c.d.Saved.Pending[key].Action; on.Kind == record.Terminate && on.Decrement {
			less++
		}
	}
	for id, n := range c.d.Saved.Nodes.All() {
		m := c.d.Sim.View.Machine(id)
		if n.Stage == record.Terminating && n.Decrement && id != but && m != nil && !m.Leaving() && !c.open["terminate/"+id] {
			less++
		}
	}
	return less
}

// takesDown checks that the end of an old machine takes the group's size down where its zone has as many new ones as it is to
// have: no more machines come than stay. Asked again for what failed, or long after its drain, it stays what it was.
func (c *Checker) takesDown(a record.Action) {
	d, view := c.d, c.d.Sim.View
	n := d.Run.Nodes.Get(a.Machine)
	if a.Decrement || n.New || len(c.vigil(a.Machine).asked) > 0 || d.Sim.Now().Sub(n.Since) > time.Minute || d.Run.Strategy != "gardener" && d.Run.Strategy != "gardener-seed" || d.Run.State != record.Running {
		return
	}
	fresh := 0
	for _, m := range view.Machines() {
		if m.Zone == n.Zone && d.Run.Nodes.Peek(m.ID).New && !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			fresh++
		}
	}
	size := d.Run.Zones[n.Zone]
	desired := min(view.Group.Sizes.Desired, d.Sim.Group.Sizes.Desired) // what was granted may not show yet
	if more := desired - c.openEnds(a.Machine) - d.Sim.Owed() - d.Sim.Slack - c.lostRaises; fresh >= size && more > 0 {
		d.Breaks("zones: %s is ended and the group is to have as many machines as before, %d more than it returns to, and zone %s has %d new ones, it is to have %d", a.Machine, more, n.Zone, fresh, size)
	}
}

// started checks that a run which selects nodes by hand waits for its pool's controllers, while they have not begun and no node
// awaits its update, with an end: --wait-for-start.
func (c *Checker) started(r *record.Run) {
	d, now := c.d, c.d.Sim.Now()
	p := d.Sim.View.Group.Pool
	if r.Strategy != "gardener-manual" || r.State != record.Running || d.Failing || p == nil || p.Progress == nil || p.Progress.Observed == p.Progress.Generation ||
		len(r.Order) > 0 || !c.sees(world.Cluster) || !c.sees(world.Cloud) || !c.readOnce() {
		c.idle = time.Time{}
		return
	}
	if c.idle.IsZero() {
		c.idle = now
	}
	if w := r.PhaseWait; now.After(c.idle) && (w == nil || w.End.Sub(w.Start) < r.Settings.WaitForStart) {
		d.Breaks("in place: the pool's controllers have not begun, and the run does not wait for them for %s: %+v", r.Settings.WaitForStart, w)
	}
}

// takesPods reports whether the driver sees a machine serve: its node is Ready, and wears no
// cordon but ours.
func (c *Checker) takesPods(m *world.Machine) bool {
	n := c.d.Sim.View.NodeOf(m.ID)
	return n != nil && n.Ready && m.State == world.MachineInService && (!n.Unschedulable || c.ourCordon(m.ID, n.Name))
}

// worksOn reports whether a machine was in work before the decision that is being looked at.
func (c *Checker) worksOn(id string) bool {
	stage := c.nodes.Peek(id).Stage
	return stage == record.Draining || stage == record.Settling || stage == record.Terminating
}

// cordoned checks that a node was cordoned before its first pod is asked to go.
func (c *Checker) cordonedFirst(a record.Action) {
	n := c.d.Sim.Truth.Node(a.Node)
	if c.isGardener() && n != nil && !n.Unschedulable && !c.wasCordoned[a.Machine] {
		c.d.Breaks("cordon: %s is asked to leave %s, which was not cordoned", a.Pod, a.Node)
	}
}

// cordons notes which nodes have been cordoned since their drain began; who lifts that is
// not us. Another user's cordon counts until the View shows that it is off: nobody can know of it
// sooner. One that we have lifted does not.
func (c *Checker) cordons() {
	for id, n := range c.d.Run.Nodes.All() {
		truth, seen := c.d.Sim.Truth.NodeOf(id), c.d.Sim.View.NodeOf(id)
		if seen == nil || !seen.Unschedulable {
			delete(c.uncordoned, id)
		}
		if n.Stage == record.Draining && truth != nil {
			cordoned := truth.Unschedulable || seen != nil && seen.Unschedulable && !c.uncordoned[id]
			c.wasCordoned[id] = cordoned || c.wasCordoned[id] && c.nodes.Peek(id).Stage == record.Draining
		}
	}
}

// uncordons notes which nodes we have uncordoned.
func (c *Checker) uncordons(a record.Action) {
	if n := c.d.Sim.Truth.NodeOf(a.Machine); a.Kind == record.Uncordon && n != nil && !n.Unschedulable {
		c.uncordoned[a.Machine] = true
	}
}

// triedOften checks an order to delete one pod that nobody has given: its budget has kept
// it for as many tries as there are to be, and is not one that those do not count for.
func (c *Checker) triedOften(o record.ForceOrder) {
	d, k := c.d, &c.d.Run.Settings
	if o.UID == "" || slices.ContainsFunc(c.commands, func(say record.Command) bool { return say.Kind == record.CmdForce && say.UID == o.UID }) {
		return
	}
	p := d.Sim.View.Pod(o.UID)
	if p == nil || k.EvictRetries == 0 {
		d.Breaks("retries: force order %s for a pod that is not there, or with no bound on tries", o.ID)
		return
	}
	tries := min(k.EvictRetries, max(1, int(k.DrainTimeout/k.EvictionRetry)))
	known := d.Run.Pods.Get(o.UID)
	if waited := d.Sim.Now().Sub(c.due[o.UID]); c.due[o.UID].IsZero() || waited < time.Duration(tries)*k.EvictionRetry-time.Second {
		d.Breaks("retries: force order %s for %s after %s and %d turns, it has %d", o.ID, p.Ref(), waited, known.Rounds, tries)
	}
	c.shownDue(o, p)
	budgets := d.Sim.View.BudgetsOf(p)
	if len(budgets) != 1 || budgets[0].Allowed > 0 && budgets[0].Current {
		d.Breaks("retries: force order %s for %s, whose budgets do not keep it", o.ID, p.Ref())
		return
	}
	if c.neverOpens(p) {
		d.Breaks("retries: force order %s for %s, whose budget never opens", o.ID, p.Ref())
	}
}

// shownDue checks that the screen showed a pod as due to be forced when the order was given.
func (c *Checker) shownDue(o record.ForceOrder, p *world.Pod) {
	d := c.d
	for _, b := range snapshot.View(d.Rules, d.Sim.Now(), d.Sim.View, c.clock.was, snapshot.Look{}, nil).Blockers {
		if b.UID == o.UID && b.Deadline != nil && b.Deadline.For == blockers.UntilPodForced && (b.Refusals > 0 || b.Deadline.End.After(d.Sim.Now())) {
			d.Breaks("retries: force order %s for %s, and the screen says: after %d more refusals, in %s", o.ID, p.Ref(), b.Refusals, b.Deadline.End.Sub(d.Sim.Now()))
		}
	}
}

// waits notes since when the pods of draining nodes have been due.
func (c *Checker) waits() {
	for uid, p := range c.d.Run.Pods.All() {
		if c.restarts[uid] {
			if pod := c.d.Sim.View.Pod(uid); !p.Round.Equal(c.d.Sim.Now()) || pod == nil || c.neverOpens(pod) {
				continue
			}
			delete(c.restarts, uid)
		}
		if _, known := c.due[uid]; !known && p.Rounds+p.Tries > 0 {
			c.due[uid] = c.d.Sim.Now()
		}
	}
}

// misruled notes that a pod was refused by a budget which never opens: that is none of its tries, and they begin again.
func (c *Checker) misruled(a record.Action, o record.Outcome) {
	if p := c.d.Sim.View.Pod(a.UID); a.Kind == record.Evict && o.Refusal == record.RefusedBudget && p != nil && c.neverOpens(p) {
		c.restarts[a.UID] = true
		delete(c.due, a.UID)
	}
}

// neverOpens reports whether the only budget of a pod is one that lets none go while all its pods are healthy, where
// such ones are told apart.
func (c *Checker) neverOpens(p *world.Pod) bool {
	budgets := c.d.Sim.View.BudgetsOf(p)
	if len(budgets) != 1 || c.d.Run.Settings.MisconfiguredRetry == 0 {
		return false
	}
	b := budgets[0]
	return b.Current && b.Expected > 0 && b.Healthy >= b.Expected && b.Allowed == 0
}

// kept checks that a pod which its budget has kept for as many tries as there are to be is deleted, as
// --max-evict-retries says, and not left to the end of its node's time.
func (c *Checker) kept(dec engine.Decision) {
	d, r := c.d, &dec.Run
	for uid, p := range r.Pods.All() {
		pod := d.Sim.View.Pod(uid)
		_, asked := r.Pending[record.EvictKey(uid)] // nobody can tell what came of that
		if waited := c.lasts(c.full, uid, !asked && c.isFull(r, uid, p) && !c.awaitsVolume(pod)); waited > 3*r.Settings.EvictionRetry+Slack {
			d.Breaks("retries: %s was tried %d times, and has not been deleted for %s", p.Ref, p.Rounds, waited)
		}
	}
}

// isFull reports whether a pod of a node that drains has been tried often enough, and nobody has ordered its delete.
func (c *Checker) isFull(r *record.Run, uid string, p record.Pod) bool {
	k, view := &r.Settings, c.d.Sim.View
	pod := view.Pod(uid)
	if k.OnDrainTimeout != record.TimeoutForce || k.EvictRetries == 0 || p.Rounds < min(k.EvictRetries, max(1, int(k.DrainTimeout/k.EvictionRetry))) || p.Forced || pod == nil || pod.Terminating() ||
		r.State != record.Running || c.d.Failing || !c.sees(world.Cluster) || !c.readOnce() {
		return false
	}
	node, budgets := view.Node(pod.Node), view.BudgetsOf(pod)
	if node == nil || r.Nodes.Peek(node.Machine).Stage != record.Draining || len(budgets) != 1 || budgets[0].Allowed > 0 || !budgets[0].Current || budgets[0].Healthy >= budgets[0].Expected {
		return false
	}
	return !slices.ContainsFunc(r.Orders, func(o record.ForceOrder) bool {
		return o.Machine == node.Machine && (o.UID == "" || o.UID == uid) && !o.Over
	})
}

// inTurn checks that pods with persistent volumes leave a node one after the other, as by Gardener's controllers: its document
// says nothing of them.
func (c *Checker) inTurn(a record.Action) {
	d := c.d
	if p := d.Sim.View.Pod(a.UID); p != nil && c.awaitsVolume(p) {
		d.Breaks("volumes: %s is asked to leave %s while another one with a volume is on its way", p.Ref(), a.Node)
	}
}

// awaitsVolume reports whether another pod with a persistent volume is on its way from a pod's node, which has to leave after it.
func (c *Checker) awaitsVolume(p *world.Pod) bool {
	if !p.Volume || c.d.Run.Strategy != "gardener" && c.d.Run.Strategy != "gardener-inplace" {
		return false
	}
	return slices.ContainsFunc(c.d.Sim.View.PodsOn(p.Node), func(other *world.Pod) bool {
		return other.Volume && other.UID != p.UID && (other.Terminating() || c.open["evict/"+other.UID])
	})
}

// shoot checks that a run that has left no node out does not succeed before Gardener is done
// with the pool.
func (c *Checker) shoot() {
	d := c.d
	p := d.Sim.Group.Pool
	if p == nil || p.Progress == nil || d.Run.Result != record.Succeeded {
		return
	}
	for _, n := range d.Run.Nodes.All() {
		if n.Stage == record.Skipped || n.Stage == record.NodeFail {
			return
		}
	}
	if g := p.Progress; len(d.Run.Target.Only) == 0 && (g.Observed != g.Generation || g.State != "Succeeded") {
		d.Breaks("rule 4: succeeded, and Gardener is not done with the Shoot: generation %d, observed %d, %s", g.Generation, g.Observed, g.State)
	}
}
