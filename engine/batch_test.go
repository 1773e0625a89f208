package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/drainboard/drainboard/engine"
)

// An order is the same on any machine, another one for another seed, and takes
// turns between the zones.
func TestShuffle(t *testing.T) {
	zones := map[string]string{}
	for i := range 12 {
		zones[fmt.Sprintf("i-%02d", i)] = string(rune('a' + i%3))
	}
	one, again, other := engine.Shuffle(1, zones), engine.Shuffle(1, zones), engine.Shuffle(2, zones)
	if !slices.Equal(one, again) {
		t.Errorf("one seed, two orders: %v, %v", one, again)
	}
	if slices.Equal(one, other) {
		t.Errorf("two seeds, one order: %v", one)
	}
	for i := 0; i < len(one); i += 3 {
		seen := map[string]bool{}
		for _, id := range one[i : i+3] {
			seen[zones[id]] = true
		}
		if len(seen) != 3 {
			t.Errorf("nodes %d to %d of the order are of %d zones, want one of each", i, i+2, len(seen))
		}
	}
	first := map[string]int{}
	for seed := range uint64(600) {
		first[engine.Shuffle(seed, zones)[0]]++
	}
	for id := range zones {
		if n := first[id]; n < 20 || n > 100 {
			t.Errorf("%s is first in %d of 600 orders, want about 50", id, n)
		}
	}
}

// The fullest zone goes first, until all are even.
func TestShuffleUnevenZones(t *testing.T) {
	zones := map[string]string{"i-1": "a", "i-2": "a", "i-3": "a", "i-4": "b"}
	order := engine.Shuffle(7, zones)
	if zones[order[0]] != "a" || zones[order[1]] != "a" {
		t.Errorf("order %v: want two of zone a before any of b", order)
	}
}
