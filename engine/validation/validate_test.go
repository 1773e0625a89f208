package validation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// kopsCluster is a valid cluster: a control plane of one, the group "nodes" of two with a
// detached machine beside them, another group of workers, and a bastion.
func kopsCluster() *world.World {
	w := world.New()
	w.SetGroup(world.Group{Name: "nodes", Role: world.RoleNode, Sizes: world.Sizes{Desired: 2}, Peers: []world.Peer{
		{Name: "bastions", Role: world.RoleBastion, Size: 1, Machines: []string{"i-b"}},
		{Name: "masters", Role: world.RoleControlPlane, Size: 1, Machines: []string{"i-m"}},
		{Name: "nodes", Alias: "nodes-ig", Role: world.RoleNode, Size: 2, Machines: []string{"i-1", "i-2"}},
		{Name: "others", Alias: "others-ig", Role: world.RoleNode, Size: 1, Machines: []string{"i-o"}},
	}})
	w.SetMachines([]world.Machine{
		{ID: "i-1", State: world.MachineInService}, {ID: "i-2", State: world.MachineInService}, {ID: "i-3", State: world.MachineInService, Detached: true},
	})
	for _, name := range []string{"1", "2", "3", "o", "m"} {
		n := &world.Node{Name: name, Machine: "i-" + name, Ready: true}
		if name == "m" {
			n.Labels = map[string]string{controlPlaneLabel: ""}
		}
		w.SetNode(n)
	}
	for _, app := range controlPlanePods {
		w.SetPod(&world.Pod{UID: app, Namespace: "kube-system", Name: app + "-m", Node: "m", Labels: map[string]string{"k8s-app": app}, Phase: world.PodRunning, Ready: true})
	}
	w.SetPod(&world.Pod{UID: "dns", Namespace: "kube-system", Name: "dns", Node: "1", Phase: world.PodRunning, Ready: true, Critical: world.ClusterCritical})
	w.SetPod(&world.Pod{UID: "cni-o", Namespace: "kube-system", Name: "cni-o", Node: "o", Phase: world.PodRunning, Ready: true, Critical: world.NodeCritical})
	w.SetPod(&world.Pod{UID: "web", Namespace: "shop", Name: "web", Node: "1", Phase: world.PodRunning})
	return w
}

