package journal

import (
	"reflect"
	"slices"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
)

// difference is what a decision changed, nil if nothing that a journal tells.
func difference(before *record.Run, made *engine.Decision) *Decision {
	after := &made.Run
	d := &Decision{
		Culprits: news(before.BlockingPods, after.BlockingPods), Left: news(before.Unrestored, after.Unrestored), Notes: news(before.Notes, after.Notes),
	}
	d.Stages, d.Gone = stages(before.Nodes, after.Nodes, made.Touched)
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

// stages are those of some machines that have come to another stage, or are not there
// any more.
func stages(was, is shards.Map[record.Node], machines []string) (moved []Stage, gone []string) {
	for _, id := range machines {
		before, known := was.Find(id)
		n, there := is.Find(id)
		switch {
		case known && !there:
			gone = append(gone, id)
		case !there, known && before.Stage == n.Stage && before.Lost == n.Lost:
		default:
			moved = append(moved, Stage{
				Machine: id, Node: n.Name, Zone: n.Zone, From: before.Stage, To: n.Stage, Since: n.Since, Reason: n.Reason,
				New: n.New, Old: n.Old, Pods: n.Pods, Batch: n.Batch, Lost: n.Lost,
			})
		}
	}
	return moved, gone
}
