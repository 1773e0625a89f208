package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab"
)

// drainByHand cordons a node and asks once for the eviction of each of the scene's pods
// on it, as kubectl drain does. It returns how many were let go and how many refused.
func (s *scene) drainByHand(node string) (gone, refused int) {
	s.t.Helper()
	s.patch("nodes", node, `{"spec":{"unschedulable":true}}`)
	for _, p := range s.podsOn(node) {
		err := shared.Client().PolicyV1().Evictions(p.Namespace).Evict(s.ctx, &policyv1.Eviction{
			ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name},
		})
		switch {
		case apierrors.IsTooManyRequests(err):
			refused++
		case err != nil && !apierrors.IsNotFound(err): // it may have just gone
			s.t.Fatal(err)
		default:
			gone++
		}
	}
	return gone, refused
}

// podsOn are the scene's pods on a node, but for those of DaemonSets.
func (s *scene) podsOn(node string) (out []corev1.Pod) {
	s.t.Helper()
	for _, p := range s.pods("") {
		if p.Spec.NodeName == node && p.Labels["app"] != "agent" {
			out = append(out, p)
		}
	}
	return out
}

// taint taints a node on top of what it has.
func (s *scene) taint(node, key string, effect corev1.TaintEffect) {
	s.t.Helper()
	s.eventually(func() error {
		nodes := shared.Client().CoreV1().Nodes()
		n, err := nodes.Get(s.ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
		_, err = nodes.Update(s.ctx, n, metav1.UpdateOptions{})
		return err // a conflict is tried again
	})
}

// Others roll a group: a user drains a node by hand and a budget holds it, Karpenter
// chooses another, then kops marks all and drains the first to its end. Who watches sees
// who does, on which node, and what blocks; groups and status name them too, and all
// that was ever asked of either API was to read.
func TestWatchOthers(t *testing.T) {
	s := newScene(t, "others", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("checkout", "batch", "agent")
	w, p := s.watcher()
	p.expect("READ-ONLY", "no run is under way", "3 of 3 nodes outdated")

	// By hand: a node with a pod of checkout, which may not go, and with others, which may.
	nodes := s.nodes()
	first := nodes[0]
	for _, n := range nodes {
		on := map[string]bool{}
		for _, pod := range s.podsOn(n.Name) {
			on[pod.Labels["app"]] = true
		}
		if on["checkout"] && on["batch"] {
			first = n
		}
	}
	name := shortName([]corev1.Node{first})
	gone, refused := s.drainByHand(first.Name)
	if gone == 0 || refused == 0 {
		t.Fatalf("the drain of %s let %d go, and %d were refused", first.Name, gone, refused)
	}
	p.expect("drained manually", name+" draining", "allows 0: 3 healthy, 3 required", "scale checkout to 4", fmt.Sprintf("blocked: 1 PDB, %d pod", refused), "(before: not known)")

	var other string
	for _, n := range nodes {
		if n.Name != first.Name {
			other = n.Name
		}
	}
	s.taint(other, "karpenter.sh/disrupted", "NoSchedule")
	p.expect("Karpenter is at work here: " + strings.Split(other, ".")[0])
	for _, n := range nodes {
		s.taint(n.Name, "kops.k8s.io/scheduled-for-update", "PreferNoSchedule")
	}
	p.expect("kops rolling-update is at work here: "+name+" draining, 2 to go", "kops busy")

	// What is looked at once says the same.
	once := func(args ...string) string {
		t.Helper()
		return w.run(args...).exits(0).out()
	}
	if out := once("groups"); !strings.Contains(out, "OTHERS") || !strings.Contains(out, "kops, Karpenter") {
		t.Errorf("groups does not name them:\n%s", out)
	}
	if out := once("status"); !strings.Contains(out, "kops rolling-update is at work here") {
		t.Errorf("status does not name kops:\n%s", out)
	}

	// The budget opens: the node is drained, and its machine ends.
	s.scale("checkout", 4)
	s.eventually(func() error {
		if _, refused := s.drainByHand(first.Name); refused > 0 || len(s.podsOn(first.Name)) > 0 {
			return fmt.Errorf("%d pods are still on %s", len(s.podsOn(first.Name)), first.Name)
		}
		return nil
	})
	p.expect(name + " drained")
	id := first.Spec.ProviderID
	s.aws("TerminateInstanceInAutoScalingGroup", "InstanceId", id[strings.LastIndexByte(id, '/')+1:], "ShouldDecrementDesiredCapacity", "false")
	p.expect("1 node replaced", "1 of 3 up to date", "pace of 1 node")

	p.press("x").press("y").press("f").press("p") // nothing comes of these
	p.quits(0)
	w.checkReadOnly()
	w.checkActions()
	requests := w.requests()
	if len(requests) == 0 || len(w.calls()) == 0 {
		t.Error("the logs show no request of the watcher")
	}
	for _, r := range requests {
		if r.Verb != "get" && r.Verb != "list" && r.Verb != "watch" && !review(r) || r.Code == http.StatusForbidden {
			t.Errorf("not only read, or not allowed: %v", r)
		}
	}
}
