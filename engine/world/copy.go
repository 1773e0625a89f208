package world

import (
	"maps"
	"slices"
)

// Copy takes the world as it is now: the function that it returns makes a World like it, on
// any goroutine and whatever becomes of this one meanwhile. Still itself is quick: it only
// lists what there is. A partial world's early pods are not in it.
func (w *World) Copy() func() *World {
	nodes, pods, budgets := w.Nodes(), slices.Collect(maps.Values(w.pods)), slices.Collect(maps.Values(w.budgets))
	machines, group, health := w.Machines(), w.Group, maps.Clone(w.Health)
	daemons, knowsDS, stopping := w.daemons, w.knowsDS, maps.Clone(w.stopping)
	return func() *World {
		c := New()
		c.SetGroup(group)
		c.KeepMachines(machines)
		for _, n := range nodes {
			c.SetNode(n)
		}
		for _, p := range pods {
			c.SetPod(p)
		}
		for _, b := range budgets {
			c.SetBudget(b)
		}
		c.daemons, c.knowsDS, c.stopping = daemons, knowsDS, stopping
		c.Health = health
		return c
	}
}
