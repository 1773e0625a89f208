package room_test

import (
	"fmt"
	"testing"

	"github.com/drainboard/drainboard/engine/assess/room"
	"github.com/drainboard/drainboard/engine/world"
)

// Two nodes of zone a go, one at once; n3 and n4 stay.
func TestFor(t *testing.T) {
	in := func(key string, values ...string) [][]world.Requirement {
		return [][]world.Requirement{{{Key: key, Operator: "In", Values: values}}}
	}
	web := []world.Requirement{{Key: "app", Operator: "In", Values: []string{"web"}}}
	for name, c := range map[string]struct {
		edit func(nodes map[string]*world.Node, pods map[string]*world.Pod)
		want string
	}{
		"other nodes have room":      {func(map[string]*world.Node, map[string]*world.Pod) {}, "2 pods, 2 elsewhere, 0 new []"},
		"a node's room is not known": {func(n map[string]*world.Node, _ map[string]*world.Pod) { n["n1"].Room = world.Room{} }, "unknown"},
		"not so many pods":           {func(n map[string]*world.Node, _ map[string]*world.Pod) { n["n3"].Room.Pods, n["n4"].Room.Pods = 2, 1 }, "2 pods, 1 elsewhere, 1 new []"},
		"not so much CPU": {func(_ map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.CPU, p["p3"].Needs.CPU = 900, 500
			p["p4"].Needs.CPU = 500
		}, "2 pods, 1 elsewhere, 1 new []"},
		"not so much memory":      {func(_ map[string]*world.Node, p map[string]*world.Pod) { p["p1"].Needs.Memory = 5000 }, "2 pods, 1 elsewhere, 1 new []"},
		"the fullest node counts": {func(_ map[string]*world.Node, p map[string]*world.Pod) { p["p2"].Node = "n2"; p["p3"].Node = "n2" }, "2 pods, 2 elsewhere, 0 new []"},
		"the others are not Ready": {func(n map[string]*world.Node, _ map[string]*world.Pod) {
			n["n3"].Ready, n["n4"].Unschedulable = false, true
		}, "2 pods, 0 elsewhere, 1 new []"},
		"a taint": {func(n map[string]*world.Node, _ map[string]*world.Pod) { taint(n["n3"]); taint(n["n4"]) }, "2 pods, 0 elsewhere, 1 new []"},
		"a taint that is tolerated": {func(n map[string]*world.Node, p map[string]*world.Pod) {
			taint(n["n3"])
			taint(n["n4"])
			p["p1"].Needs.Tolerations = []world.Toleration{{Key: "gpu", Exists: true}}
		}, "2 pods, 1 elsewhere, 1 new []"},
		"a label": {func(n map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.NodeLabels = map[string]string{"disk": "ssd"}
		}, "2 pods, 1 elsewhere, 1 new []"},
		"a label that a node has": {func(n map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.NodeLabels = map[string]string{"disk": "ssd"}
			n["n4"].Labels = map[string]string{"disk": "ssd"}
		}, "2 pods, 2 elsewhere, 0 new []"},
		"a zone": {func(_ map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.Nodes = in("topology.kubernetes.io/zone", "a")
		}, "2 pods, 1 elsewhere, 1 new [a]"},
		"a volume":                     {func(_ map[string]*world.Node, p map[string]*world.Pod) { p["p1"].Volume = true }, "2 pods, 1 elsewhere, 1 new [a]"},
		"a volume, a node in its zone": {func(n map[string]*world.Node, p map[string]*world.Pod) { p["p1"].Volume, n["n4"].Zone = true, "a" }, "2 pods, 2 elsewhere, 0 new []"},
		"apart": {func(_ map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.Apart = []world.Near{{Topology: "kubernetes.io/hostname", Selector: web}}
			p["p4"].Labels = p["p1"].Labels
			p["p3"].Labels = p["p1"].Labels
		}, "2 pods, 1 elsewhere, 1 new []"},
		"apart, a node without them": {func(_ map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.Apart = []world.Near{{Topology: "kubernetes.io/hostname", Selector: web}}
			p["p4"].Labels = p["p1"].Labels
		}, "2 pods, 2 elsewhere, 0 new []"},
		"spread": {func(_ map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Needs.Spread = []world.Spread{{Topology: "zone", MaxSkew: 1}}
		}, "2 pods, 1 elsewhere, 1 new []"},
		"one that stops already": {func(_ map[string]*world.Node, p map[string]*world.Pod) {
			p["p1"].Ends = p["p1"].Ends.AddDate(2000, 0, 0)
		}, "1 pods, 1 elsewhere, 0 new []"},
		"a DaemonSet's": {func(_ map[string]*world.Node, p map[string]*world.Pod) { p["p1"].Owner.Kind = "DaemonSet" }, "1 pods, 1 elsewhere, 0 new []"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world.New()
			nodes, pods := map[string]*world.Node{}, map[string]*world.Pod{}
			for i, zone := range []string{"a", "a", "b", "b"} {
				name := fmt.Sprintf("n%d", i+1)
				nodes[name] = &world.Node{Name: name, Zone: zone, Ready: true, Room: world.Room{CPU: 1000, Memory: 4096, Pods: 10}}
			}
			for i, node := range []string{"n1", "n1", "n3", "n4"} {
				uid := fmt.Sprintf("p%d", i+1)
				pods[uid] = &world.Pod{UID: uid, Namespace: "shop", Name: uid, Node: node, Owner: world.Owner{Kind: "ReplicaSet", UID: "rs"}, Needs: &world.Needs{}}
			}
			pods["p1"].Labels = map[string]string{"app": "web"}
			c.edit(nodes, pods)
			for _, n := range nodes {
				w.SetNode(n)
			}
			for _, p := range pods {
				w.SetPod(p)
			}
			need := room.For(w, []*world.Node{w.Node("n1"), w.Node("n2")}, 1, func(*world.Node) bool { return true })
			got := "unknown"
			if need.Known {
				got = fmt.Sprintf("%d pods, %d elsewhere, %d new %v", need.Pods, need.Elsewhere, need.New, need.Zones)
			}
			if got != c.want {
				t.Errorf("%s, not %s", got, c.want)
			}
		})
	}
}

// Two nodes at once need one new node if their pods fit on it, and never more than two.
func TestNewNodesAreShared(t *testing.T) {
	for pods, want := range map[int]int{1: 1, 2: 1, 3: 2, 5: 2} {
		w := world.New()
		var going []*world.Node
		for _, name := range []string{"n1", "n2", "n3"} {
			w.SetNode(&world.Node{Name: name, Zone: "a", Ready: true, Room: world.Room{Pods: 4}})
			going = append(going, w.Node(name))
			for i := range pods {
				uid := fmt.Sprint(name, i)
				w.SetPod(&world.Pod{UID: uid, Name: uid, Node: name, Owner: world.Owner{Kind: "ReplicaSet", UID: "rs"}})
			}
		}
		if got := room.For(w, going, 2, nil); got.New != want || got.AtOnce != 2 || got.Pods != 2*pods {
			t.Errorf("%d pods on each node: %+v, not %d new", pods, got, want)
		}
	}
}

func taint(n *world.Node) { n.Taints = []world.Taint{{Key: "gpu", Effect: "NoSchedule"}} }
