package check

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// eviction checks rule 2 when an eviction is sent: it names, by its UID, a pod
// that is there, that has to leave, and whose node the saved record drains.
func (c *Checker) eviction(a record.Action) {
	d := c.d
	p := d.Sim.View.Pod(a.UID)
	if p != nil {
		c.returns(p)
		delete(c.barred, a.UID)
		c.owners[a.UID] = p.Owner.UID
	}
	switch {
	case p == nil:
		d.Breaks("rule 2: eviction of %s/%s with UID %q, which no pod has", a.Namespace, a.Pod, a.UID)
	case p.Namespace != a.Namespace || p.Name != a.Pod || p.Node != a.Node:
		d.Breaks("rule 2: eviction of %s/%s on %s with the UID of %s on %s", a.Namespace, a.Pod, a.Node, p.Ref(), p.Node)
	case drain.Judge(d.Sim.View, p, c.consents()).Fate != drain.Leaves:
		d.Breaks("rule 2: eviction of %s, which %s", p.Ref(), drain.Judge(d.Sim.View, p, c.consents()).Reason.Sentence())
	case d.Saved.Nodes.Peek(a.Machine).Stage != record.Draining || d.Saved.Nodes.Peek(a.Machine).Name != a.Node:
		d.Breaks("rule 2: eviction of %s from %s, which the saved record does not drain", p.Ref(), a.Node)
	}
}

// consents are those that a drain goes by: Gardener and kops take pods without a controller and data in emptyDir
// volumes with them, even where others are asked.
func (c *Checker) consents() drain.Consents {
	all, k := c.isGardener() || c.isKops(), &c.d.Run.Settings
	return drain.Consents{Unmanaged: all || k.Unmanaged, EmptyDir: all || k.EmptyDir}
}

// soonAsked is how long a pod that no budget covers may be on a node that drains before it is asked to leave.
const soonAsked = 20 * time.Second

// isToAsk reports whether a pod is to be asked to leave its node now: nothing is to be waited for.
func (c *Checker) isToAsk(p *world.Pod) bool {
	_, asked := c.owners[p.UID]
	return !asked && !p.Terminating() && !p.Volume && !p.ToleratesAll && len(c.d.Sim.View.BudgetsOf(p)) == 0 &&
		drain.Judge(c.d.Sim.View, p, c.consents()).Fate == drain.Leaves
}

// asks checks that every pod that has to leave a node that drains, and that no budget covers, is asked to, soon.
func (c *Checker) asks(dec engine.Decision) {
	d, view := c.d, c.d.Sim.View
	if dec.Run.State != record.Running || d.Failing || !c.sees(world.Cluster) || !c.readOnce() {
		clear(c.unasked)
		return
	}
	now := map[string]time.Time{}
	for id, n := range dec.Run.Nodes.All() {
		node := view.Node(n.Name)
		if n.Stage != record.Draining || n.Order != "" || node == nil || node.Machine != id || !c.worksOn(id) || setsApart(&dec.Run, id) {
			continue
		}
		for _, p := range view.PodsOn(n.Name) {
			if _, asks := dec.Run.Pending[record.EvictKey(p.UID)]; asks || !c.isToAsk(p) || dec.Run.Pods.Peek(p.UID).Returns > 0 { // one that came back waits longer each time
				continue
			}
			now[p.UID] = cmp.Or(c.unasked[p.UID], d.Sim.Now())
			if waited := d.Sim.Now().Sub(now[p.UID]); waited > soonAsked {
				d.Breaks("drains: %s is on %s, which drains, and has not been asked to leave it for %s", p.Ref(), n.Name, waited)
			}
		}
	}
	c.unasked = now
}

// setsApart reports whether something is done with a machine before its first eviction that is not over.
func setsApart(r *record.Run, machine string) bool {
	if w := r.Nodes.Peek(machine).Wait; w != nil && w.For == record.WaitDeregister {
		return true
	}
	for _, p := range r.Pending {
		if p.Action.Machine == machine && p.Action.Kind != record.Evict {
			return true
		}
	}
	for key := range r.Retries {
		if strings.Contains(key, "/"+machine+"/") || strings.HasSuffix(key, "/"+machine) {
			return true
		}
	}
	return false
}

// deletion checks rule 2 when a delete is sent: the saved record holds an order
// that names the pod, with who, when and why.
func (c *Checker) deletion(a record.Action) {
	if p := c.d.Sim.View.Pod(a.UID); p != nil {
		c.owners[a.UID] = p.Owner.UID
	}
	named := slices.ContainsFunc(c.d.Saved.Orders, func(o record.ForceOrder) bool {
		return o.ID == a.Order && o.Machine == a.Machine && (o.UID == "" || o.UID == a.UID) &&
			slices.Contains(o.Pods, a.Namespace+"/"+a.Pod) && o.By != "" && o.Why != "" && !o.At.IsZero()
	})
	if !named {
		c.d.Breaks("rule 2: delete of %s/%s without a recorded order that names it", a.Namespace, a.Pod)
	}
}

