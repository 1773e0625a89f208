package snapshot

import (
	"testing"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// A node that was updated in place has its former version among the old ones, and what it has now
// among the new ones.
func TestVersionsOfNodesUpdatedInPlace(t *testing.T) {
	w := world.New()
	w.SetMachines([]world.Machine{{ID: "i-1"}, {ID: "i-2"}, {ID: "i-3"}})
	for machine, version := range map[string]string{"i-1": "v1.32.4", "i-2": "v1.31.7", "i-3": "v1.32.4"} {
		w.SetNode(&world.Node{Name: "node-" + machine, Machine: machine, Version: version})
	}
	run := record.Run{State: record.Running, Nodes: shards.Of(map[string]record.Node{
		"i-1": {Name: "node-i-1", Old: "v1.31.7", Stage: record.Replaced},
		"i-2": {Name: "node-i-2", Old: "v1.31.7", Stage: record.Outdated},
		"i-3": {Name: "node-i-3", Old: "v1.32.4", Stage: record.Ready, New: true},
	})}
	if from, to := versions(&assess.Reader{W: w, Run: run}); from != "v1.31.7" || to != "v1.32.4" {
		t.Errorf("from %q to %q", from, to)
	}
}
