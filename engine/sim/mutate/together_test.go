package main

import (
	"slices"
	"testing"
)

// The seeds that a random play names are read from what it says, and whether it has ended early.
func TestFailing(t *testing.T) {
	said := "--- FAIL: TestRandom (0.19s)\n    random_test.go:117: plays seeds 51 to 100\n        random_test.go:129: seed 58: BROKEN: rule 1: \n            play it again: -seed=58\n        random_test.go:129: seed 53: BROKEN: rule 3: \n"
	if seeds, all := failing(said); !slices.Equal(seeds, []uint64{53, 58}) || !all {
		t.Errorf("%v, all: %v", seeds, all)
	}
	if seeds, _ := failing("panic: nil map\n"); len(seeds) != 0 {
		t.Errorf("a crash names %v", seeds)
	}
	many := ""
	for range maxFailing {
		many += "        random_test.go:129: seed 7: BROKEN\n"
	}
	if _, all := failing(many); all {
		t.Error("a play that has ended early counts as whole")
	}
}
