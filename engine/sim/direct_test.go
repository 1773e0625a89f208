package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/world"
)

// kopsWorld is a cluster of kops with three groups, whose workers are the one at hand.
func kopsWorld(t *testing.T, more string) *script.Script {
	t.Helper()
	c := script.New()
	if out, err := c.Do(`
		timing launch=2s boot=5s ready=2s terminate=20s notice=8s unlisted=10s
		cluster provider=kops name=own zones=a,b nodes=4 ` + more + `
		peer masters role=control-plane nodes=2
		peer bastions role=bastion nodes=1
		workload dns critical=cluster replicas=2
		wait for=1m`); err != nil {
		t.Fatal(err, out)
	}
	return c
}

// pass lets time pass, and returns the group as it is described then.
func pass(s *sim.Sim, d time.Duration) world.Group {
	s.Advance(s.Now().Add(d))
	return s.Describe()
}

func peerOf(t *testing.T, g world.Group, name string) world.Peer {
	t.Helper()
	for _, p := range g.Peers {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no peer %s among %v", name, g.Peers)
	return world.Peer{}
}

// A machine that is detached continues, outside the group, which launches another one; when
// it ends nobody takes its place.
func TestDetach(t *testing.T) {
	s := kopsWorld(t, "").Sim
	if o := s.Do(record.Action{Kind: record.Detach, Machine: "i-a1"}); o.Verdict != record.Done {
		t.Fatal(o)
	}
	if pass(s, 8*time.Second); s.View.Machine("i-a1") != nil || s.Truth.Machine("i-a1") == nil {
		t.Error("it is on a list at once")
	}
	own := peerOf(t, pass(s, 20*time.Second), "own")
	m := s.Machines()["i-a1"]
	if !m.Detached || m.State != world.MachineInService || s.Truth.Node("a1") == nil || !s.Truth.Machine("i-a1").Detached {
		t.Errorf("it does not continue: %+v", m.Machine)
	}
	if len(own.Machines) != 4 || strings.Contains(strings.Join(own.Machines, " "), "i-a1") || len(s.Machines()) != 5 || own.Size != 4 {
		t.Errorf("the group has not launched another one: %v of %d", own.Machines, own.Size)
	}
	if o := s.Do(record.Action{Kind: record.Terminate, Machine: "i-a1"}); o.Refusal != record.RefusedGone {
		t.Errorf("its group ends a machine that it does not have: %v", o)
	}
	check := record.Action{Kind: record.CheckEffect, Of: &record.Action{Kind: record.Terminate, Machine: "i-a1", Direct: true}}
	if s.Do(check).Happened {
		t.Error("its end is told before it was asked for")
	}
	if o := s.Do(*check.Of); o.Verdict != record.Done || o.Already || !s.Do(check).Happened || !s.Do(*check.Of).Already {
		t.Errorf("it cannot be ended: %v", o)
	}
	pass(s, time.Minute)
	if s.Machines()["i-a1"] != nil || s.Truth.Node("a1") != nil || len(s.Machines()) != 4 || s.Group.Sizes.Desired != 4 {
		t.Errorf("%d machines, desired %d, after the end of a detached one", len(s.Machines()), s.Group.Sizes.Desired)
	}
}

// The group refuses to let some machines go, and then nothing has changed.
func TestDetachRefused(t *testing.T) {
	c := kopsWorld(t, "")
	s := c.Sim
	detach := func(machine string) record.Outcome {
		return s.Request(record.Action{Kind: record.Detach, Machine: machine})
	}
	if _, err := c.Do("fault no-detach a1\nfault half-detach count=1"); err != nil {
		t.Fatal(err)
	}
	half := detach("i-b1")
	if half.Verdict != record.Unknown || s.Machines()["i-b1"].Detached {
		t.Errorf("half a detach: %v", half)
	}
	if s.Do(record.Action{Kind: record.CheckEffect, Of: &record.Action{Kind: record.Detach, Machine: "i-b1"}}).Happened {
		t.Error("half a detach counts as one")
	}
	if o := detach("i-a1"); o.Refusal != record.RefusedInvalid || s.Machines()["i-a1"].Detached {
		t.Errorf("kept by its group: %v", o)
	}
	if o := detach("i-a9"); o.Refusal != record.RefusedGone {
		t.Errorf("unknown: %v", o)
	}
	if _, err := c.Do("fault no-detach a1 over"); err != nil {
		t.Fatal(err)
	}
	if o := detach("i-a1"); o.Verdict != record.Done {
		t.Errorf("no longer kept: %v", o)
	}
}

// A machine of the group that is ended directly counts there until the group finds that
// it is gone, and is replaced then.
func TestEndDirectly(t *testing.T) {
	for _, terminate := range []string{"terminate=20s", "terminate=2s"} { // gone after that, and before
		c := kopsWorld(t, "")
		s := c.Sim
		if _, err := c.Do("timing " + terminate); err != nil {
			t.Fatal(err)
		}
		if o := s.Do(record.Action{Kind: record.Terminate, Machine: "i-a1", Direct: true}); o.Verdict != record.Done {
			t.Fatal(o)
		}
		own := peerOf(t, pass(s, 5*time.Second), "own")
		if m := s.Truth.Machine("i-a1"); m != nil && !m.Leaving() {
			t.Errorf("%s: it is not shown to end", terminate)
		}
		if len(own.Machines) != 3 || own.Size != 4 || s.Size() != 4 {
			t.Errorf("%s: the group knows at once: %v, counts %d", terminate, own.Machines, s.Size())
		}
		own = peerOf(t, pass(s, 35*time.Second), "own")
		if len(own.Machines) != 4 || len(s.Machines()) != 4 || s.Ghosts() != 0 || s.Group.Sizes.Desired != 4 {
			t.Errorf("%s: it is not replaced: %v, %d machines, %d ghosts", terminate, own.Machines, len(s.Machines()), s.Ghosts())
		}
	}
}

// Machines that an earlier roll has detached are there from the beginning.
func TestDetachedEarlier(t *testing.T) {
	s := kopsWorld(t, "detached=2").Sim
	own, detached := peerOf(t, s.Describe(), "own"), 0
	for _, m := range s.Truth.Machines() {
		if m.Detached {
			detached++
		}
	}
	if detached != 2 || len(own.Machines) != 4 || s.Group.Sizes.Desired != 4 || s.Group.Sizes.Max != 4 || len(s.Machines()) != 6 {
		t.Errorf("%d detached, %v in the group, %s, %d machines", detached, own.Machines, s.Group.Sizes, len(s.Machines()))
	}
}

// Leaving the load balancer takes as long as the connections last, at most the limit.
func TestBalancer(t *testing.T) {
	c := kopsWorld(t, "")
	s := c.Sim
	if _, err := c.Do("balancer takes=20s"); err != nil {
		t.Fatal(err)
	}
	leave := record.Action{Kind: record.Deregister, Machine: "i-a1", Limit: time.Minute}
	if o := kopsWorld(t, "").Sim.Do(leave); o.Verdict != record.Done || !o.Already {
		t.Errorf("without a load balancer: %v", o)
	}
	check := record.Action{Kind: record.CheckEffect, Of: &leave}
	if s.Do(check).Happened {
		t.Error("it has left before it was asked to")
	}
	if o := s.Do(leave); o.Verdict != record.Done || o.Message != "" || s.AnswerTakes(leave, o) != 20*time.Second {
		t.Errorf("it leaves: %v, for %s", o, s.AnswerTakes(leave, o))
	}
	pass(s, 15*time.Second)
	if o := s.Do(leave); s.AnswerTakes(leave, o) != 5*time.Second || s.Do(check).Happened {
		t.Errorf("asked again it takes %s", s.AnswerTakes(leave, o))
	}
	pass(s, 5*time.Second)
	if !s.Do(check).Happened {
		t.Error("it has not left")
	}
	late := record.Action{Kind: record.Deregister, Machine: "i-b1", Limit: 10 * time.Second}
	if o := s.Do(late); o.Verdict != record.Done || !strings.Contains(o.Message, "still has connections") || s.AnswerTakes(late, o) != 10*time.Second {
		t.Errorf("past its limit: %v, for %s", o, s.AnswerTakes(late, o))
	}
	if _, err := c.Do("fault balancer fails"); err != nil {
		t.Fatal(err)
	}
	if o := s.Do(leave); o.Refusal != record.RefusedInvalid {
		t.Errorf("it fails: %v", o)
	}
}

// The other groups of the cluster are described with the group, and what is wrong with
// them comes and goes.
func TestPeers(t *testing.T) {
	c := kopsWorld(t, "role=control-plane")
	s := c.Sim
	step := func(line string, d time.Duration) world.Group {
		t.Helper()
		if _, err := c.Do(line); err != nil {
			t.Fatal(err)
		}
		return pass(s, d)
	}
	var names []string
	for _, p := range s.Describe().Peers {
		names = append(names, p.Name+"/"+string(p.Role))
	}
	if got := strings.Join(names, " "); got != "bastions/bastion masters/control-plane own/control-plane" {
		t.Errorf("peers are %s", got)
	}
	if s.Truth.Node("bastions-1") != nil || s.Truth.Node("masters-1") == nil || !s.Truth.Node("a1").HasTaint(world.Taint{Key: "node-role.kubernetes.io/control-plane", Effect: "NoSchedule"}) {
		t.Error("a bastion has a node, or a node of the control plane is open to everybody")
	}
	if step("user breaks masters-1 for=10s", time.Second); s.Truth.Node("masters-1").Ready {
		t.Error("it is not broken")
	}
	if pass(s, 10*time.Second); !s.Truth.Node("masters-1").Ready {
		t.Error("it is not mended")
	}
	if step("fault unjoined masters-2 for=10s", time.Second); s.Truth.Node("masters-2") != nil {
		t.Error("it has a node")
	}
	if pass(s, 20*time.Second); s.Truth.Node("masters-2") == nil || !s.Truth.Node("masters-2").Ready {
		t.Error("it does not join again")
	}
	if p := peerOf(t, step("fault short masters for=10s", time.Second), "masters"); len(p.Machines) != 1 || p.Size != 2 {
		t.Errorf("it is not short: %v", p)
	}
	if p := peerOf(t, pass(s, 30*time.Second), "masters"); len(p.Machines) != 2 || !s.Truth.Node("masters-3").Ready {
		t.Errorf("it stays short: %v", p)
	}
}

// The pods of a workload that flaps lose their readiness and get it back, and keep it at
// the end.
func TestFlap(t *testing.T) {
	c := kopsWorld(t, "")
	s := c.Sim
	ready := func() int { return s.ReadyPods()["dns"] }
	if ready() != 2 {
		t.Fatalf("%d are Ready", ready())
	}
	for _, p := range s.Truth.PodsIn("kube-system") {
		if p.Critical != world.ClusterCritical {
			t.Errorf("%s has the class %q", p.Ref(), p.Critical)
		}
	}
	if _, err := c.Do("fault flap dns every=20s for=1m"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 2, 0, 2, 0, 2, 2, 2} {
		if pass(s, time.Second); ready() != want {
			t.Errorf("in its turn %d %d are Ready", i, ready())
		}
		pass(s, 9*time.Second)
	}
}

// A group of bastions has machines, and no nodes.
func TestBastions(t *testing.T) {
	s := kopsWorld(t, "role=bastion").Sim
	if len(s.Machines()) != 4 || s.Truth.NodeOf("i-a1") != nil {
		t.Error("bastions have nodes")
	}
	s.Do(record.Action{Kind: record.Terminate, Machine: "i-a1", Direct: true})
	pass(s, time.Minute)
	if len(s.Machines()) != 4 || s.Machines()["i-a1"] != nil || len(s.Alive()) != 4 {
		t.Errorf("a bastion is not replaced: %d", len(s.Machines()))
	}
	for id, m := range s.Machines() {
		if s.Truth.NodeOf(id) != nil || m.State != world.MachineInService {
			t.Errorf("%s has a node or is not in service", id)
		}
	}
}
