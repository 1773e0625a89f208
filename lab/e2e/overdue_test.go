package e2e

import (
	"path"
	"strconv"
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// A replacement runs and does not join, in a group whose size nobody else touches and in one that
// another tool has raised: the run names it, pauses and leaves it at that (exit 9). Once the instance
// is replaced the same run ends well.
func TestReplacementOverdue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		raised int // by how much another tool raises the group
	}{{"alone", 0}, {"raised", 1}} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, "overdue-"+c.name, lab.GroupOptions{Nodes: 4, Zones: oneZone})
			s.deploy("batch")

			first := s.upgrade("--node-ready-timeout", "10s")
			first.await("phase.started", inPhase("upgrade"))
			shared.Cloud().NeverJoin(s.group.Name, 1)
			if c.raised > 0 {
				g, _ := shared.Cloud().Group(s.group.Name)
				s.aws("UpdateAutoScalingGroup", "AutoScalingGroupName", s.group.Name, "MaxSize", strconv.Itoa(g.Max+c.raised), "DesiredCapacity", strconv.Itoa(g.Desired+c.raised))
			}
			first.exits(9).says("replacement overdue", "has not joined the cluster", "console")
			checkEvents(t, first.said())

			s.aws("TerminateInstanceInAutoScalingGroup", "InstanceId", s.unjoined(), "ShouldDecrementDesiredCapacity", "false")
			second := s.upgrade("--node-ready-timeout", "60s").exits(0)

			checkEvents(t, second.said())
			checkFinished(t, second.said(), "succeeded", 0)
			if a, b := first.said()[0].Run, second.said()[0].Run; a != b {
				t.Errorf("the second process drove run %s, not %s", b, a)
			}
			if c.raised == 0 {
				s.checkSizes()
				s.checkNodes(4)
			}
			if s.unjoined() != "" {
				t.Errorf("instance %s has no node", s.unjoined())
			}
			s.checkPods()
			s.checkRemovals()
			s.checkReleased()
		})
	}
}

// unjoined is an instance in service without a node, "" if there is none.
func (s *scene) unjoined() string {
	s.t.Helper()
	joined := map[string]bool{}
	for _, n := range s.nodes() {
		joined[path.Base(n.Spec.ProviderID)] = true
	}
	for _, i := range s.instances() {
		if !joined[i.ID] {
			return i.ID
		}
	}
	return ""
}
