package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// is and has are requirements of labels.
func is(key, value string) world.Requirement {
	return world.Requirement{Key: key, Operator: "In", Values: []string{value}}
}

func has(key string) world.Requirement { return world.Requirement{Key: key, Operator: "Exists"} }

// A pod is placed by the scheduler's own rules: each of these worlds has one node that fits, or none
// and the scheduler's words for it.
func TestFits(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	web := []world.Requirement{is("app", "web")}
	for name, c := range map[string]struct {
		edit func(nodes []world.Node, p *world.Pod) (others []world.Pod)
		want string // the node, or a part of why there is none
	}{
		"cpu": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[0].Room.CPU, n[1].Room.CPU, p.Needs.CPU = 500, 1000, 600
			return nil
		}, "n1"},
		"cpu that others have": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[0].Room.CPU, n[1].Room.CPU, p.Needs.CPU = 500, 1000, 600
			return []world.Pod{{Node: "n1", Needs: &world.Needs{Room: world.Room{CPU: 500}}}}
		}, "2 Insufficient cpu"},
		"memory": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[0].Room.Memory, n[1].Room.Memory, p.Needs.Memory = 100, 300, 200
			return nil
		}, "n1"},
		"a node of unknown room": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[0].Room.CPU, p.Needs.CPU = 500, 600
			return nil
		}, "n1"},
		"pods, those of DaemonSets too": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[0].Room.Pods, n[1].Room.Pods = 1, 1
			return []world.Pod{{Node: "n0", Owner: world.Owner{Kind: "DaemonSet", Name: "logs", UID: "logs"}}, {Node: "n1"}}
		}, "2 Too many pods"},
		"taint": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[0].Taints, n[1].Taints = []world.Taint{{Key: "gpu", Value: "a", Effect: "NoSchedule"}}, []world.Taint{{Key: "gpu", Value: "b", Effect: "NoSchedule"}}
			p.Needs.Tolerations = []world.Toleration{{Key: "gpu", Value: "b"}}
			return nil
		}, "n1"},
		"node selector": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[1].Labels, p.Needs.NodeLabels = map[string]string{"disk": "ssd"}, map[string]string{"disk": "ssd"}
			return nil
		}, "n1"},
		"node affinity, one of two terms": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[1].Labels, p.Needs.Nodes = map[string]string{"disk": "ssd"}, [][]world.Requirement{{has("gpu")}, {has("disk"), is(ZoneLabel, "b")}}
			return nil
		}, "n1"},
		"node affinity that none meets": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Nodes = [][]world.Requirement{{has("gpu")}}
			return nil
		}, "2 node(s) didn't match Pod's node affinity/selector"},
		"apart": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Apart = []world.Near{{Topology: hostLabel, Selector: web}}
			return []world.Pod{{Node: "n0", Labels: map[string]string{"app": "web"}}}
		}, "n1"},
		"apart from what is in another namespace": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Apart = []world.Near{{Topology: hostLabel, Selector: web, Namespaces: []string{"else"}}}
			return []world.Pod{{Node: "n0", Labels: map[string]string{"app": "web"}}, {Node: "n1", Namespace: "else", Labels: map[string]string{"app": "web"}}}
		}, "n0"},
		"others are apart from it": {func(n []world.Node, p *world.Pod) []world.Pod {
			return []world.Pod{{Node: "n0", Needs: &world.Needs{Apart: []world.Near{{Topology: ZoneLabel, Selector: []world.Requirement{is("app", "new")}}}}}}
		}, "n1"},
		"together": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Together = []world.Near{{Topology: ZoneLabel, Selector: web}}
			return []world.Pod{{Node: "n1", Labels: map[string]string{"app": "web"}}}
		}, "n1"},
		"together with nothing": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Together = []world.Near{{Topology: ZoneLabel, Selector: web}}
			return nil
		}, "2 node(s) didn't match pod affinity rules"},
		"together with itself": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Together = []world.Near{{Topology: ZoneLabel, Selector: []world.Requirement{is("app", "new")}}}
			return []world.Pod{{Node: "n0"}}
		}, "n1"},
		"spread": {func(n []world.Node, p *world.Pod) []world.Pod {
			p.Needs.Spread = []world.Spread{{Topology: ZoneLabel, MaxSkew: 1, Selector: []world.Requirement{is("app", "new")}}}
			return []world.Pod{{Node: "n0", Labels: map[string]string{"app": "new"}}, {Node: "n1"}, {Node: "n1"}}
		}, "n1"},
		"spread over a zone that takes none": {func(n []world.Node, p *world.Pod) []world.Pod {
			n[1].Unschedulable = true
			p.Needs.Spread = []world.Spread{{Topology: ZoneLabel, MaxSkew: 1, Selector: []world.Requirement{is("app", "new")}}}
			return []world.Pod{{Node: "n0", Labels: map[string]string{"app": "new"}}}
		}, "1 node(s) didn't match pod topology spread constraints"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world.New()
			w.SetGroup(world.Group{Name: "ng", Provider: "asg", Zones: []string{"a", "b"}})
			nodes := []world.Node{{Name: "n0", Zone: "a", Ready: true}, {Name: "n1", Zone: "b", Ready: true}}
			p := world.Pod{UID: "new", Namespace: "shop", Name: "new", Labels: map[string]string{"app": "new"}, Phase: world.PodPending, Created: now, Needs: &world.Needs{}}
			for i, q := range append(c.edit(nodes, &p), p) {
				if q.UID == "" {
					q.UID, q.Name, q.Phase, q.Created = fmt.Sprint(i), fmt.Sprint("p", i), world.PodRunning, now.Add(-time.Hour)
				}
				if q.Namespace == "" {
					q.Namespace = "shop"
				}
				w.SetPod(&q)
			}
			for i := range nodes {
				w.SetNode(&nodes[i])
			}
			s := From(w, now, record.Run{}, Guesses())
			s.Advance(now.Add(time.Second))
			if is := s.Truth.Pod("new"); is.Node != c.want && (is.Node != "" || !strings.Contains(is.Unplaced, c.want)) {
				t.Errorf("it is on %q: %s", is.Node, is.Unplaced)
			}
		})
	}
}

