package check

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// somewhere is a node to look at, one that drains if there is any, and a budget.
func (c *Checker) somewhere(r *record.Run) snapshot.Look {
	var at snapshot.Look
	for _, id := range slices.Sorted(r.Nodes.Keys()) {
		if at.Machine == "" || r.Nodes.Peek(at.Machine).Stage != record.Draining {
			at.Machine = id
		}
	}
	if budgets := c.d.Sim.View.Budgets(); len(budgets) > 0 {
		at.Budget = budgets[c.d.Decisions%len(budgets)].Ref()
	}
	return at
}

// details checks what a snapshot says of the node and the budget that are looked at.
func (c *Checker) details(v *snapshot.Snapshot, at snapshot.Look, r *record.Run) {
	if v.Look != at || (v.Node != nil) != (at.Machine != "") || (v.Budget != nil) != (at.Budget != "") {
		c.d.Breaks("snapshot: %+v is looked at, it says %+v; a node is shown: %t, a budget: %t", at, v.Look, v.Node != nil, v.Budget != nil)
		return
	}
	if v.Node != nil {
		c.nodeDetail(v, r)
		c.words.Node(v.Node)
	}
	c.words.Rows(v, r)
	if v.Budget != nil {
		c.budgetDetail(v.Budget)
	}
	if r.State == record.Finished || c.d.Sim.View.Partial() {
		return // as the record has them
	}
	for _, w := range v.Workloads {
		c.workloadDetail(w)
	}
}

// workloadDetail: a workload of which a PDB requires more healthy pods than there are is said to be in trouble, and the one that is
// named does.
func (c *Checker) workloadDetail(w *record.Workload) {
	trouble := w.Trouble()
	short := func(b *world.Budget) bool { return b.Current && b.Healthy < b.Desired }
	switch trouble {
	case record.NoTrouble, record.IsStarting:
		for _, b := range c.budgetsOver(w) {
			if short(b) {
				c.d.Breaks("snapshot: %s is said to be %q (%s), and %s has %d healthy pods of %d", w.Ref(), trouble, w.Sentence(), b.Ref(), b.Healthy, b.Desired)
			}
		}
	case record.BelowPDB:
		if b := c.d.Sim.View.Budget(w.Budget); b == nil || !short(b) || !strings.Contains(w.Sentence(), w.Budget) {
			c.d.Breaks("snapshot: %s is said to be %s (%s), and %s is not", w.Ref(), trouble, w.Sentence(), w.Budget)
		}
	}
}

// budgetsOver are the PDBs over all pods of a workload.
func (c *Checker) budgetsOver(w *record.Workload) (out []*world.Budget) {
	view := c.d.Sim.View
	var own []*world.Pod
	for _, p := range view.PodsIn(w.Namespace) {
		if p.Phase != world.PodSucceeded && p.Phase != world.PodFailed && (p.Owner.Name == w.Name || strings.HasPrefix(p.Owner.Name, w.Name+"-")) {
			own = append(own, p)
		}
	}
	for _, b := range view.Budgets() {
		if len(own) > 0 && !slices.ContainsFunc(own, func(p *world.Pod) bool { return !b.Covers(p) }) {
			out = append(out, b)
		}
	}
	return out
}

// nodeDetail: no pod of the node is left out, what has to leave is what the node's
// row counts, what blocks has a way out and is on the list of blockers.
func (c *Checker) nodeDetail(v *snapshot.Snapshot, r *record.Run) {
	d, n := c.d, r.Nodes.Get(v.Node.ID)
	if has := len(d.Sim.View.PodsOn(n.Name)); len(v.Node.Pods) != has {
		d.Breaks("snapshot: %d pods are shown on %s, it has %d", len(v.Node.Pods), n.Name, has)
	}
	blockers := map[string]bool{}
	for _, b := range v.Blockers {
		blockers[b.UID] = true
	}
	leave := 0
	for _, p := range v.Node.Pods {
		if p.Stage != snapshot.StageIgnored {
			leave++
		}
		c.podDetail(p, n, blockers[p.UID])
	}
	for _, z := range v.Zones {
		for _, row := range z.Rows {
			if row.ID == v.Node.ID && row.Stage == record.Draining && leave != row.PodsLeft {
				d.Breaks("snapshot: %d pods have to leave %s, its row says %d", leave, n.Name, row.PodsLeft)
			}
		}
	}
}

// podDetail: why a pod stays or is blocked is said, and nothing on a draining node is said to stay.
func (c *Checker) podDetail(p *snapshot.PodDetail, n record.Node, listed bool) {
	d := c.d
	switch {
	case p.Stage == "" || p.Stage == snapshot.StageIgnored && p.Why == "":
		d.Breaks("snapshot: %s on %s is %q, and it is not said why", p.Ref, n.Name, p.Stage)
	case p.Blocker != nil && (p.Blocker.Detail == "" || p.Blocker.WayOut == "" || p.Blocker.UID != p.UID):
		d.Breaks("snapshot: what blocks %s on %s is not said: %+v", p.Ref, n.Name, *p.Blocker)
	case p.Stage == snapshot.StageBlocked && n.Stage == record.Draining && !listed:
		d.Breaks("snapshot: %s on %s is blocked, and is not among the blockers", p.Ref, n.Name)
	case n.Stage == record.Draining && p.Stage == snapshot.StageRuns:
		d.Breaks("snapshot: %s on %s, which drains, is said to stay", p.Ref, n.Name)
	}
}

// budgetDetail: no pod that the budget covers is left out, and one that is shut says
// why and what opens it.
func (c *Checker) budgetDetail(b *snapshot.BudgetDetail) {
	d, covered := c.d, 0
	budget := d.Sim.View.Budget(b.Ref)
	for _, p := range d.Sim.View.PodsIn(budget.Namespace) {
		if budget.Covers(p) {
			covered++
		}
	}
	if len(b.Pods)+b.More != covered {
		d.Breaks("snapshot: %d pods of %s are shown and %d are not, it covers %d", len(b.Pods), b.Ref, b.More, covered)
	}
	if shut := b.Allowed <= 0 || !b.Current; shut != (b.Why != "") || shut != (b.WayOut != "") {
		d.Breaks("snapshot: %s allows %d, because %q, opened by %q", b.Ref, b.Allowed, b.Why, b.WayOut)
	}
}
