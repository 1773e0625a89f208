package present

import (
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// The plan of a group of kops says what is done, and why each node is chosen.
func TestKopsPlan(t *testing.T) {
	s := strategy.Kops{}.Defaults()
	s.MaxSurge, s.MaxUnavailable, s.Origin["max-surge"] = record.Amount{N: 2}, record.Amount{N: 1}, "flag"
	p := planned()
	p.Strategy, p.Run.Strategy, p.Run.Settings, p.Run.Alias, p.Role, p.Run.Cluster = "kops", "kops", s, "nodes-a", world.RoleNode, "k8s.example.com"
	p.Limit, p.Extra, p.Detach = 3, 2, []string{"i-2"}
	p.Nodes[0].Why, p.Nodes[1].Why = "older spec", "needs-update annotation"
	got := planText(p)
	for _, want := range []string{
		"k8s.example.com / nodes-a (node): 2 nodes to replace", "Up to 3 at once", "Surge during the run: 2 instances; up to 1 of the group's 2 may be out of service",
		"WHY", "older spec", "needs-update annotation", "Steps, by kops's rules:", "the cluster is validated; if it is not valid the run ends (exit code 7)",
		"2 instances are detached from the group, which launches replacements: a2; detached instances are terminated last", "one is replaced alone first",
		"15s after that the cluster must pass 2 validations in a row (10s apart, 30s after a failed one) within 15m0s, else the run ends (exit code 7)",
		"max-surge            2 (flag)", "validate-count       2 (",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not say %q:\n%s", want, got)
		}
	}
	p.Role, p.Extra, p.Limit = world.RoleBastion, 0, 1
	if got := strings.Join(kopsSteps(p), "\n"); !strings.Contains(got, "each instance is terminated without a drain: it is not a node of the cluster\n15s after that") || strings.Contains(got, "the cluster is validated") || strings.Contains(got, "taint") {
		t.Errorf("of bastions:\n%s", got)
	}
	p.Role, p.Run.Settings.KeepOld, p.Extra = world.RoleNode, true, 2
	if got := kopsSteps(p); !slices.Contains(got, "no node is drained or terminated: drainAndTerminate is false") {
		t.Errorf("with drainAndTerminate false: %v", got)
	}
}
