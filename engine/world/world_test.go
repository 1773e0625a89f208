package world_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/world"
)

// The indexes follow every change: a pod that gets a node, a node that changes
// its machine, objects that go.
func TestIndexes(t *testing.T) {
	w := world.New()
	w.SetNode(&world.Node{Name: "a1", Machine: "i-1"})
	web := world.Owner{Kind: "ReplicaSet", Name: "web", UID: "rs"}
	w.SetPod(&world.Pod{UID: "1", Namespace: "app", Name: "web-1", Owner: web})
	if n := len(w.PodsOn("a1")); n != 0 {
		t.Errorf("a pod without a node is on a1 (%d)", n)
	}
	w.SetPod(&world.Pod{UID: "1", Namespace: "app", Name: "web-1", Owner: web, Node: "a1", Labels: map[string]string{"app": "web"}})
	w.SetPod(&world.Pod{UID: "2", Namespace: "app", Name: "web-1", Owner: web, Node: "a1"}) // a StatefulSet's next pod of that name
	if n := len(w.PodsOn("a1")); n != 2 {
		t.Errorf("%d pods on a1, want 2: pods are known by UID", n)
	}
	if w.Alone(w.Pod("1")) {
		t.Error("pod 1 is alone beside pod 2 of the same owner")
	}
	w.SetPod(&world.Pod{UID: "3", Namespace: "app", Name: "web-0", Owner: web})
	if got := w.Unplaced(); len(got) != 1 || got[0].UID != "3" {
		t.Errorf("unplaced: %v, want pod 3 alone", got)
	}
	before := w.PodsOf("rs")
	if len(before) != 3 || before[0].UID != "3" {
		t.Errorf("pods of rs: %v, want 3, 1 and 2 in the order of their names", before)
	}
	if again := w.PodsOf("rs"); &again[0] != &before[0] {
		t.Error("nothing changed, and the list is another one")
	}
	w.KeepOf("rs", "derived")
	w.SetPod(&world.Pod{UID: "4", Namespace: "app", Name: "other", Owner: world.Owner{UID: "others"}})
	if w.KeptOf("rs") != "derived" || w.KeptOf("others") != nil || w.Copy()().KeptOf("rs") != nil {
		t.Error("what was derived from the pods of rs is lost, or others have it")
	}
	w.DeletePod("4")
	w.SetPod(&world.Pod{UID: "5", Namespace: "app", Name: "web-5", Owner: web})
	if w.KeptOf("rs") != nil {
		t.Error("what was derived from the pods of rs is kept, and there is one more")
	}
	w.DeletePod("5")
	w.KeepOf("rs", "derived")
	w.DeletePod("3")
	if w.KeptOf("rs") != nil {
		t.Error("what was derived from the pods of rs is kept, and they have changed")
	}
	w.KeepOf("rs", "derived")
	w.SetPod(&world.Pod{UID: "1", Namespace: "app", Name: "web-1", Node: "a1", Owner: web, Labels: map[string]string{"app": "web"}, Ready: true})
	if w.KeptOf("rs") != nil {
		t.Error("what was derived from the pods of rs is kept, and one of them has changed")
	}
	if len(w.PodsOf("rs")) != 2 || before[0].UID != "3" {
		t.Error("the list is not that of now, or one that was given away has changed")
	}
	w.DeletePod("2")
	w.DeletePod("2")
	if !w.Alone(w.Pod("1")) {
		t.Error("pod 1 is not alone, and there is no other")
	}
	if len(w.PodsOn("a1")) != 1 || len(w.PodsIn("app")) != 1 || w.Pod("2") != nil {
		t.Error("a deleted pod is still there")
	}

	w.SetNode(&world.Node{Name: "a1", Machine: "i-2"}) // the name used again on another machine
	if w.NodeOf("i-1") != nil || w.NodeOf("i-2") == nil {
		t.Error("the node is still that of its old machine")
	}
	// The list of machines knows their nodes better than these themselves, whichever comes first.
	w.SetMachines([]world.Machine{{ID: "m-2", Node: "a1"}, {ID: "m-3", Node: "a3"}})
	w.SetNode(&world.Node{Name: "a3", Machine: "i-3"})
	for machine, name := range map[string]string{"m-2": "a1", "m-3": "a3"} {
		if n := w.NodeOf(machine); n == nil || n.Name != name || n.Machine != machine || w.Node(name) != n {
			t.Errorf("the node of %s is %+v", machine, n)
		}
	}
	if w.NodeOf("i-2") != nil || w.NodeOf("i-3") != nil {
		t.Error("a node is that of two machines")
	}
	w.SetMachines(nil)
	w.SetNode(&world.Node{Name: "a1", Machine: "i-2"})
	w.DeleteNode("a1")
	if w.Node("a1") != nil || w.NodeOf("i-2") != nil {
		t.Error("a deleted node is still there")
	}

	w.SetBudget(&world.Budget{Namespace: "app", Name: "web", Selector: labels.SelectorFromSet(labels.Set{"app": "web"})})
	w.SetBudget(&world.Budget{Namespace: "other", Name: "web", Selector: labels.Everything()})
	if got := w.BudgetsOf(w.Pod("1")); len(got) != 1 || got[0].Ref() != "app/web" {
		t.Errorf("budgets of web-1: %v, want app/web alone", got)
	}
	w.DeleteBudget("app/web")
	if got := w.BudgetsOf(w.Pod("1")); len(got) != 0 {
		t.Errorf("budgets of web-1 after its deletion: %v", got)
	}
}

// Machines that did not change keep their pointer: an unchanged pointer is an
// unchanged row.
func TestSetMachinesKeepsPointers(t *testing.T) {
	w := world.New()
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}, {ID: "i-2", State: world.MachinePending}})
	one, two := w.Machine("i-1"), w.Machine("i-2")
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}, {ID: "i-2", State: world.MachineInService}})
	if w.Machine("i-1") != one || w.Machine("i-2") == two {
		t.Error("want the same pointer for the unchanged machine only")
	}
	w.SetMachines(nil)
	if len(w.Machines()) != 0 {
		t.Error("machines that left are still there")
	}
}

// A source that was never fresh is stale, whatever the clock says.
func TestStale(t *testing.T) {
	w, now := world.New(), time.Unix(1000, 0)
	if !w.Stale(world.Cloud, now, time.Hour) {
		t.Error("a source that was never seen passes for fresh")
	}
	w.Health[world.Cloud] = world.Health{Fresh: now.Add(-10 * time.Second)}
	if w.Stale(world.Cloud, now, 10*time.Second) || !w.Stale(world.Cloud, now, 9*time.Second) {
		t.Error("want fresh at ten seconds, stale at nine")
	}
}
