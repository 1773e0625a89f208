package engine

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// An aborted run keeps its empty surge node while the scheduler may still place a pod
// there that was evicted: the old node may be closed to it, by another user's cordon.
func TestEmptySurgeNodeIsKeptForAnEvictedPod(t *testing.T) {
	now := time.Unix(1000, 0)
	w := world.New()
	w.SetHealth(world.Cluster, world.Health{Fresh: now})
	w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 3, Desired: 2}})
	w.SetMachines([]world.Machine{{ID: "i-old", State: world.MachineInService}, {ID: "i-new", State: world.MachineInService}})
	w.SetNode(&world.Node{Name: "new", Machine: "i-new", Ready: true})
	pod := world.Pod{UID: "p", Namespace: "shop", Name: "cart-2", Phase: world.PodPending, Owner: world.Owner{Kind: "ReplicaSet", Name: "cart", UID: "rs"}, Created: now}
	w.SetPod(&pod)
	r := record.Run{
		State: record.Ending, Settings: record.Common(), Base: world.Sizes{Max: 2, Desired: 1}, Evicted: map[string]bool{"rs": true},
		Nodes: shards.Of(map[string]record.Node{"i-old": {Name: "old", Stage: record.Outdated}, "i-new": {Name: "new", New: true, Stage: record.Ready}}),
	}
	retired := func(after time.Duration) bool {
		w.SetHealth(world.Cluster, world.Health{Fresh: now.Add(after)})
		s := newStep(noRules{}, now.Add(after), w, r)
		if s.RetireEmpty(1) {
			t.Errorf("after %s: nothing more to do, but the surge node is there", after)
		}
		return s.Run.Nodes.Get("i-new").Stage == record.Draining
	}
	if retired(5 * time.Second) {
		t.Error("drained while a pod that was evicted may come to it")
	}
	if !retired(placeWithin) {
		t.Error("kept though no pod came")
	}
	other := pod
	other.Owner.UID = "another"
	w.SetPod(&other)
	if !retired(5 * time.Second) {
		t.Error("kept for a pod that is no concern of the run's")
	}
}
