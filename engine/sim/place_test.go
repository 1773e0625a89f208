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
