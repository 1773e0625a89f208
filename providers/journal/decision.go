package journal

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/drainboard/drainboard/engine"
)

// difference is what a decision changed, nil if nothing that a journal tells.
func difference(before, after *engine.Run) *Decision {
	d := &Decision{
		Stages: stages(before.Nodes, after.Nodes), Gone: gone(before.Nodes, after.Nodes),
		Culprits: news(before.Culprits, after.Culprits), Left: news(before.Left, after.Left), Notes: news(before.Notes, after.Notes),
	}
	if before.State != after.State || before.Result != after.Result {
		d.State = &State{From: before.State, To: after.State, Result: after.Result, Why: after.Why}
	}
	for i, b := range after.Batches {
		if i >= len(before.Batches) || before.Batches[i].Hash != b.Hash || !before.Batches[i].Approved.Equal(b.Approved) {
			d.Batches = append(d.Batches, b)
		}
	}
	for i, o := range after.Orders {
		if i >= len(before.Orders) || before.Orders[i].Over != o.Over || len(before.Orders[i].Pods) != len(o.Pods) {
			d.Orders = append(d.Orders, o)
		}
	}
	if before.Gate != after.Gate {
		d.Gate = &after.Gate
	}
	if reflect.ValueOf(*d).IsZero() {
		return nil
	}
	return d
}

// news is a list that differs from what it was, nil if it does not.
func news(was, is []string) []string {
	if slices.Equal(was, is) {
		return nil
	}
	return is
}

// stages are the nodes that have come to another stage, by machine. A decision that
// changes no node hands on the very map that it was given.
func stages(was, is map[string]engine.Node) []Stage {
	if same(was, is) {
		return nil
	}
	var out []Stage
	for id, n := range is {
		before, known := was[id]
		if known && before.Stage == n.Stage && before.Lost == n.Lost {
			continue
		}
		out = append(out, Stage{
			Machine: id, Node: n.Name, Zone: n.Zone, From: before.Stage, To: n.Stage, Since: n.Since, Reason: n.Reason,
			New: n.New, Old: n.Old, Pods: n.Pods, Batch: n.Batch, Lost: n.Lost,
		})
	}
	slices.SortFunc(out, func(a, b Stage) int { return cmp.Compare(a.Machine, b.Machine) })
	return out
}

func gone(was, is map[string]engine.Node) []string {
	if same(was, is) {
		return nil
	}
	var out []string
	for id := range was {
		if _, still := is[id]; !still {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func same(a, b map[string]engine.Node) bool {
	return reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer()
}
