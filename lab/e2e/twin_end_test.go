package e2e

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/lab/cloud"
)

// endOf tells how a world stands: the group's sizes, its nodes with their marks
// by zone, and its pods.
func endOf(w *world.World) []string {
	g := w.Group
	end := []string{fmt.Sprintf("sizes %s, template %s, suspended %v", g.Sizes, g.TemplateSpec, g.Suspended)}
	for _, m := range w.Machines() {
		line := fmt.Sprintf("in zone %s a machine of version %d, %s", m.Zone[len(m.Zone)-1:], m.Template.Version, m.State)
		n := w.NodeOf(m.ID)
		if n == nil {
			end = append(end, line+", without a node")
			continue
		}
		if !n.Ready {
			line += ", not Ready"
		}
		for _, mark := range marksOnNode(n) {
			line += ", " + mark
		}
		end = append(end, line)
	}
	return append(end, podsOf(w)...)
}

// marksOnNode are a cordon, taints, and the label that takes a node out of load
// balancers. Those that the control plane puts on by itself do not count.
func marksOnNode(n *world.Node) []string {
	var marks []string
	if n.Unschedulable {
		marks = append(marks, "cordoned")
	}
	for _, t := range n.Taints {
		if !strings.HasPrefix(t.Key, "node.kubernetes.io/") {
			marks = append(marks, "taint "+t.String())
		}
	}
	if v, ok := n.Labels["node.kubernetes.io/exclude-from-external-load-balancers"]; ok {
		marks = append(marks, "excluded from load balancers: "+v)
	}
	return marks
}

// podsOf are the pods of the namespace app, by workload and state, without those
// of crowd.
func podsOf(w *world.World) []string {
	var pods []string
	for _, p := range w.PodsIn("app") {
		if p.Labels["app"] == "crowd" {
			continue
		}
		state := p.Phase
		switch {
		case p.Terminating():
			state = "terminating"
		case p.Node == "":
			state = "without a node"
		case p.Ready:
			state = "Ready"
		}
		pods = append(pods, fmt.Sprintf("a pod of %s, %s", p.Labels["app"], state))
	}
	return pods
}

// record is the run as its record has it in the end.
func (s *stage) record() record.Run {
	s.t.Helper()
	list, err := shared.Client().CoreV1().ConfigMaps("drainboard").List(s.ctx, metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range list.Items {
		var run record.Run
		if err := json.Unmarshal([]byte(m.Data["run.json"]), &run); err == nil && run.Group == s.group.Name {
			return run
		}
	}
	s.t.Fatal("there is no record")
	return record.Run{}
}

// world is how group, nodes and pods stand, once nothing is on its way any more.
func (s *stage) world() *world.World {
	s.t.Helper()
	var g cloud.Group
	s.eventually(func() error {
		g, _ = shared.Cloud().Group(s.group.Name)
		for _, i := range g.Instances {
			if i.State != cloud.InService && i.State != cloud.Terminated {
				return fmt.Errorf("%s is %s", i.ID, i.State)
			}
		}
		for _, p := range s.pods("") {
			if p.DeletionTimestamp != nil {
				return fmt.Errorf("%s is terminating", p.Name)
			}
		}
		for _, n := range s.nodes() {
			if !slices.ContainsFunc(g.Instances, func(i cloud.Instance) bool { return i.PrivateDNS == n.Name }) {
				return fmt.Errorf("%s is still there", n.Name)
			}
		}
		return nil
	})
	w := world.New()
	w.Group = world.Group{
		Name: g.Name, Suspended: g.Suspended, TemplateSpec: g.Template.Version,
		Sizes: world.Sizes{Min: g.Min, Max: g.Max, Desired: g.Desired},
	}
	var machines []world.Machine
	for _, i := range g.Instances {
		machines = append(machines, world.Machine{ID: i.ID, Zone: i.Zone, State: world.MachineInService, Template: world.Template{Version: i.TemplateVersion}})
	}
	w.SetMachines(machines)
	for _, n := range s.nodes() {
		node := &world.Node{Name: n.Name, Machine: path.Base(n.Spec.ProviderID), Ready: nodeReady(n), Unschedulable: n.Spec.Unschedulable, Labels: n.Labels}
		for _, t := range n.Spec.Taints {
			node.Taints = append(node.Taints, world.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
		}
		w.SetNode(node)
	}
	for _, p := range s.pods("") {
		ready := slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		})
		w.SetPod(&world.Pod{UID: string(p.UID), Namespace: "app", Name: p.Name, Node: p.Spec.NodeName, Phase: string(p.Status.Phase), Ready: ready, Labels: p.Labels})
	}
	return w
}
