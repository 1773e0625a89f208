package sim

import "testing"

// TestEnough holds the figures of numFeasibleNodesToFind with its defaults.
func TestEnough(t *testing.T) {
	for nodes, want := range map[int]int{1: 1, 100: 100, 101: 100, 200: 100, 1000: 420, 5000: 500, 6000: 300} {
		if got := enough(nodes); got != want {
			t.Errorf("of %d nodes %d are enough, not %d", nodes, got, want)
		}
	}
}

// TestTurns holds that the scheduler, which looks at a part of a large cluster for
// each pod, continues where it stopped: pods go everywhere.
func TestTurns(t *testing.T) {
	const nodes = 250
	c := NewScript()
	if _, err := c.Do("cluster nodes=250\nworkload web replicas=250\nwait for=10s"); err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for _, p := range c.Sim.allPods() {
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
