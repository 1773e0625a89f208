package e2e

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// Nothing is outdated: done, and nothing changed but the lock, which is taken
// and given back. A record is not written.
func TestNothingToDo(t *testing.T) {
	s := newScene(t, "fresh", lab.GroupOptions{Nodes: 2, Zones: oneZone, UpToDate: true})
	s.deploy("web")

	p := s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	p.await("run.finished", saying("no node is outdated"))
	s.checkUntouched()
	if records := s.requests().Where(lab.Request.Write, func(r lab.Request) bool { return r.Resource == "configmaps" }); len(records) > 0 {
		t.Errorf("a record was written: %v", records[0])
	}
	s.checkReleased()
	s.checkAsBefore()
}

// A user raises the group in the middle: all is replaced, the size is left as
// they made it, and it is said so.
func TestUserScales(t *testing.T) {
	s := newScene(t, "scaled", lab.GroupOptions{Nodes: 3, Zones: oneZone, Max: 10})
	s.deploy("checkout", "agent")

	p := s.upgrade()
	p.await("node.blocked")
	g, _ := shared.Cloud().Group(s.group.Name)
	s.aws("SetDesiredCapacity", "AutoScalingGroupName", s.group.Name, "DesiredCapacity", strconv.Itoa(g.Desired+1))
	p.await("capacity.changed", because("external-change"))
	s.scale("checkout", 4)
	p.exits(0)
	p.await("capacity.changed", because("external-change"), saying("desired capacity raised from 5 to 6, not by this run"))

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	after, _ := shared.Cloud().Group(s.group.Name)
	if after.Desired != 3+1 || len(after.Suspended) > 0 { // its own size, and what the other user added
		t.Errorf("desired %d, want 4 (another user added one), suspended %v", after.Desired, after.Suspended)
	}
	for _, i := range s.instances() {
		if i.TemplateVersion != s.group.New {
			t.Errorf("%s is still outdated", i.ID)
		}
	}
	s.checkNodes(after.Desired)
	s.checkPods()
	s.checkRemovals()
	s.checkBudgets()
}

// Two at once: the second names the first and leaves everything alone.
func TestOneAtATime(t *testing.T) {
	s := newScene(t, "held", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout")

	first := s.upgrade()
	first.await("node.blocked")
	s.as("held-second", published(t, "read", "upgrade"))
	first.t.Logf("the holder is pid %d", first.cmd.Process.Pid)
	second := s.upgrade().exits(6)
	second.says("another run holds the group", "pid "+strconv.Itoa(first.cmd.Process.Pid))
	s.checkUntouchedBy("held-second")
	if len(second.said()) > 0 {
		t.Errorf("the second process reported %v", second.said()[0])
	}

	first.signal(syscall.SIGINT)
	first.exits(3)
	s.checkRestored()
	s.checkAsBefore()
}

// checkUntouchedBy sees that a user changed nothing in the cluster, lock included.
func (s *scene) checkUntouchedBy(user string) {
	s.t.Helper()
	user = "system:serviceaccount:default:" + user
	writes := s.audit().Where(lab.By(user), lab.Request.Write, func(r lab.Request) bool { return !review(r) && r.Code < 300 })
	for _, r := range writes {
		s.t.Errorf("%s changed something: %v", user, r)
	}
}

// New nodes do not come, or do not get ready: exit code 5 with the reason in
// words, and the group is as before.
func TestNodeCreationFailure(t *testing.T) {
	t.Parallel()
	full := zones[4:6]
	for _, c := range []struct {
		name   string
		group  lab.GroupOptions
		break_ func(group string)
		says   []string
	}{
		{"capacity", lab.GroupOptions{Nodes: 2, Zones: full}, func(string) { shared.Cloud().SetCapacity(full[1], 0) },
			[]string{"zone " + full[1] + " has no new node", "capacity"}},
		{"absent", lab.GroupOptions{Nodes: 1, Zones: oneZone}, func(group string) { shared.Cloud().NeverJoin(group, 100) },
			[]string{"has not joined the cluster"}},
		{"dead", lab.GroupOptions{Nodes: 1, Zones: oneZone, NewAMI: deadAMI}, func(string) {},
			[]string{"is not Ready", "container runtime network not ready"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, "create-"+c.name, c.group)
			s.deploy("batch")
			c.break_(s.group.Name)

			p := s.upgrade("--node-ready-timeout", "8s").exits(5)

			checkEvents(t, p.said())
			checkFinished(t, p.said(), "NodeCreationFailure", 5)
			p.says("NodeCreationFailure").says(c.says...)
			s.checkRestored()
			if !strings.Contains(p.errOut(), "Not restored") {
				s.checkAsBefore()
			}
			if drained := p.all("node.draining", func(e Event) bool { return e.Phase == "upgrade" }); len(drained) > 0 {
				t.Errorf("a node was drained: %v", drained[0])
			}
			if slices.ContainsFunc(s.requests(), lab.Request.Eviction) {
				t.Error("a pod was evicted")
			}
		})
	}
}

// Another user raises the minimum in the middle, so that the group may not shrink to its
// size before the run: that becomes the minimum, machines end without decrement for it, and
// the run says so.
func TestMinimumRaised(t *testing.T) {
	s := newScene(t, "bound", lab.GroupOptions{Nodes: 1, Zones: oneZone})
	s.deploy("checkout")

	p := s.upgrade()
	p.await("node.blocked")
	s.aws("UpdateAutoScalingGroup", "AutoScalingGroupName", s.group.Name, "MinSize", "3")
	s.scale("checkout", 4)
	p.exits(0).says("minimum size is 3: the group keeps 3 machines, not 1")

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	g, _ := shared.Cloud().Group(s.group.Name)
	if g.Min != 3 || g.Desired != 3 || g.Max != 3 || len(g.Suspended) > 0 {
		t.Errorf("sizes %d/%d/%d (min/max/desired), suspended %v", g.Min, g.Max, g.Desired, g.Suspended)
	}
	s.checkNodes(3)
	s.checkPods()
	s.checkRemovals()
	s.checkTerminatedOnce()
	s.checkReleased()
}
