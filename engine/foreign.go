package engine

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/world"
)

// Moves lists who else moves the node of a machine, by the marks on it that are not the
// run's own; nil if nobody does. What the run found there and left as it was counts as
// others'.
func (r *Run) Moves(machine string, n *world.Node) []world.Move {
	if n == nil {
		return nil
	}
	return others(n, r.Marks[machine]).Moves()
}

// others is a node without the marks that a run has put on it: itself if there are none.
func others(n *world.Node, marks []Mark) *world.Node {
	out := n
	for _, m := range marks {
		if m.Foreign || m.Put.Node != n.Name {
			continue
		}
		if out == n {
			c := *n
			out = &c
		}
		switch m.Put.Kind {
		case Cordon:
			out.Unschedulable = false
		case AddTaint:
			out.Taints = slices.DeleteFunc(slices.Clone(out.Taints), func(t world.Taint) bool { return t == m.Put.taint() })
		case AddLabel:
			if out.Labels[m.Put.Label] == m.Put.Value {
				out.Labels = maps.Clone(out.Labels)
				delete(out.Labels, m.Put.Label)
			}
		}
	}
	return out
}
