package sim

import (
	"flag"
	"testing"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "play only this seed, and print its script")
	seedsFlag = flag.Uint64("seeds", 200, "how many seeds to play")
)

// TestRandom plays small random clusters with random faults through the checker.
// A broken rule prints its seed; go test ./engine/sim -run TestRandom -seed=N
// plays it again and prints its script, to be shrunk into engine/testdata.
func TestRandom(t *testing.T) {
	if *seedFlag != 0 {
		told, broken := NewScript().random(*seedFlag, strategyOf(*seedFlag))
		t.Log("\n" + told)
		if broken != "" {
			t.Fatal(broken)
		}
		return
	}
	for half := range uint64(2) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for seed := 1 + half; seed <= *seedsFlag; seed += 2 {
				if _, broken := NewScript().random(seed, strategyOf(seed)); broken != "" {
					t.Errorf("seed %d: %s\nplay it again: go test ./engine/sim -run TestRandom -seed=%d", seed, broken, seed)
				}
			}
		})
	}
}

// strategyOf deals the strategies out.
func strategyOf(seed uint64) string { return []string{"eks", "eks", "eks-minimal"}[seed%3] }
