package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/drainboard/drainboard/lab/gardener"
)

// How often machine-controller-manager v0.62.1 looks again at what a countdown is of, and
// where that is in its source.
const (
	drainAgain  = 5 * time.Second // a drain, and each step before it
	healthAgain = time.Minute     // a machine that is Pending, Unknown or InPlaceUpdating

	drainSource  = "pkg/util/provider/machineutils, ShortRetry"
	healthSource = "pkg/util/provider/machinecontroller, reconcileMachineHealth, sleepTime"
)

// held is a deployment of one pod, which a budget keeps although it is not misconfigured:
// another of its pods has no place, so that not all are healthy.
func (s *scene) held() {
	s.t.Helper()
	stuck := s.place.PodTemplate("held")
	stuck.Spec.NodeSelector = map[string]string{"nowhere": "there"}
	pod := &corev1.Pod{ObjectMeta: stuck.ObjectMeta, Spec: stuck.Spec}
	pod.Name, pod.Namespace = "held-back", s.place.Namespace
	d := s.place.Deployment("held", 1)
	d.Spec.Selector.MatchLabels["real"], d.Spec.Template.Labels["real"] = "yes", "yes"
	if err := shared.Apply(s.ctx, d, pod); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func() error { // the budget comes when there is what it keeps
		for _, p := range s.pods("held") {
			for _, c := range p.Status.Conditions {
				if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
					return nil
				}
			}
		}
		return fmt.Errorf("no pod of held is Ready")
	})
	if err := shared.Apply(s.ctx, s.place.MinAvailable("held", 1)); err != nil {
		s.t.Fatal(err)
	}
}