// orders checks rule 2 when an order appears: a user has given it.
func (c *Checker) orders(dec engine.Decision) {
	for i, o := range dec.Run.Orders {
		if i >= len(c.clock.was.Orders) {
			c.triedOften(o)
		}
		if i < len(c.clock.was.Orders) || dec.Run.Settings.OnDrainTimeout == record.TimeoutForce || dec.Run.Settings.PassDrain {
			continue
		}
		if !slices.ContainsFunc(c.commands, func(say record.Command) bool {
			return say.Kind == record.CmdForce && (say.Node == o.Node || say.Node == o.Machine) && say.UID == o.UID && say.By == o.By
		}) {
			c.d.Breaks("rule 2: force order %s for %s, which nobody has given", o.ID, o.Node)
		}
	}
}

// place is where a pod of an owner has been.
type place struct{ owner, machine string }

// returns checks, when a pod is first asked to leave, that it was told to have come back if it is known to have taken
// the place of one that was made to leave the same node.
func (c *Checker) returns(p *world.Pod) {
	if _, asked := c.owners[p.UID]; asked || p.Owner.UID == "" {
		return
	}
	node := c.d.Sim.View.Node(p.Node)
	if node == nil {
		return
	}
	gone, left := c.emptied[place{p.Owner.UID, node.Machine}]
	if left && p.Created.After(gone) && !c.words.CameBack(p.UID) {
		c.d.Breaks("evictions: %s is asked to leave %s, to which it has come back, and that was not told", p.Ref(), p.Node)
	}
}

// atOnce checks that a pod on a node that drains which no budget can keep is asked to leave by the decision that sees
// it, unless another eviction under the same budget, or as many as there may be, have no answer yet.
func (c *Checker) atOnce(dec engine.Decision) {
	d, r, view := c.d, &dec.Run, c.d.Sim.View
	if r.State != record.Running || r.External != nil || d.Failing || !c.sees(world.Cluster) || !c.readOnce() || r.Settings.VolumesInTurn || c.evictions(r, nil) >= r.Settings.EvictionsAtOnce {
		return
	}
	for id, n := range r.Nodes.All() {
		if !c.evicts(r, id, n) {
			continue
		}
		for _, p := range view.PodsOn(n.Name) {
			if p.Terminating() || c.words.CameBack(p.UID) || r.Pods.Peek(p.UID).Returns > 0 || drain.Judge(view, p, r.Consents()).Fate != drain.Leaves || !c.mayGo(r, p) {
				continue
			}
			if _, asked := r.Pending["evict/"+p.UID]; !asked && c.evictions(r, view.BudgetsOf(p)) == 0 {
				d.Breaks("evictions: %s on %s (%s) can be evicted at once, and is not asked to leave", p.Ref(), n.Name, id)
			}
		}
	}
}

// evicts reports whether a run has begun with a node, and has nothing to do with it but to evict its pods.
func (c *Checker) evicts(r *record.Run, id string, n record.Node) bool {
	node := c.d.Sim.View.Node(n.Name)
	drains := n.Stage == record.Draining && n.Order == "" && n.Missing.IsZero() && n.Since.Before(c.d.Sim.Now())
	return drains && node != nil && node.Unschedulable && !changing(r, id) && (n.Isolated || !c.isKops())
}

// mayGo reports whether no budget keeps a pod by now: it was never asked to leave, or its budget has kept it since.
func (c *Checker) mayGo(r *record.Run, p *world.Pod) bool {
	_, asked := c.owners[p.UID]
	switch budgets := c.d.Sim.View.BudgetsOf(p); {
	case free(c.d.Sim.View, p):
		return c.barred[p.UID] || !asked && r.Pods.Peek(p.UID).Tries == 0
	case r.Pods.Peek(p.UID).Tries > 0 && len(budgets) == 1 && budgets[0].Allowed <= 0:
		c.barred[p.UID] = true
	}
	return false
}

// changing reports whether a change of a node or its machine has no answer yet: pods leave after that.
func changing(r *record.Run, machine string) bool {
	for _, p := range r.Pending {
		if a := p.Action; a.Machine == machine && a.Kind != record.Evict && !a.ReadOnly() {
			return true
		}
	}
	return false
}

// evictions counts the evictions of a run without an answer, of pods under one of some budgets, or of all.
func (c *Checker) evictions(r *record.Run, under []*world.Budget) (n int) {
	for key, asked := range r.Pending {
		uid, evicts := strings.CutPrefix(key, "evict/")
		p := c.d.Sim.View.Pod(uid)
		if evicts && asked.Accepted.IsZero() && (under == nil || p == nil || slices.ContainsFunc(under, func(b *world.Budget) bool { return b.Covers(p) })) {
			n++
		}
	}
	return n
}

// free reports whether the eviction API lets a pod go whatever its budget still allows
// (pkg/registry/core/pod/storage/eviction.go): there is none, the pod does not run yet, or it is not Ready and its
// budget has as many healthy pods as it requires, or lets such pods always go.
func free(w *world.World, p *world.Pod) bool {
	budgets := w.BudgetsOf(p)
	switch {
	case len(budgets) == 0, p.Phase == world.PodPending:
		return true
	case len(budgets) > 1 || p.Ready:
		return false
	}
	b := budgets[0]
	return b.AlwaysAllow || b.Desired > 0 && b.Healthy >= b.Desired
}

// leftNode notes that a pod was made to leave its node.
func (c *Checker) leftNode(a record.Action, o record.Outcome) {
	if owner := c.owners[a.UID]; owner != "" && o.Verdict == record.Done && (a.Kind == record.Evict || a.Kind == record.Delete) {
		if at := (place{owner, a.Machine}); c.emptied[at].IsZero() {
			c.emptied[at] = c.d.Sim.Now()
		}
	}
}
