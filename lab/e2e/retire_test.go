package e2e

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/cloud"
)

// An operator aborts a run whose new nodes hold pods, and has the surplus retired: the group has
// its size again, its old nodes stay, and no budget was broken for it.
func TestAbortRetires(t *testing.T) {
	s := newScene(t, "abort-retire", lab.GroupOptions{Nodes: 3, Zones: oneZone}, "read", "upgrade", "hear")
	s.deploy("web", "batch")

	p := s.upgrade()
	p.await("node.replaced")
	s.operator().run("abort", s.group.Name, "--retire", "--yes").exits(0)
	p.exits(3)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "aborted", 3)
	p.await("phase.started", inPhase("retire"))
	s.checkRetired()
}

// A budget shuts after the first node, and the run fails with new nodes that hold pods. Once the
// budget is open again the group's surplus is retired by a command of its own.
func TestRetireLater(t *testing.T) {
	s := newScene(t, "retire-later", lab.GroupOptions{Nodes: 3, Zones: oneZone})
	s.deploy("web", "batch")

	p := s.upgrade("--drain-timeout", "30s")
	p.await("node.replaced")
	s.patch("poddisruptionbudgets", "web", `{"spec":{"maxUnavailable":0}}`)
	p.exits(4)
	left := s.raiseLeft()
	if left == nil || left.Desired <= 0 || left.Command != "drainboard retire "+s.group.Name {
		t.Fatalf("the failed run has left %+v", left)
	}
	s.patch("poddisruptionbudgets", "web", `{"spec":{"maxUnavailable":1}}`)
	p = s.launch("retire", s.group.Name, "--auto", "-o", "json").exits(0)

	checkEvents(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	if n := len(p.all("node.replaced")); n != left.Desired {
		t.Errorf("%d nodes were retired, %d were too many", n, left.Desired)
	}
	s.checkRetired()
}

// raiseLeft is what the group's last run left of its raise, as status tells it.
func (s *scene) raiseLeft() *api.Raise {
	s.t.Helper()
	var status api.GroupStatus
	if err := json.Unmarshal([]byte(s.run("status", s.group.Name, "-o", "json").exits(0).out()), &status); err != nil {
		s.t.Fatal(err)
	}
	return status.LatestRun.RaiseLeft
}

// checkRetired sees that nothing of a raise is left, that nothing went but by the rules, and that
// not all old machines have gone for it.
func (s *scene) checkRetired() {
	s.t.Helper()
	s.checkSizes()
	s.checkNodes(s.before.Desired)
	s.checkPods()
	s.checkRemovals()
	s.checkTerminatedOnce()
	s.checkActions()
	s.checkReleased()
	if left := s.raiseLeft(); left != nil {
		s.t.Errorf("a raise is left: %+v", left)
	}
	stay := 0
	for _, i := range s.instances() {
		if slices.ContainsFunc(s.before.Instances, func(b cloud.Instance) bool { return b.ID == i.ID }) {
			stay++
		}
	}
	if stay == 0 {
		s.t.Error("no old instance is left")
	}
}
