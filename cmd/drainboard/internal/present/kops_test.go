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
	got := text(p)
	for _, want := range []string{
		"k8s.example.com / nodes-a (node): 2 nodes to replace", "Up to 3 at once", "2 extra machines, and up to 1 of the group's 2 may be away",
		"WHY", "older spec", "needs-update annotation", "What is done, by the rules of kops:", "the cluster is validated; if something is not valid the run ends there (exit code 7)",
		"2 machines are detached from the group, which launches others in their place: a2; detached ones go last", "one goes alone at first",
		"15s after that 2 looks in a row must find the cluster valid (10s apart, again 30s after one that found something) within 15m0s, else the run ends (exit code 7)",
		"max-surge            2 (flag)", "validate-count       2 (",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the plan does not say %q:\n%s", want, got)
		}
	}
	p.Role, p.Extra, p.Limit = world.RoleBastion, 0, 1
	if got := strings.Join(kopsSteps(p), "\n"); !strings.Contains(got, "each machine is ended without a drain: it is no node of the cluster\n15s after that") || strings.Contains(got, "the cluster is validated") || strings.Contains(got, "taint") {
		t.Errorf("of bastions:\n%s", got)
	}
	p.Role, p.Run.Settings.KeepOld, p.Extra = world.RoleNode, true, 2
	if got := kopsSteps(p); !slices.Contains(got, "none of the nodes is drained or ended: drainAndTerminate is false") {
		t.Errorf("with drainAndTerminate false: %v", got)
	}
}
