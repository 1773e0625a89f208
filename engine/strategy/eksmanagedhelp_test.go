package strategy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// helpedUpdate is an update that a run has started: EKS is at node a, where a PDB keeps a pod, and another old node
// has such a pod, too.
func helpedUpdate(t *testing.T, help bool) *starter {
	x := startingUpdate(t, record.UpdateRequest{HelpAlong: help, HelpedBy: "ana"})
	x.decide(1, engine.Inputs{})
	x.answered(started)
	x.group.Template.Version, x.group.Sizes.Desired = 2, 4
	x.eks(func(m *world.ManagedGroup) { m.Update = running("u-1") })
	x.node("a", 1, began.Add(-time.Hour), true)
	x.node("b", 1, began.Add(-time.Hour), true)
	x.node("new", 2, began.Add(time.Second), false)
	for _, name := range []string{"a", "b"} {
		x.w.SetPod(&world.Pod{UID: "kept-" + name, Namespace: "shop", Name: "kept-" + name, Node: name, Phase: world.PodRunning, Ready: true, Labels: map[string]string{"app": "kept"}, Owner: world.Owner{Kind: "ReplicaSet", Name: "kept", UID: "k"}})
	}
	x.w.SetPod(&world.Pod{UID: "free", Namespace: "shop", Name: "free", Node: "a", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "free", UID: "f"}, Ends: began.Add(time.Hour), Grace: 30 * time.Second, Evicted: true})
	x.budget(0)
	x.decide(5, engine.Inputs{})
	x.asked = nil
	if n := x.run.Nodes.Get("i-a"); n.Stage != record.Draining {
		t.Fatalf("node a is %s", n.Stage)
	}
	return x
}

func (x *starter) budget(allowed int) {
	x.w.SetBudget(&world.Budget{Namespace: "shop", Name: "kept", Expression: "minAvailable 2", Healthy: 2 + allowed, Desired: 2, Expected: 2 + allowed, Allowed: allowed, Current: true, Selector: labels.SelectorFromSet(labels.Set{"app": "kept"})})
}

// The eviction goes out with the decision in which the PDB is seen open, once, and for the node that EKS is at. Without
// consent nothing is asked for.
func TestHelpsAlong(t *testing.T) {
	for _, help := range []bool{true, false} {
		x := helpedUpdate(t, help)
		x.decide(60, engine.Inputs{})
		x.asks() // while it is shut nothing is tried
		x.budget(1)
		x.decide(1, engine.Inputs{})
		if !help {
			x.decide(30, engine.Inputs{})
			x.asks()
			continue
		}
		a := x.asked[0]
		x.asks(record.Evict)
		if a.UID != "kept-a" || x.run.Pending[a.Key].Action.UID != "kept-a" {
			t.Errorf("%+v", a)
		}
		x.answered(record.Outcome{Key: a.Key, Verdict: record.Refused, Refusal: record.RefusedBudget}) // EKS came first
		x.asks()
		x.decide(10, engine.Inputs{}) // no sooner than the retries
		x.asks(record.Evict)
		x.answered(record.Outcome{Key: a.Key, Verdict: record.Done})
		x.tells("evicted, as its PDB has opened; EKS itself would try again only later")
		x.w.DeletePod("kept-a")
		x.decide(10, engine.Inputs{})
		x.asks()
	}
}

// A pod that was never held is EKS's to evict, also on the node that it is at.
func TestHelpsNoFreePod(t *testing.T) {
	x := helpedUpdate(t, true)
	x.w.SetPod(&world.Pod{UID: "other", Namespace: "shop", Name: "other", Node: "a", Phase: world.PodRunning, Ready: true, Owner: world.Owner{Kind: "ReplicaSet", Name: "other", UID: "x"}})
	x.decide(30, engine.Inputs{})
	x.asks()
}

