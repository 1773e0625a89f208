package check

import (
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Trace is something on a node or the group that a run may have left behind.
type Trace struct {
	What string
	// Command takes it away.
	Command string
}

// Traces lists what in a group looks like a run's work, for when no record says what
// it was: taints and labels that only Drainboard and EKS use for that, and then what
// others do as well: cordons, labels, annotations and suspended processes.
func Traces(w *world.World) (sure, unsure []Trace) {
	add := func(to *[]Trace, undo record.Action) { *to = append(*to, Trace{undo.Sentence(), undo.Command()}) }
	for _, m := range w.Machines() {
		n := w.NodeOf(m.ID)
		if n == nil {
			continue
		}
		for _, t := range n.Taints {
			if slices.Contains(ownTaints, t.Key) {
				add(&sure, record.Action{Kind: record.RemoveTaint, Node: n.Name, Taint: &t})
			}
		}
		_, excluded := n.Labels[record.ExcludeLabel]
		if excluded {
			add(&unsure, record.Action{Kind: record.RemoveLabel, Node: n.Name, Label: record.ExcludeLabel})
		}
		if _, kept := n.Annotations[world.KeepFromScaleDown]; kept {
			add(&unsure, record.Action{Kind: record.Unannotate, Node: n.Name, Annotation: world.KeepFromScaleDown})
		}
		if n.Unschedulable {
			add(&unsure, record.Action{Kind: record.Uncordon, Node: n.Name})
		}
	}
	for _, process := range w.Group.Suspended {
		add(&unsure, record.Action{Kind: record.Resume, Group: w.Group.Name, Process: process})
	}
	return sure, unsure
}

// ownTaints are the keys of the taints that strategies put on nodes.
var ownTaints = []string{world.EKSGroupKey, world.SurplusTaint, world.OutdatedTaint, world.ClosedTaint}
