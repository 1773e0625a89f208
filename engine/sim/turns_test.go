package sim_test

import (
	"testing"

	"github.com/drainboard/drainboard/engine/sim/script"
)

// TestTurns holds that the scheduler, which looks at a part of a large cluster for
// each pod, continues where it stopped: pods go everywhere.
func TestTurns(t *testing.T) {
	const nodes = 250
	c := script.New()
	if _, err := c.Do("cluster nodes=250\nworkload web replicas=250\nwait for=10s"); err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for _, p := range c.Sim.AllPods() {
		used[p.Node]++
	}
	for node, n := range used {
		if node == "" || n > 2 {
			t.Errorf("%d pods are on node %q", n, node)
		}
	}
	if len(used) < nodes*9/10 {
		t.Errorf("%d of %d nodes have pods", len(used), nodes)
	}
}
