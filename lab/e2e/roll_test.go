package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/lab"
)

// Twelve nodes in three zones with an ordinary workload, to the end.
func TestRoll(t *testing.T) {
	s := newScene(t, "roll", lab.GroupOptions{Nodes: 12, Min: 3, Max: 14, EKS: true})
	s.deploy("web", "api", "batch", "db", "agent", "single", "finished")

	begin := time.Now()
	p := s.upgrade("--max-unavailable", "2").exits(0)
	took := time.Since(begin)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	if n := len(p.all("node.replaced")); n < 12 {
		t.Errorf("%d nodes replaced, want 12", n)
	}
	s.checkRolled()
	st := s.status()
	if st.State != "finished" || st.Result != "succeeded" || st.Replaced != 12 || len(st.Unrestored) > 0 {
		t.Errorf("status %+v", st)
	}
	figures := fmt.Sprintf("12 nodes, 3 zones, two at once, in %s\n%s", took.Round(time.Second), s.figures(12))
	t.Log(figures)
	fmt.Println("e2e:", figures)
}

// Three nodes in three zones: the group is raised by six, so three new nodes are
// too many in the end and are drained again, under all budgets.
func TestRollOfASmallGroup(t *testing.T) {
	s := newScene(t, "small", lab.GroupOptions{Nodes: 3})
	s.deploy("web", "api", "db", "agent")

	p := s.upgrade().exits(0)

	checkEvents(t, p.said())
	checkOrder(t, p.said())
	checkFinished(t, p.said(), "succeeded", 0)
	if n := len(p.all("node.replaced", because("surplus"))); n != 3 {
		t.Errorf("%d surplus nodes retired, want 3", n)
	}
	s.checkRolled()
}

// A target by image makes a template version, once; a target by number works
// backwards too.
func TestTargets(t *testing.T) {
	s := newScene(t, "targets", lab.GroupOptions{Nodes: 2, Zones: oneZone})
	s.deploy("web", "agent")
	launched := func(version int64) {
		t.Helper()
		for _, i := range s.instances() {
			if i.TemplateVersion != version {
				t.Errorf("%s was launched from version %d, want %d", i.ID, i.TemplateVersion, version)
			}
		}
	}

	p := s.upgrade("--ami", "ami-another").exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	launched(3)

	p = s.upgrade("--ami", "ami-another").exits(0)
	if n := len(p.all("capacity.changed")); n > 0 {
		t.Errorf("%d changes of the group, which has the image already", n)
	}
	launched(3)

	p = s.upgrade("--launch-template-version", "1").exits(0)
	checkFinished(t, p.said(), "succeeded", 0)
	launched(1)
	s.checkSizes()
	s.checkNoMarks()
	s.checkPods()
	s.checkBudgets()
}
