package e2e

import (
	"encoding/json"
	"fmt"
	"strconv"
	"syscall"
	"testing"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// A run is aborted with new nodes that hold pods, so the group stays larger. The record tells of
// that raise, the plan of the next run too; that one raises nothing on top of it, and leaves the
// group with the sizes it had before the first.
func TestRaiseIsInherited(t *testing.T) {
	s := newScene(t, "inherits", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("web", "batch")

	p := s.upgrade()
	p.await("node.replaced")
	p.signal(syscall.SIGINT)
	p.exits(3)
	g, _ := shared.Cloud().Group(s.group.Name)
	extra := g.Desired - s.before.Desired
	if extra <= 0 {
		t.Fatalf("the group is not larger than before: desired %d", g.Desired)
	}
	var status api.GroupStatus
	if err := json.Unmarshal([]byte(s.run("status", s.group.Name, "-o", "json").exits(0).out()), &status); err != nil {
		t.Fatal(err)
	}
	left := status.LatestRun.RaiseLeft
	if left == nil || left.Desired != extra || left.Run != status.LatestRun.ID || left.Command == "" {
		t.Fatalf("the group is %d larger, and the run has left %+v", extra, left)
	}
	var plan api.GroupPlan
	if err := json.Unmarshal([]byte(s.run("plan", s.group.Name, "-o", "json").exits(0).out()), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Inherited == nil || plan.Inherited.Desired != extra || plan.Inherited.Run != left.Run {
		t.Errorf("the plan inherits %+v, left was %+v", plan.Inherited, left)
	}

	p = s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkSizes()
	s.checkNodes(s.before.Desired)
	if raised := s.mostDesired(); raised > s.before.Desired+2 { // twice the zones
		t.Errorf("desired was %d, %d before", raised, s.before.Desired)
	}
}

// mostDesired is the largest desired size that was asked for.
func (s *scene) mostDesired() (most int) {
	s.t.Helper()
	for _, c := range calls(s.calls(), "UpdateAutoScalingGroup") {
		if n, err := strconv.Atoi(c.Params.Get("DesiredCapacity")); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// No zone has a machine left. Two tries in a row fail, and each leaves the desired size as it was:
// when there are machines again none launches that nobody wants.
func TestNoRatchet(t *testing.T) {
	zone := zones[5]
	s := newScene(t, "ratchet", lab.GroupOptions{Nodes: 2, Zones: zones[5:6]})
	s.deploy("web")
	shared.Cloud().SetCapacity(zone, 0)
	t.Cleanup(func() { shared.Cloud().SetCapacity(zone, -1) })

	for range 2 {
		p := s.upgrade("--node-ready-timeout", "6s").exits(5)
		checkEvents(t, p.said())
		p.await("capacity.changed", saying("suspend Terminate"))
		p.await("capacity.changed", saying("resume Launch"))
		s.checkSizes()
	}
	shared.Cloud().SetCapacity(zone, -1)
	s.checkSizes()
	p := s.upgrade().exits(0)

	checkEvents(t, p.said())
	s.checkRolled()
	if raised := s.mostDesired(); raised > s.before.Desired+2 {
		t.Errorf("desired was %d, %d before", raised, s.before.Desired)
	}
}

// A user adds a machine while nodes are replaced: the group ends one larger than it was.
func TestForeignRaiseStays(t *testing.T) {
	s := newScene(t, "plus-one", lab.GroupOptions{Nodes: 3, Zones: oneZone, Max: 10})
	s.deploy("web")

	p := s.upgrade()
	p.await("node.replaced")
	var g cloud.Group
	s.eventually(func() error { // while nothing of ours changes the size
		g, _ = shared.Cloud().Group(s.group.Name)
		if len(p.all("node.settling"))+len(p.all("node.draining")) == 0 {
			return fmt.Errorf("no further node drains")
		}
		return nil
	})
	s.aws("SetDesiredCapacity", "AutoScalingGroupName", s.group.Name, "DesiredCapacity", strconv.Itoa(g.Desired+1))
	p.await("capacity.changed", because("external-change"), saying("raised"))
	p.exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.before.Desired++
	s.checkSizes()
	s.checkNodes(s.before.Desired)
}
