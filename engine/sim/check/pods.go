package check

import (
	"slices"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
)

// eviction checks rule 2 when an eviction is sent: it names, by its UID, a pod
// that is there, that has to leave, and whose node the saved record drains.
func (c *Checker) eviction(a record.Action) {
	d := c.d
	p := d.Sim.View.Pod(a.UID)
	if p != nil {
		c.owners[a.UID] = p.Owner.UID
	}
	switch {
	case p == nil:
		d.Breaks("rule 2: eviction of %s/%s with UID %q, which no pod has", a.Namespace, a.Pod, a.UID)
	case p.Namespace != a.Namespace || p.Name != a.Pod || p.Node != a.Node:
		d.Breaks("rule 2: eviction of %s/%s on %s with the UID of %s on %s", a.Namespace, a.Pod, a.Node, p.Ref(), p.Node)
	case drain.Judge(d.Sim.View, p, d.Run.Consents()).Fate != drain.Leaves:
		d.Breaks("rule 2: eviction of %s, which %s", p.Ref(), drain.Judge(d.Sim.View, p, d.Run.Consents()).Reason.Sentence())
	case d.Saved.Nodes.Peek(a.Machine).Stage != record.Draining || d.Saved.Nodes.Peek(a.Machine).Name != a.Node:
		d.Breaks("rule 2: eviction of %s from %s, which the saved record does not drain", p.Ref(), a.Node)
	}
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
