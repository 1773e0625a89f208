package world_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// A world is partial from when all but the pods is known until they are. Pods that are
// read before are those of their nodes, and of nothing else.
func TestPartial(t *testing.T) {
	w := world.New()
	now := time.Unix(1000, 0)
	early := []*world.Pod{{UID: "2", Namespace: "app", Name: "b", Node: "n1"}, {UID: "1", Namespace: "app", Name: "a", Node: "n1"}}
	w.SetEarly("n1", early)
	if w.Partial() || !w.KnowsPodsOn("n1") || len(w.PodsOn("n1")) > 0 {
		t.Error("it is partial, and nobody has read the nodes")
	}
	w.SetHealth(world.Cluster, world.Health{Problem: "no answer"})
	w.SetHealth(world.Nodes, world.Health{Fresh: now})
	if !w.Partial() || w.KnowsPodsOn("n1") {
		t.Error("it is not partial, and no pod has been read")
	}
	w.SetEarly("n1", early)
	w.SetEarly("n2", nil)
	if on := w.PodsOn("n1"); len(on) != 2 || on[0].UID != "1" {
		t.Errorf("on n1: %v", on)
	}
	if !w.KnowsPodsOn("n1") || !w.KnowsPodsOn("n2") || w.KnowsPodsOn("n3") {
		t.Error("known are the pods of n1, and that n2 has none")
	}
	if w.Pod("1") != nil || len(w.PodsIn("app")) > 0 {
		t.Error("what was read early is more than the pods of its node")
	}
	w.SetPod(&world.Pod{UID: "1", Namespace: "app", Name: "a", Node: "n1"}) // 2 has gone meanwhile
	w.SetPod(&world.Pod{UID: "3", Namespace: "app", Name: "c", Node: "n3"})
	if !w.Partial() || len(w.PodsOn("n1")) != 2 || w.KnowsPodsOn("n3") || len(w.PodsOn("n3")) > 0 {
		t.Error("it is whole before all is said to be read")
	}
	w.SetHealth(world.Cluster, world.Health{Fresh: now})
	w.SetHealth(world.Nodes, world.Health{Fresh: now})
	w.SetEarly("n3", early)
	if w.Partial() || len(w.PodsOn("n1")) != 1 || len(w.PodsOn("n3")) != 1 || !w.KnowsPodsOn("n4") {
		t.Error("all is read, and what was read early is still there")
	}
}
