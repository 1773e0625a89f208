package record

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record/shards"
)

// What was put on a node is not advised to be taken off once its machine is ended: it goes with it.
func TestOutstandingLeavesOutNodesThatAreGone(t *testing.T) {
	r := Run{Group: "web", Phases: []Phase{{}}, Nodes: shards.Of(map[string]Node{}), Marks: map[string][]Mark{}}
	for id, n := range map[string]Node{
		"i-1": {Name: "stays", Stage: Draining}, "i-2": {Name: "asked", Stage: Terminating},
		"i-3": {Name: "ended", Stage: Terminating, Ends: true}, "i-4": {Name: "gone", Stage: Replaced},
	} {
		r.Nodes = r.Nodes.With(id, n)
		r.Marks[id] = []Mark{{Put: CordonOf(id, n.Name)}}
	}
	got := strings.Join(r.Outstanding(), "\n")
	for name, want := range map[string]bool{"stays": true, "asked": true, "ended": false, "gone": false} {
		if strings.Contains(got, "kubectl uncordon "+name) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
