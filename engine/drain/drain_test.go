package drain_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

var owned = world.Owner{Kind: "ReplicaSet", Name: "web", UID: "rs"}

// A pod goes through kubectl drain's filters in order; the first with an opinion wins.
func TestJudge(t *testing.T) {
	w := world.New()
	w.SetDaemonSets([]string{"ds"})
	daemon := world.Owner{Kind: "DaemonSet", Name: "logs", UID: "ds"}
	orphan := world.Owner{Kind: "DaemonSet", Name: "gone", UID: "gone"}
	both := drain.Consents{Unmanaged: true, EmptyDir: true}
	for _, c := range []struct {
		name    string
		pod     world.Pod
		without drain.Verdict
		with    drain.Verdict // with both consents
	}{
		{"a replica", world.Pod{Owner: owned}, drain.Verdict{Fate: drain.Leaves, Reason: drain.Evictable}, drain.Verdict{Fate: drain.Leaves, Reason: drain.Evictable}},
		{"a static pod's picture", world.Pod{Mirror: true}, drain.Verdict{Fate: drain.Stays, Reason: drain.MirrorPod}, drain.Verdict{Fate: drain.Stays, Reason: drain.MirrorPod}},
		{"finished, though bare and with data", world.Pod{Phase: world.PodSucceeded, EmptyDir: true}, drain.Verdict{Fate: drain.Stays, Reason: drain.FinishedPod}, drain.Verdict{Fate: drain.Stays, Reason: drain.FinishedPod}},
		{"failed", world.Pod{Phase: world.PodFailed}, drain.Verdict{Fate: drain.Stays, Reason: drain.FinishedPod}, drain.Verdict{Fate: drain.Stays, Reason: drain.FinishedPod}},
		{"of a DaemonSet", world.Pod{Owner: daemon, EmptyDir: true}, drain.Verdict{Fate: drain.Stays, Reason: drain.DaemonSetPod}, drain.Verdict{Fate: drain.Stays, Reason: drain.DaemonSetPod}},
		{"of a DaemonSet that is gone", world.Pod{Owner: orphan}, drain.Verdict{Fate: drain.Asks, Reason: drain.OrphanDaemonPod}, drain.Verdict{Fate: drain.Leaves, Reason: drain.Evictable}},
		{"with an emptyDir", world.Pod{Owner: owned, EmptyDir: true}, drain.Verdict{Fate: drain.Asks, Reason: drain.EmptyDirPod}, drain.Verdict{Fate: drain.Leaves, Reason: drain.Evictable}},
		{"bare", world.Pod{}, drain.Verdict{Fate: drain.Asks, Reason: drain.UnmanagedPod}, drain.Verdict{Fate: drain.Leaves, Reason: drain.Evictable}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drain.Judge(w, &c.pod, drain.Consents{}); got != c.without {
				t.Errorf("without consent: %v, want %v", got, c.without)
			}
			if got := drain.Judge(w, &c.pod, both); got != c.with {
				t.Errorf("with consents: %v, want %v", got, c.with)
			}
			if c.without.Reason.Sentence() == "" {
				t.Error("the reason has no sentence")
			}
		})
	}
}

// What the eviction API would say, as far as a budget's status tells.
func TestGateOf(t *testing.T) {
	all := labels.Everything()
	running := world.Pod{UID: "p", Namespace: "app", Owner: owned, Phase: world.PodRunning, Ready: true}
	unready := running
	unready.Ready = false
	pending, finished, ending := running, running, running
	pending.Phase, finished.Phase = world.PodPending, world.PodSucceeded
	ending.Ends = time.Unix(1, 0)
	budget := func(allowed, healthy, desired int) world.Budget {
		return world.Budget{Namespace: "app", Name: "b", Selector: all, Allowed: allowed, Healthy: healthy, Desired: desired, Current: true}
	}
	always, stale, other := budget(0, 1, 2), budget(1, 3, 2), budget(1, 3, 2)
	always.AlwaysAllow, stale.Current, other.Name = true, false, "other"
	for _, c := range []struct {
		name     string
		pod      world.Pod
		budgets  []world.Budget
		inFlight int
		open     bool
		double   bool
	}{
		{"no budget", running, nil, 0, true, false},
		{"allows one", running, []world.Budget{budget(1, 3, 2)}, 0, true, false},
		{"allows one, which is under way", running, []world.Budget{budget(1, 3, 2)}, 1, false, false},
		{"allows none", running, []world.Budget{budget(0, 2, 2)}, 0, false, false},
		{"status behind the rule", running, []world.Budget{stale}, 0, false, false},
		{"two budgets, whatever they allow", running, []world.Budget{budget(1, 3, 2), other}, 0, false, true},
		{"unready, budget healthy without it", unready, []world.Budget{budget(0, 2, 2)}, 0, true, false},
		{"unready, budget short already", unready, []world.Budget{budget(0, 1, 2)}, 0, false, false},
		{"unready, AlwaysAllow", unready, []world.Budget{always}, 0, true, false},
		{"Pending pods pass", pending, []world.Budget{budget(0, 2, 2)}, 0, true, false},
		{"finished pods pass", finished, []world.Budget{budget(0, 2, 2)}, 0, true, false},
		{"terminating pods pass", ending, []world.Budget{budget(0, 2, 2)}, 0, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world.New()
			for _, b := range c.budgets {
				w.SetBudget(&b)
			}
			g := drain.GateOf(w, &c.pod, func(string) int { return c.inFlight })
			if g.Open != c.open || g.Double() != c.double {
				t.Errorf("open %v, double %v; want %v, %v", g.Open, g.Double(), c.open, c.double)
			}
		})
	}
}
