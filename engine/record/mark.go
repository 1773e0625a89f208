package record

import (
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Taint, Cordon and Label make the action that puts a mark on the node of a
// machine; Mark and Unmark see to it.

// TaintOf is the action that taints a machine's node.
func TaintOf(machine, node string, t world.Taint) Action {
	return Action{Kind: AddTaint, Key: "taint/" + machine + "/" + t.Key, Machine: machine, Node: node, Taint: &t}
}

// AsTaint is the taint of an action that puts one on or takes one off, the zero one for
// others.
func (a Action) AsTaint() world.Taint {
	if a.Taint == nil {
		return world.Taint{}
	}
	return *a.Taint
}

// CordonOf is the action that cordons a machine's node.
func CordonOf(machine, node string) Action {
	return Action{Kind: Cordon, Key: "cordon/" + machine, Machine: machine, Node: node}
}

// LabelOf is the action that labels a machine's node.
func LabelOf(machine, node, label, value string) Action {
	return Action{Kind: AddLabel, Key: "label/" + machine + "/" + label, Machine: machine, Node: node, Label: label, Value: value}
}

// AnnotationOf is the action that annotates a machine's node.
func AnnotationOf(machine, node, annotation, value string) Action {
	return Action{Kind: Annotate, Key: "annotate/" + machine + "/" + annotation, Machine: machine, Node: node, Annotation: annotation, Value: value}
}

// MarkOf finds the mark that an action puts.
func (r *Run) MarkOf(put Action) (Mark, bool) {
	for _, m := range r.Marks[put.Machine] {
		if m.Put.Key == put.Key {
			return m, true
		}
	}
	return Mark{}, false
}

// AllMarks lists all marks, by machine.
func (r *Run) AllMarks() []Mark {
	var out []Mark
	for _, machine := range slices.Sorted(maps.Keys(r.Marks)) {
		out = append(out, r.Marks[machine]...)
	}
	return out
}

// Without is a copy of marks without one.
func Without(marks []Mark, key string) []Mark {
	return slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool { return m.Put.Key == key })
}

// Undo is the action that takes the mark off.
func (m Mark) Undo() Action {
	a := m.Put
	a.Key = "un" + a.Key
	a.Kind = KindOf(m.Put.Kind).Undo
	return a
}

// Isolates reports whether a mark keeps pods or requests away from a node that is drained.
func (m Mark) Isolates() bool {
	return m.Put.Kind == Cordon || m.Put.Kind == AddLabel && m.Put.Label == ExcludeLabel
}

// What says what a mark is, in a few words.
func (m Mark) What() string {
	switch m.Put.Kind {
	case AddTaint:
		return text.Tainted(m.Put.AsTaint().String())
	case AddLabel:
		return text.Labelled(m.Put.Label, m.Put.Value)
	case Annotate:
		return text.Annotated(m.Put.Annotation, m.Put.Value)
	}
	return "cordoned"
}

// WithoutMarks is a node without the marks that a run has put on it: itself if there are none.
func WithoutMarks(n *world.Node, marks []Mark) *world.Node {
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
			out.Taints = slices.DeleteFunc(slices.Clone(out.Taints), func(t world.Taint) bool { return t == m.Put.AsTaint() })
		case AddLabel:
			if out.Labels[m.Put.Label] == m.Put.Value {
				out.Labels = maps.Clone(out.Labels)
				delete(out.Labels, m.Put.Label)
			}
		}
	}
	return out
}