func TestValidate(t *testing.T) {
	unready := func(name string) func(*world.World) {
		return func(w *world.World) { n := *w.Node(name); n.Ready, n.Trouble = false, "PLEG"; w.SetNode(&n) }
	}
	pod := func(uid string, change func(*world.Pod)) func(*world.World) {
		return func(w *world.World) { p := *w.Pod(uid); change(&p); w.SetPod(&p) }
	}
	peers := func(change func([]world.Peer)) func(*world.World) {
		return func(w *world.World) { g := w.Group; g.Peers = slices.Clone(g.Peers); change(g.Peers); w.SetGroup(g) }
	}
	notReady := func(p *world.Pod) { p.Ready, p.Unready = false, []string{"main"} }
	beside := func(labels map[string]string, critical string) func(*world.World) { // a node of no machine of a group, with a broken pod
		return func(w *world.World) {
			w.SetNode(&world.Node{Name: "x", Machine: "i-x", Labels: labels, Trouble: "gone"})
			w.SetPod(&world.Pod{UID: "x", Namespace: "kube-system", Name: "x", Node: "x", Phase: world.PodRunning, Unready: []string{"a", "b"}, Critical: critical})
		}
	}
	const brokenBeside = "pod kube-system/x (system-node-critical) is not ready: containers a, b"
	for _, c := range []struct {
		name   string
		change func(*world.World)
		gone   string
		want   string // those that are ignored in brackets
	}{
		{"valid", func(*world.World) {}, "", ""},
		{"group too small", peers(func(p []world.Peer) { p[2].Size = 3 }), "", "group nodes has 2 of 3 machines"},
		{"other group too small", peers(func(p []world.Peer) { p[3].Size = 2 }), "", "(group others has 1 of 2 machines)"},
		{"bastion missing", peers(func(p []world.Peer) { p[0].Machines = nil }), "", "(group bastions has 0 of 1 machine)"},
		{"control plane too small", peers(func(p []world.Peer) { p[1].Size = 3 }), "", "group masters has 1 of 3 machines"},
		{"ended before the cloud shows it", func(*world.World) {}, "i-2", "group nodes has 1 of 2 machines"},
		{"not joined", func(w *world.World) { w.DeleteNode("2") }, "", "machine i-2 of nodes has not joined the cluster"},
		{"other not joined", func(w *world.World) { w.DeleteNode("o") }, "", "(machine i-o of others has not joined the cluster)"},
		{"not Ready", unready("1"), "", "node 1 of nodes is not Ready: PLEG"},
		{"control plane not Ready", unready("m"), "", "node m of masters is not Ready: PLEG"},
		{"no network", func(w *world.World) {
			n := *w.Node("1")
			n.NoNetwork, n.Trouble = true, "NetworkUnavailable: no route"
			w.SetNode(&n)
		}, "", "node 1 of nodes is not Ready: NetworkUnavailable: no route"},
		{"control plane without a network: its pods are not looked for", func(w *world.World) { unready("m")(w); w.DeletePod("kube-apiserver") }, "", "node m of masters is not Ready: PLEG"},
		{"a spec and no group", peers(func(p []world.Peer) { p[1].Missing, p[3].Missing = true, true }), "", "instance group masters has no Auto Scaling group; kops update cluster --yes makes it; (instance group others has no Auto Scaling group; kops update cluster --yes makes it)"},
		{"detached from another group, or lost", beside(map[string]string{world.KopsGroup: "others-ig"}, world.NodeCritical), "", "(" + brokenBeside + ")"},
		{"lost by its own group", beside(map[string]string{world.KopsGroup: "nodes-ig"}, world.NodeCritical), "", brokenBeside},
		{"of a group that only its label tells", beside(map[string]string{world.KopsGroup: "karpenter"}, world.NodeCritical), "", "(" + brokenBeside + ")"},
		{"of a control plane that only its label tells", beside(map[string]string{world.KopsGroup: "etcd", controlPlaneLabel: ""}, world.NodeCritical), "", brokenBeside},
		{"of no group", beside(nil, world.NodeCritical), "", brokenBeside},
		{"the cluster's, on a node of another group", beside(map[string]string{world.KopsGroup: "others-ig"}, world.ClusterCritical), "", "pod kube-system/x (system-cluster-critical) is not ready: containers a, b"},
		{"detached not Ready", unready("3"), "", "node 3 of nodes is not Ready: PLEG"},
		{"detached ended", unready("3"), "i-3", ""},
		{"other not Ready", unready("o"), "", "(node o of others is not Ready: PLEG)"},
		{"API server missing", func(w *world.World) { w.DeletePod("kube-apiserver") }, "", "node m of masters has no kube-apiserver pod"},
		{"dns not ready", pod("dns", notReady), "", "pod kube-system/dns (system-cluster-critical) is not ready: container main"},
		{"dns of another namespace", pod("dns", func(p *world.Pod) { notReady(p); p.Namespace = "network" }), "", "pod network/dns (system-cluster-critical) is not ready: container main"},
		{"dns behind a readiness gate, or on a silent node", pod("dns", func(p *world.Pod) { p.Ready = false }), "", ""},
		{"dns unknown", pod("dns", func(p *world.Pod) { p.Phase = world.PodUnknown }), "", "pod kube-system/dns (system-cluster-critical) is in the phase Unknown"},
		{"dns pending", pod("dns", func(p *world.Pod) { p.Ready, p.Node, p.Phase, p.Unplaced = false, "", world.PodPending, "no room" }), "", "pod kube-system/dns (system-cluster-critical) is pending: no room"},
		{"dns done", pod("dns", func(p *world.Pod) { notReady(p); p.Phase = world.PodSucceeded }), "", ""},
		{"dns failed", pod("dns", func(p *world.Pod) { notReady(p); p.Phase = world.PodFailed }), "", "pod kube-system/dns (system-cluster-critical) is not ready: container main"},
		{"dns rejected by its kubelet", pod("dns", func(p *world.Pod) { p.Ready, p.Phase = false, world.PodFailed }), "", ""},
		{"cni of another group", pod("cni-o", notReady), "", "(pod kube-system/cni-o (system-node-critical) is not ready: container main)"},
		{"dns of a machine that goes", pod("dns", notReady), "i-1", "group nodes has 1 of 2 machines"},
	} {
		w := kopsCluster()
		c.change(w)
		var got []string
		for _, i := range Check(w, map[string]bool{c.gone: true}, 0) {
			m := i.Message
			if i.Ignored {
				m = "(" + m + ")"
			}
			got = append(got, m)
		}
		if all := strings.Join(got, "; "); all != c.want {
			t.Errorf("%s: %q, want %q", c.name, all, c.want)
		}
	}
}

// What the run's own ends have taken of the group's size is not missing, and what others have is.
func TestValidateLowered(t *testing.T) {
	for lower, want := range []string{"[group nodes has 1 of 2 machines]", "[]"} {
		if got := fmt.Sprint(record.Messages(Check(kopsCluster(), map[string]bool{"i-2": true}, lower))); got != want {
			t.Errorf("%d lower: %s, want %s", lower, got, want)
		}
	}
	w := kopsCluster()
	g := w.Group
	g.Peers = slices.Clone(g.Peers)
	g.Peers[1].Size++
	w.SetGroup(g)
	if got := fmt.Sprint(record.Messages(Check(w, nil, 1))); got != "[group masters has 1 of 2 machines]" {
		t.Error("of another group: ", got)
	}
}

// A group whose provider knows of no others is a cluster by itself.
func TestValidateAlone(t *testing.T) {
	w := kopsCluster()
	g := w.Group
	g.Peers, g.Sizes.Desired = nil, 3
	w.SetGroup(g)
	if got := fmt.Sprint(record.Messages(Check(w, nil, 0))); got != "[group nodes has 2 of 3 machines]" { // the detached one does not count
		t.Error(got)
	}
}