// Each countdown of a worker pool is held against what the real controller does when it
// ends: a pool for each, of one machine, in one Shoot. All run at the same time.
func TestGardenerCountdowns(t *testing.T) {
	one := zones[:1]
	const limit = 40 * time.Second
	s := newShootScene(t, gardener.Options{Name: "timers", Pools: []gardener.Pool{
		{Name: "drain", Size: 1, Zones: one, Drain: limit},
		{Name: "retry", Size: 1, Zones: one, MaxEvictRetries: 2},
		{Name: "join", Size: 1, Zones: one, Creation: limit},
		{Name: "sick", Size: 1, Zones: one},
		{Name: "health", Size: 1, Zones: one, Health: limit},
		{Name: "select", Size: 1, Zones: one, Drain: limit, Update: gardener.AutoInPlaceUpdate},
		{Name: "update", Size: 1, Zones: one, InPlace: limit, Update: gardener.AutoInPlaceUpdate},
	}})
	s.on("drain").deploy("checkout")
	s.on("select").deploy("checkout")
	s.on("sick").deploy("twice") // whose eviction fails, so that the drain begins again every 5 s
	s.on("retry").held()
	boards := map[string]*board{}
	for _, pool := range []string{"drain", "retry", "join", "sick", "health", "select", "update"} {
		boards[pool] = s.watches(pool, 240, 50, s.withAll()...)
	}
	nodeSide := s.watches("drain", 240, 50, s.withShoot()...)
	for _, b := range append([]*board{nodeSide}, boards["drain"], boards["retry"], boards["join"], boards["sick"], boards["health"], boards["select"], boards["update"]) {
		b.expect("READ-ONLY", "no roll is under way")
	}
	retried := s.on("retry").podsOn(s.nodeOf("retry"))[0].Name
	s.shoot.NeverJoin("join", 1)
	s.shoot.SlowUpdates("update", 10*time.Minute)
	// The Machine knows that its node is not well before its end begins.
	if err := shared.UnreadyNodeSince(s.ctx, s.nodeOf("sick"), time.Now().Add(75*time.Second-5*time.Minute)); err != nil {
		t.Fatal(err)
	}
	s.machines.until("sick", "be Unknown", inMachinePhase(machineapi.MachineUnknown))
	for _, pool := range []string{"drain", "retry", "join", "sick", "select", "update"} {
		s.change(gardener.Change{ImageVersion: newImage, Pool: pool})
	}
	if err := shared.UnreadyNode(s.ctx, s.nodeOf("health")); err != nil {
		t.Fatal(err)
	}

	ends := func(pool, what string, of *machineapi.Machine) countdown {
		t.Helper()
		node, _, _ := strings.Cut(of.Labels[machineapi.NodeLabelKey], ".")
		c, ok := boards[pool].countdownOf(what, node)
		if !ok { // it has not joined
			c, ok = boards[pool].countdownOf(what, of.Name)
		}
		if !ok {
			boards[pool].tellLast()
			t.Errorf("the board of pool %s never showed %q", pool, what)
		}
		return c
	}
	status := func(m *machineapi.Machine) time.Time { return m.Status.CurrentStatus.LastUpdateTime.Time }
	operation := func(m *machineapi.Machine) time.Time { return m.Status.LastOperation.LastUpdateTime.Time }

	t.Run("drain", func(t *testing.T) {
		m := s.machines.until("drain", "force its drain", describedAs("Force Drain successful"))
		agrees(t, ends("drain", "drain forced", m), "the drain was forced", operation(m), drainAgain, 0, drainSource)
		c, ok := nodeSide.countdownOf("drain forced", "")
		if !ok || !c.guess {
			t.Errorf("from the node's side there is no estimate of when the drain is forced: %+v", c)
		}
		agrees(t, c, "(from the node's side) the drain was forced", operation(m), drainAgain, drainAgain, drainSource)
	})
	t.Run("retry", func(t *testing.T) {
		var gone time.Time
		s.eventually(func() error {
			if gone = s.machines.podEnded(s.on("retry").place.Namespace + "/" + retried); gone.IsZero() {
				return fmt.Errorf("pod %s was never forced", retried)
			}
			return nil
		})
		c, ok := boards["retry"].podCountdown()
		if !ok || !c.guess {
			t.Errorf("there is no estimate of when the pod is forced: %+v", c)
		}
		agrees(t, c, "the pod was gone", gone, drainAgain, 0, drainSource)
	})
	t.Run("select", func(t *testing.T) {
		m := s.machines.until("select", "force its drain for the update", inMachinePhase(machineapi.MachineInPlaceUpdating))
		agrees(t, ends("select", "drain forced", m), "the drain for the update was forced", status(m), drainAgain, 0, drainSource)
	})
	t.Run("sick", func(t *testing.T) {
		m := s.machines.until("sick", "force its drain", describedAs("Force Drain successful"))
		agrees(t, ends("sick", "sick: forced", m), "the drain was forced", operation(m), drainAgain, 0, drainSource)
	})
	t.Run("join", func(t *testing.T) {
		m := s.machines.until("join", "give it up", inMachinePhase(machineapi.MachineFailed))
		agrees(t, ends("join", "creation fails", m), "the machine was given up", status(m), healthAgain, 0, healthSource)
		boards["join"].expect("1 of 1 updated", "1 node replaced")
	})
	t.Run("health", func(t *testing.T) {
		m := s.machines.until("health", "give it up", inMachinePhase(machineapi.MachineFailed))
		agrees(t, ends("health", "is given up", m), "the machine was given up", status(m), healthAgain, 0, healthSource)
	})
	t.Run("update", func(t *testing.T) {
		m := s.machines.until("update", "fail its update", inMachinePhase(machineapi.MachineInPlaceUpdateFailed))
		agrees(t, ends("update", "update fails", m), "the update failed", status(m), healthAgain, 0, healthSource)
		boards["update"].expect("its in-place update failed", "1 failed")
	})
	s.checkOnlyLooked()
}

// nodeOf is the only node of a pool.
func (s *shootScene) nodeOf(pool string) string {
	s.t.Helper()
	nodes, err := shared.Nodes(s.ctx, s.shoot.Group(pool))
	if err != nil || len(nodes) == 0 {
		s.t.Fatalf("pool %s has %d nodes: %v", pool, len(nodes), err)
	}
	return nodes[0].Name
}