// New nodes of a group have the labels, taints and room that its nodes have in common, so that pods
// which ask for these find them there.
func TestNewNodesAreLikeTheOld(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := world.New()
	w.SetGroup(world.Group{Name: "ng", Provider: "asg", Zones: []string{"a"}, Template: world.Template{ID: "lt", Version: 2}, Sizes: world.Sizes{Desired: 3, Max: 3}})
	var machines []world.Machine
	for i := range 2 {
		id := fmt.Sprint("i-", i)
		machines = append(machines, world.Machine{ID: id, Zone: "a", State: world.MachineInService, Template: world.Template{ID: "lt", Version: 1}})
		w.SetNode(&world.Node{Name: "n" + id, Machine: id, Zone: "a", Ready: true, Room: world.Room{CPU: 2000, Memory: 4096, Pods: 20},
			Labels: map[string]string{hostLabel: "n" + id, "disk": "ssd", "only": id}, Unschedulable: i == 0,
			Taints: []world.Taint{{Key: "dedicated", Effect: "NoSchedule"}, {Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"}}})
	}
	w.SetMachines(machines)
	s := From(w, now, record.Run{}, Guesses())
	s.Advance(now.Add(5 * time.Minute))
	for _, n := range s.Truth.Nodes() {
		if !strings.HasPrefix(n.Name, "new-") {
			continue
		}
		if n.Room.CPU != 2000 || n.Labels["disk"] != "ssd" || n.Labels["only"] != "" || n.Labels[hostLabel] != "" || len(n.Taints) != 1 || n.Taints[0].Key != "dedicated" {
			t.Errorf("%+v", n)
		}
		return
	}
	t.Error("no node came")
}