// Where it is only inferred that EKS is at a node, its pods are EKS's to evict.
func TestHelpsNoGuess(t *testing.T) {
	x := helpedUpdate(t, true)
	x.group.Sizes.Desired = 2
	x.w.SetGroup(x.group)
	x.w.DeletePod("free")
	moved := *x.w.Pod("kept-a")
	moved.Node = "new"
	x.w.SetPod(&moved)
	x.w.DeleteNode("a")
	x.w.SetMachines([]world.Machine{*x.w.Machine("i-b"), *x.w.Machine("i-new")})
	x.decide(90, engine.Inputs{})
	if n := x.run.Nodes.Get("i-b"); n.Stage != record.Draining || !strings.HasPrefix(n.Reason, "probably drained by EKS") {
		t.Fatalf("node b is %s: %s", n.Stage, n.Reason)
	}
	x.asks()
	x.budget(1)
	x.decide(5, engine.Inputs{})
	x.asks()
}

// While the update cannot be read it may be over, and no pod is evicted. Once it is read, the PDB is open still.
func TestHelpsNoUnreadUpdate(t *testing.T) {
	x := helpedUpdate(t, true)
	x.decide(60, engine.Inputs{})
	x.eks(func(m *world.ManagedGroup) { m.UpdatesUnread = "ThrottlingException" })
	x.budget(1)
	x.decide(30, engine.Inputs{})
	x.asks()
	x.eks(func(m *world.ManagedGroup) { m.UpdatesUnread = "" })
	x.decide(1, engine.Inputs{})
	x.asks(record.Evict)
}

// A pod that the operator forces is deleted by us; without consent that is refused with the substitute.
func TestForcesInManagedUpdate(t *testing.T) {
	for _, help := range []bool{true, false} {
		x := helpedUpdate(t, help)
		x.decide(1, engine.Inputs{Commands: []record.Command{{Kind: record.CmdForce, Node: "a", UID: "kept-a", By: "ana"}}})
		if !help {
			x.asks()
			x.tells("upgrade --help-along")
			continue
		}
		a := x.asked[0]
		x.asks(record.Delete)
		if a.UID != "kept-a" || a.Order == "" || len(x.run.Orders) != 1 || x.run.Orders[0].By != "ana" {
			t.Errorf("%+v by %+v", a, x.run.Orders)
		}
	}
}

// A failed update leaves its marks. In the next one they do not tell that EKS is at one of the nodes: not before the group
// launches something else, nor while EKS may mark nodes. No pod is evicted by them.
func TestMarksOfFailedUpdate(t *testing.T) {
	x := helpedUpdate(t, true)
	x.run.Target.Update.Retry = 1
	x.eks(func(m *world.ManagedGroup) { m.Minimal = true })
	x.w.DeletePod("free")
	x.eks(func(m *world.ManagedGroup) { u := *m.Update; u.Status = world.UpdateFailed; m.Update = &u })
	x.decide(2, engine.Inputs{})
	x.asks(record.StartUpdate)
	x.answered(record.Outcome{Key: record.StartUpdateKey, Verdict: record.Done, Update: "u-2"})
	x.eks(func(m *world.ManagedGroup) {
		m.Earlier, m.Update = []world.ManagedUpdate{*m.Update}, running("u-2")
		m.Update.Since = x.now
	})
	x.group.Sizes.Desired = 3
	x.decide(60, engine.Inputs{})
	if len(x.run.Candidates) > 0 || x.run.Phases[0].Start.IsZero() || !x.run.Phases[2].Start.IsZero() {
		t.Errorf("before the group is changed: %q %+v", x.run.Candidates, x.run.Phases)
	}
	x.group.Template.Version = 3
	x.w.SetGroup(x.group)
	x.node("new", 3, began.Add(time.Second), false)
	x.decide(15, engine.Inputs{})
	if len(x.run.Candidates) > 0 || x.run.Phases[2].Start.IsZero() {
		t.Errorf("while EKS may mark nodes: %q %+v", x.run.Candidates, x.run.Phases)
	}
	x.decide(30, engine.Inputs{})
	if !slices.Equal(x.run.Candidates, []string{"a", "b"}) {
		t.Errorf("after that: %q %+v", x.run.Candidates, x.run.Phases)
	}
	x.asks()
}
