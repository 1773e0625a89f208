package engine

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/world"
)

// withoutMarks is a node without the marks that a run has put on it: itself if there are none.
func withoutMarks(n *world.Node, marks []Mark) *world.Node {
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
