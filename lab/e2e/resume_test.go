package e2e

import (
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// A crash at any point, and a second process that continues: the end passes the
// same checks as that of a run without one, and no machine is ended twice.
func TestResume(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, at, phase string
		nodes           int
		workload        []string
	}{
		{"setup", "phase.started", "setup", 2, []string{"web"}},
		{"launch", "node.launching", "scale up", 2, []string{"web"}},
		{"taint", "node.tainted", "scale up", 2, []string{"web"}},
		// Without budgets: one that a killed eviction had passed half of would count
		// the pod as gone for two minutes, whichever process continues.
		{"evict", "pod.evicted", "upgrade", 2, []string{"batch", "single"}},
		{"settle", "node.settling", "upgrade", 2, []string{"web", "db", "agent"}},
		{"terminate", "node.terminating", "upgrade", 2, []string{"web", "db", "agent"}},
		{"retire", "node.draining", "scale down", 1, []string{"web"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, "kill-"+c.name, lab.GroupOptions{Nodes: c.nodes, Zones: oneZone})
			s.deploy(c.workload...)

			first := s.upgrade()
			first.await(c.at, inPhase(c.phase))
			first.crash()
			second := s.upgrade().exits(0)

			checkEvents(t, first.said())
			checkEvents(t, second.said())
			checkFinished(t, second.said(), "succeeded", 0)
			second.await("run.started", because("resumed"))
			if a, b := first.said()[0].Run, second.said()[0].Run; a != b {
				t.Errorf("the second process drove run %s, not %s", b, a)
			}
			s.checkRolled()
		})
	}
}

// Crashed while a budget holds the drain, which opens while nobody drives.
func TestResumeOfABlockedDrain(t *testing.T) {
	s := newScene(t, "kill-blocked", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("checkout", "agent")

	first := s.upgrade("--eviction-retry", "5s")
	first.await("node.blocked")
	first.crash()
	s.scale("checkout", 4)
	second := s.upgrade().exits(0)

	checkEvents(t, second.said())
	checkFinished(t, second.said(), "succeeded", 0)
	s.checkRolled()
}
