package world_test

import (
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/world"
)

// A still is the world as it was, whatever becomes of that.
func TestStill(t *testing.T) {
	w := world.New()
	w.SetGroup(world.Group{Name: "ng", Zones: []string{"a"}})
	w.SetMachines([]world.Machine{{ID: "i-1", Zone: "a"}, {ID: "i-2", Zone: "a", Node: "n2"}})
	w.SetNode(&world.Node{Name: "n1", Machine: "i-1"})
	w.SetNode(&world.Node{Name: "n2"})
	w.SetPod(&world.Pod{UID: "p1", Namespace: "app", Name: "web-1", Node: "n1", Owner: world.Owner{Kind: "DaemonSet", UID: "d1"}, Labels: map[string]string{"app": "web"}})
	w.SetPod(&world.Pod{UID: "p2", Namespace: "app", Name: "web-2", Owner: world.Owner{UID: "d2"}})
	w.SetBudget(&world.Budget{Namespace: "app", Name: "web", Selector: labels.SelectorFromSet(labels.Set{"app": "web"})})
	w.SetDaemonSets([]string{"d1"})
	w.SetHealth(world.Cluster, world.Health{Fresh: time.Unix(1, 0)})
	first := w.Copy()()
	copying := w.Copy()
	w.DeletePod("p1")
	w.DeleteNode("n2")
	w.DeleteBudget("app/web")
	w.SetMachines(nil)
	w.SetDaemonSets(nil)
	w.SetHealth(world.Cluster, world.Health{Fresh: time.Unix(2, 0)})
	for _, c := range []*world.World{first, copying()} {
		pod := c.Pod("p1")
		switch {
		case len(c.Machines()) != 2 || len(c.Nodes()) != 2 || c.NodeOf("i-2") != c.Node("n2"):
			t.Error("machines or nodes are not as they were")
		case pod == nil || len(c.PodsOn("n1")) != 1 || len(c.Unplaced()) != 1 || len(c.PodsOf("d2")) != 1 || len(c.PodsIn("app")) != 2:
			t.Error("pods are not as they were")
		case len(c.BudgetsOf(pod)) != 1 || !c.HasDaemonSet("d1") || c.HasDaemonSet("d2"):
			t.Error("budgets or DaemonSets are not as they were")
		case !reflect.DeepEqual(c.Group.Zones, []string{"a"}) || !c.Health[world.Cluster].Fresh.Equal(time.Unix(1, 0)):
			t.Error("the group or its freshness is not as it was")
		}
	}
}
