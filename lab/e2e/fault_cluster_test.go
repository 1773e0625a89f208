package e2e

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/lab"
)

// A webhook denies evictions: exit code 4 with the webhook, its words and every
// pod, and nothing left behind. One that does not answer is named as well, and
// when it is gone the run continues and ends well.
func TestWebhookDenies(t *testing.T) {
	s := newScene(t, "hook", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("batch", "agent")
	hook := lab.Webhook{Name: "hook.lab.drainboard.dev", Namespace: "hook", Message: "frozen until Monday, ask ops@example.com"}
	deny := func() {
		t.Helper()
		if err := shared.DenyEvictions(s.ctx, hook); err != nil {
			t.Fatal(err)
		}
	}
	deny()
	t.Cleanup(func() { _ = shared.AllowEvictions(s.ctx, hook.Name) })

	p := s.upgrade("--drain-timeout", "15s").exits(4)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "PodEvictionFailure", 4)
	p.says("PodEvictionFailure", hook.Name, hook.Message)
	for _, pod := range s.pods("batch") {
		p.says(pod.Name)
		if len(p.all("pod.blocked", ofPod("hook/"+pod.Name), because("webhook"), saying(hook.Message))) == 0 {
			t.Errorf("no event says that the webhook keeps %s", pod.Name)
		}
	}
	s.checkRestored()
	s.checkAsBefore()

	hook.Hang = true
	deny()
	s.mark()
	p = s.upgrade()
	blocked := p.await("pod.blocked", because("webhook"), saying(hook.Name))
	if err := shared.AllowEvictions(s.ctx, hook.Name); err != nil {
		t.Fatal(err)
	}
	p.await("pod.evicted", ofPod(blocked.Pod))
	p.exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	s.checkNothingTwice()
}

// The kubelet of an outdated node dies, and the node is Unknown and tainted by
// the node lifecycle controller: its pods are evicted and never end. The run ends
// in 4 and says why; when the kubelet is back the pods end.
func TestKubeletDies(t *testing.T) {
	s := newScene(t, "silent", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	quiet := s.place.Deployment("quiet", 1)
	quiet.Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(1))
	if err := shared.Apply(s.ctx, quiet); err != nil {
		t.Fatal(err)
	}
	s.settle()
	node := s.nodes()[0].Name
	pod := s.pods("quiet")[0].Name
	s.silence(node)

	p := s.upgrade("--drain-timeout", "12s").exits(4)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "PodEvictionFailure", 4)
	p.await("pod.evicted", ofPod("silent/"+pod))
	p.says("PodEvictionFailure", pod, node, "node unreachable for")
	s.checkRestored()
	if err := shared.Revive(s.ctx, node); err != nil {
		t.Fatal(err)
	}
	s.checkPods()
}

// silence kills the kubelet of a node and waits until the cluster has noticed. It
// is silenced again and again: a renewal of its lease that was under way would bring
// it back to life.
func (s *scene) silence(node string) {
	s.t.Helper()
	s.eventually(func() error {
		if err := shared.Silence(s.ctx, node); err != nil {
			return err
		}
		for _, n := range s.nodes() {
			if n.Name == node && slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeUnreachable }) {
				return nil
			}
		}
		return fmt.Errorf("%s is not tainted %s", node, corev1.TaintNodeUnreachable)
	})
}

// The machine of a node dies while the node drains, pods and all: the run continues
// without it and ends well.
func TestMachineDies(t *testing.T) {
	s := newScene(t, "dead", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "batch", "agent")

	p := s.upgrade()
	blocked := p.await("node.blocked")
	id, err := shared.Instance(s.ctx, blocked.Node)
	if err != nil {
		t.Fatal(err)
	}
	if err := shared.Silence(s.ctx, blocked.Node); err != nil {
		t.Fatal(err)
	}
	shared.Cloud().Kill(id)
	p.await("node.replaced", onNode(blocked.Node))
	s.scale("checkout", 4)
	p.exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkSizes()
	for _, i := range s.instances() {
		if i.TemplateVersion != s.group.New {
			t.Errorf("%s is still outdated", i.ID)
		}
	}
	s.checkNodes(2)
	s.checkPods()
	s.checkTerminatedOnce()
	s.checkActions()
	s.checkReleased()
}
