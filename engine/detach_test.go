package engine

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
)

// Who stops a run at once reads what is outside its group or its load balancers, or may be:
// each with the command that would put it right.
func TestOutstandingOutside(t *testing.T) {
	r := record.Run{
		Group: "nodes", Phases: []record.Phase{{Name: "surge"}},
		Nodes: shards.Of(map[string]record.Node{
			"i-1": {Name: "a1", Stage: record.Outdated, Detached: true},
			"i-2": {Name: "a2", Stage: record.Outdated},
			"i-3": {Name: "a3", Stage: record.Draining},
			"i-4": {Name: "a4", Stage: record.Skipped, OffBalancers: true},
			"i-5": {Name: "a5", Stage: record.Replaced, Detached: true, OffBalancers: true},
			"i-6": {Name: "a6", Stage: record.Outdated},
		}),
		Pending: map[string]record.Pending{
			record.DetachKey("i-2"):     {Action: record.Action{Kind: record.Detach}},
			record.DeregisterKey("i-3"): {Action: record.Action{Kind: record.Deregister}},
		},
	}
	all := strings.Join(r.Outstanding(), "\n")
	for _, want := range []string{"--instance-ids i-1", "--instance-ids i-2", "--targets Id=i-3", "--targets Id=i-4"} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q:\n%s", want, all)
		}
	}
	for _, never := range []string{"i-5", "i-6"} {
		if strings.Contains(all, never) {
			t.Errorf("%s is named, and is gone or was not touched:\n%s", never, all)
		}
	}
}
