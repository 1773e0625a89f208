package e2e

import (
	"flag"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
)

// sampleFlag lets the slowest stories be played in part, where time is short: some scenarios
// of TestTwin, some of the slow stories, three starts of TestUnwellStarts, and at each action where a process is killed one of
// the two moments. The number says which. make test gives the commit's date: each commit plays a
// part of its own, and the same one whenever it is tested.
var sampleFlag = flag.Uint64("sample", 0, "play a part of the slowest stories, chosen by this number; 0 plays all of them")

// slow are the stories that take several minutes each, of which a sample has slowSample;
// make crash-test-e2e names them.
var slow = []string{
	"TestAbortWhileAPIsFail", "TestBusyAPIs",
	"TestKilledAtEachActionOfSetup", "TestKilledAtEachActionOfAZone", "TestKilledAtEachActionOfADrain",
	"TestKilledAtEachActionOfTheEnd", "TestKilledWhileItIsAborted", "TestKilledWhileItForces",
	"TestKopsBlind", "TestKopsBlindAbort",
}

const slowSample = 3

// longStory skips a story that takes longer than a sample may: only make crash-test-e2e plays it.
func longStory(t *testing.T) {
	t.Helper()
	if *sampleFlag != 0 {
		t.Skip("longer than a sample may take")
	}
}

// slowStory skips a slow story that this sample leaves out.
func slowStory(t *testing.T) {
	t.Helper()
	if !slices.Contains(slow, t.Name()) {
		t.Fatalf("%s is not listed as a slow story", t.Name())
	}
	if !slices.Contains(sample(slow, slowSample), t.Name()) {
		t.Skip("not in this sample")
	}
}

// sample returns n of the names, in their order, or all of them without a sample.
func sample(names []string, n int) []string {
	if *sampleFlag == 0 || n >= len(names) {
		return names
	}
	random := rand.New(rand.NewPCG(*sampleFlag, 0))
	var part []string
	for i, name := range names {
		// As many as are still wanted, of those that are left.
		if random.IntN(len(names)-i) < n-len(part) {
			part = append(part, name)
		}
	}
	return part
}

// drawn is a number below n for what has this name in this sample.
func drawn(name string, n uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(*sampleFlag, h.Sum64())).Uint64N(n)
}

// Every sample has its size, and together they leave nothing out.
func TestSamplesCoverAll(t *testing.T) {
	defer func(given uint64) { *sampleFlag = given }(*sampleFlag)
	names := twins(t)
	played, killed, told := map[string]bool{}, map[uint64]bool{}, map[string]bool{}
	for *sampleFlag = 1; *sampleFlag <= 100; *sampleFlag++ {
		part := sample(names, twinSample)
		if len(part) != twinSample {
			t.Fatalf("sample %d has %d scenarios, want %d", *sampleFlag, len(part), twinSample)
		}
		for _, name := range part {
			played[name] = true
		}
		killed[drawn("killed-end resume", 2)] = true
		stories := sample(slow, slowSample)
		if len(stories) != slowSample {
			t.Fatalf("sample %d has %d slow stories, want %d", *sampleFlag, len(stories), slowSample)
		}
		for _, name := range stories {
			told[name] = true
		}
	}
	*sampleFlag = 0
	if all := sample(names, twinSample); len(played) != len(names) || len(all) != len(names) || len(killed) != 2 || len(told) != len(slow) {
		t.Errorf("100 samples play %d of %d scenarios, all of them %d, at %d moments, and %d of %d slow stories", len(played), len(names), len(all), len(killed), len(told), len(slow))
	}
}
