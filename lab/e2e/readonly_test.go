package e2e

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/lab"
)

// What only looks changes nothing, and needs no more than the published role for
// reading.
func TestReadOnly(t *testing.T) {
	s := newScene(t, "looks", lab.GroupOptions{Nodes: 3}, "read")
	s.deploy("web", "checkout", "twice", "single", "bare", "scratch", "agent")

	groups := s.run("groups").exits(0).out()
	if !strings.Contains(groups, s.group.Name) {
		t.Errorf("groups does not list %s:\n%s", s.group.Name, groups)
	}
	s.run("groups", "-o", "json").exits(0)
	plan := s.run("plan", s.group.Name).exits(0).out()
	for _, want := range []string{
		"3 nodes to replace", "v1.31.4", "6 extra machines",
		"budget checkout never allows an eviction", "is covered by two budgets", "is the only replica",
		"Needs your consent", "looks/bare", "looks/scratch-", "--force-unmanaged", "--delete-emptydir-data",
	} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan does not say %q:\n%s", want, plan)
		}
	}
	s.run("plan", s.group.Name, "-o", "json", "--max-unavailable", "50%").exits(0)
	s.run("upgrade", s.group.Name, "--dry-run").exits(0)
	s.run("status").exits(0)
	s.run("status", s.group.Name).exits(2).says("has no run")
	s.run("version").exits(0)
	s.run("completion", "bash").exits(0)

	s.checkReadOnly()
	s.checkActions()
	if len(s.requests()) == 0 || len(s.calls()) == 0 {
		t.Error("the logs show no request at all")
	}
}

// With its rights for reading only, upgrade starts nothing and names what is missing.
func TestUpgradeWithRightsToReadOnly(t *testing.T) {
	s := newScene(t, "reader", lab.GroupOptions{Nodes: 1, Zones: oneZone}, "read")

	s.upgrade().exits(2).says("patch nodes", "create pods/eviction", "create leases in namespace drainboard", "update configmaps in namespace drainboard")

	s.checkReadOnly()
}
