package words

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// Plan checks what a plan says: the nodes of a zone are in the order that was asked for, and what is
// foreseen of PDBs is so.
func (c *Check) Plan(p *snapshot.Plan) {
	last := map[string]*snapshot.PlannedNode{}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.NotEvaluated == "" {
			c.foreseen(n)
			c.unforeseen(p, n)
		}
		if !c.plain(p, n) {
			continue
		}
		if before := last[n.Zone]; before != nil && c.compare(p.Run.Settings.Order, before, n) > 0 {
			c.d.Breaks("plan: %s goes before %s, both of zone %q, and the order is %v", before.Name, n.Name, n.Zone, p.Run.Settings.Order)
		}
		last[n.Zone] = n
	}
}

// plain reports whether nothing but the order says when a node goes: it serves in its group, and waits.
func (c *Check) plain(p *snapshot.Plan, n *snapshot.PlannedNode) bool {
	m, node := c.d.Sim.View.Machine(n.Machine), c.d.Sim.View.NodeOf(n.Machine)
	if m == nil || m.State != world.MachineInService || m.Detached || node == nil || !node.Ready || node.Unschedulable || !node.Unreachable.IsZero() {
		return false
	}
	is := p.Run.Nodes.Get(n.Machine)
	return !is.Detached && slices.Contains([]record.Stage{"", record.Outdated, record.Queued}, is.Stage)
}

// compare compares two nodes of a plan by an order, as far as that is no matter of chance.
func (c *Check) compare(order []record.Order, a, b *snapshot.PlannedNode) (n int) {
	created := func(x *snapshot.PlannedNode) int64 { return c.d.Sim.View.NodeOf(x.Machine).Created.UnixNano() }
	for _, o := range order {
		switch o {
		case record.OrderOldest:
			n = cmp.Compare(created(a), created(b))
		case record.OrderNewest:
			n = cmp.Compare(created(b), created(a))
		case record.OrderName:
			n = cmp.Compare(a.Name, b.Name)
		case record.OrderFewestBlockers:
			if a.NotEvaluated+b.NotEvaluated != "" { // the plan does not say what blocks them
				return 0
			}
			n = cmp.Or(cmp.Compare(blockers(a), blockers(b)), cmp.Compare(a.Evict, b.Evict))
		}
		if n != 0 {
			return n
		}
	}
	return 0
}

// blockers counts those that are foreseen for a node by itself.
func blockers(n *snapshot.PlannedNode) (count int) {
	for _, f := range n.Foreseen {
		if !takesTurns.MatchString(f) {
			count++
		}
	}
	return count
}

var (
	isShut     = regexp.MustCompile(`^(\S+)/\S+: PDB (\S+) (allows 0|never allows) `)
	takesTurns = regexp.MustCompile(`^PDB (\S+) allows ([0-9]+) disruptions?, covers ([0-9]+) pods? on `)
)

// foreseen checks that a PDB which is said to keep pods on a node does, and allows what it is said to.
func (c *Check) foreseen(n *snapshot.PlannedNode) {
	for _, f := range n.Foreseen {
		if m := isShut.FindStringSubmatch(f); m != nil {
			if b := c.d.Sim.View.Budget(m[1] + "/" + m[2]); b == nil || b.Allowed > 0 {
				c.d.Breaks("plan: %s: %s; that is not so: %+v", n.Name, f, b)
			}
		}
		if m := takesTurns.FindStringSubmatch(f); m != nil {
			var covers int
			_, _ = fmt.Sscan(m[3], &covers)
			if b := c.d.Sim.View.Budget(m[1]); b == nil || m[2] != fmt.Sprint(b.Allowed) || covers <= b.Allowed {
				c.d.Breaks("plan: %s: %s; that is not so: %+v", n.Name, f, b)
			}
		}
	}
}

// unforeseen checks that no pod is left out which its PDB keeps on a node, and no PDB that lets the pods of
// one go in turn.
func (c *Check) unforeseen(p *snapshot.Plan, n *snapshot.PlannedNode) {
	view, covered := c.d.Sim.View, map[string]int{}
	for _, pod := range view.PodsOn(n.Name) {
		budgets := view.BudgetsOf(pod)
		leaves := pod.Owner.UID != "" && pod.Owner.Kind != sim.DaemonSet && !pod.Mirror && !pod.EmptyDir && !pod.Terminating()
		if !leaves || pod.Phase != world.PodRunning || !pod.Ready || len(budgets) != 1 {
			continue
		}
		b := budgets[0]
		if b.Allowed <= 0 && !slices.ContainsFunc(n.Foreseen, func(f string) bool {
			return strings.HasPrefix(f, pod.Ref()+": PDB "+b.Name+" ") || strings.HasPrefix(f, pod.Ref()+" is the only replica of ")
		}) {
			c.d.Breaks("plan: %s keeps %s on %s, and that is not foreseen: %q", b.Ref(), pod.Ref(), n.Name, n.Foreseen)
		}
		if covered[b.Ref()]++; b.Allowed > 0 && b.Current && covered[b.Ref()] > b.Allowed && !takeTurns(p, b.Ref()) {
			c.d.Breaks("plan: %s allows %d, covers %d pods of %s and more, and that is not foreseen: %q", b.Ref(), b.Allowed, covered[b.Ref()], n.Name, n.Foreseen)
		}
	}
}

// takeTurns reports whether a plan says that pods of a PDB go in turn.
func takeTurns(p *snapshot.Plan, budget string) bool {
	return slices.ContainsFunc(p.Nodes, func(n snapshot.PlannedNode) bool {
		return slices.ContainsFunc(n.Foreseen, func(f string) bool {
			m := takesTurns.FindStringSubmatch(f)
			return m != nil && m[1] == budget
		})
	})
}
