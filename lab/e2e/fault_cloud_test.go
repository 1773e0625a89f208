package e2e

import (
	"fmt"
	"net/url"
	"strconv"
	"testing"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
	"github.com/drainboard/drainboard/lab/gate"
)

// Answers get lost, AWS throttles, the credentials expire and are renewed: the
// run says what is in its way, waits, does nothing twice, and ends well.
func TestCloudAway(t *testing.T) {
	s := newScene(t, "cloud", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("batch", "agent")
	aws := shared.Cloud()
	for _, action := range []string{"CreateLaunchTemplateVersion", "UpdateAutoScalingGroup", "SuspendProcesses", "TerminateInstanceInAutoScalingGroup", "ResumeProcesses"} {
		aws.LoseAnswersTo(s.key, action, 1)
	}

	p := s.upgrade("--ami", "ami-cloud", "--post-drain-wait", "10s")
	first := p.await("node.settling")
	aws.ThrottleKey(s.key, 1)
	p.await("warning", onNode(first.Node), saying("AWS throttles our requests"))
	aws.ThrottleKey(s.key, 0.3)
	p.await("node.replaced", onNode(first.Node))
	second := p.await("node.settling", func(e Event) bool { return e.Node != first.Node })
	aws.ExpireKey(s.key, true)
	p.await("warning", onNode(second.Node), saying("AWS credentials expired"))
	aws.ExpireKey(s.key, false)
	p.exits(0)

	checkEvents(t, p.said()) // not their order: a machine may be gone before it is known that its end was asked for
	checkFinished(t, p.said(), "succeeded", 0)
	s.group.New = 3 // one version more, by --ami
	s.checkRolled()
	if last := shared.Cloud().AddTemplateVersion(s.group.TemplateID, cloud.TemplateData{}); last != 4 {
		t.Errorf("%d template versions were made, want 1", last-3)
	}
	s.checkNothingTwice()
	lost := 0
	for _, c := range s.calls() {
		if c.Lost {
			lost++
		}
	}
	if lost != 5 {
		t.Errorf("%d answers were lost, want 5", lost)
	}
}

// An autoscaler raises the group between the run's last read of its sizes and the request that
// restores the maximum: the raise stands, since each request has only what it changes.
func TestSizesChangedBetween(t *testing.T) {
	s := newScene(t, "between", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("batch")
	s.aws("UpdateAutoScalingGroup", "AutoScalingGroupName", s.group.Name, "MaxSize", "6")
	before, _ := shared.Cloud().Group(s.group.Name)
	asks := cloud.Asks(s.key, "UpdateAutoScalingGroup")
	restore := shared.Cloud().Gate().Stop(gate.Before, func(r gate.Request) bool {
		form, err := url.ParseQuery(string(r.Body))
		return err == nil && asks(r) && form.Get("MaxSize") == strconv.Itoa(before.Max)
	})
	p := s.upgrade()
	select {
	case <-restore.Hit():
	case <-s.ctx.Done():
		t.Fatal("the maximum is not restored")
	}
	s.aws("SetDesiredCapacity", "AutoScalingGroupName", s.group.Name, "DesiredCapacity", strconv.Itoa(before.Desired+1))
	restore.Release()
	p.exits(0)

	if g, _ := shared.Cloud().Group(s.group.Name); g.Max != before.Max || g.Desired != before.Desired+1 || g.Min != before.Min {
		t.Errorf("the group has %d, %d, %d", g.Min, g.Max, g.Desired)
	}
	for _, c := range calls(s.calls(), "UpdateAutoScalingGroup") {
		if c.Params.Has("MinSize") || c.Params.Has("DesiredCapacity") && c.Params.Get("MaxSize") == strconv.Itoa(before.Max) {
			t.Errorf("more was sent than changes: %v", c.Params)
		}
	}
}

// A zone has no capacity when the group is raised, and has some before time is
// up: the run waits at the door, continues by itself, and ends well.
func TestCapacityComesBack(t *testing.T) {
	zone := zones[3]
	s := newScene(t, "room", lab.GroupOptions{Nodes: 2, Zones: []string{zone}})
	s.deploy("batch")
	shared.Cloud().SetCapacity(zone, 0)
	t.Cleanup(func() { shared.Cloud().SetCapacity(zone, -1) })

	p := s.upgrade()
	p.await("warning", because("capacity"), saying("no instance in "+zone), saying("InsufficientInstanceCapacity"))
	if early := p.all("node.draining"); len(early) > 0 {
		t.Errorf("a drain began before there was a new node: %v", early[0])
	}
	shared.Cloud().SetCapacity(zone, -1)
	p.exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	s.checkNothingTwice()
}

// In the middle of a run new machines stop joining: drains stop before too few
// nodes are left, the run says so and leaves itself to be resumed (9). A user
// ends the machines that did not join, the next ones do, and the run ends well.
func TestReplacementsNeverJoin(t *testing.T) {
	s := newScene(t, "absent", lab.GroupOptions{Nodes: 5, Zones: oneZone})
	s.deploy("batch", "agent")

	p := s.upgrade("--gate-pause", "4s", "--post-drain-wait", "2s")
	p.await("node.settling") // its machine's replacement is the next to launch
	shared.Cloud().NeverJoin(s.group.Name, 100)
	p.exits(9).says("paused", "drainboard upgrade ng-absent", "Not restored yet")

	checkEvents(t, p.said())
	p.await("warning", because("drain-gate"), saying("4 nodes in service, 4 required"))
	p.await("run.paused", saying("no drain could start for 4s"))
	shared.Cloud().NeverJoin(s.group.Name, 0)
	for _, i := range s.absent() {
		shared.Cloud().Kill(i)
	}
	s.eventually(func() error {
		if n := len(s.nodes()); n != 7 {
			return fmt.Errorf("%d nodes, want 7", n)
		}
		return nil
	})
	p = s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	s.checkRolled()
	s.checkNothingTwice()
}

// absent are the group's instances in service without a node.
func (s *scene) absent() []string {
	s.t.Helper()
	joined := map[string]bool{}
	for _, n := range s.nodes() {
		joined[n.Name] = true
	}
	var ids []string
	for _, i := range s.instances() {
		if !joined[i.PrivateDNS] {
			ids = append(ids, i.ID)
		}
	}
	return ids
}

// A replacement never gets Ready after nodes were drained: the run pauses with the node and the
// reason (exit 9), and an abort ends it.
func TestReplacementNeverReady(t *testing.T) {
	s := newScene(t, "unwell", lab.GroupOptions{Nodes: 4, Zones: oneZone})
	s.deploy("batch", "agent")

	p := s.upgrade("--node-ready-timeout", "15s", "--post-drain-wait", "2s")
	p.await("node.settling") // its machine's replacement is the next to launch
	shared.NeverReady(s.group.Name, 1)
	p.exits(9).says("paused: replacement overdue: node ip-", "is not Ready", "container runtime network not ready")

	checkEvents(t, p.said())
	s.run("abort", s.group.Name, "--yes").exits(3)
	s.checkRestored()
	s.checkRemovals()
	s.checkPods()
}
