package e2e

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sampleFlag lets a part of the stories be played, where time is short: those that are always
// played, a quarter of the others, one that takes several minutes, some scenarios of TestTwin, two
// starts of TestUnwellStarts, three parts of TestKops, and at each action where a process is killed
// one of the two moments.
// The number says which. make test gives the commit's date: each commit plays a part of its own,
// and the same one whenever it is tested. make crash-test-e2e plays all.
var sampleFlag = flag.Uint64("sample", 0, "play a part of the stories, chosen by this number; 0 plays all of them")

// always are the stories of every sample: one of each system from its start to its end, what only
// reads, and the tests that are no stories or have samples of their own.
var always = []string{
	"TestDashboard", "TestGardenerRoll", "TestKops", "TestLooks", "TestManagedGroup", "TestResume", "TestRoll",
	"TestSamplesCoverAll", "TestTwin", "TestTwinsAreToldApart", "TestUnwellStarts",
}

// slow are the stories that take several minutes each, of which a sample has slowSample.
var slow = []string{
	"TestAbortWhileAPIsFail", "TestBusyAPIs",
	"TestKilledAtEachActionOfSetup", "TestKilledAtEachActionOfAZone", "TestKilledAtEachActionOfADrain",
	"TestKilledAtEachActionOfTheEnd", "TestKilledInAWave", "TestKilledWhileItIsAborted", "TestKilledWhileItForces",
	"TestKopsBlind", "TestKopsBlindAbort",
}

const slowSample = 1

// long are the stories that take longer than a sample may.
var long = []string{"TestStorm"}

// beginning is how a story begins in the sources.
var beginning = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// stories are the names of this package's tests, from its sources: the testing package names none.
func stories() (names []string, err error) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, match := range beginning.FindAllStringSubmatch(string(text), -1) {
			names = append(names, match[1])
		}
	}
	slices.Sort(names)
	return names, nil
}

// leftOut are the stories that this sample leaves out.
func leftOut(names []string) []string {
	if *sampleFlag == 0 {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains(always, name) || slices.Contains(slow, name) || slices.Contains(long, name)
	})
	played := slices.Concat(always, sample(slow, slowSample), sample(others, len(others)/4))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(played, name) })
}

// skipStories has the stories skipped that this sample leaves out.
func skipStories() error {
	names, err := stories()
	if err != nil {
		return err
	}
	out := leftOut(names)
	if len(out) == 0 {
		return nil
	}
	fmt.Printf("this sample plays %d of %d stories, without %s\n", len(names)-len(out), len(names), strings.Join(out, ", "))
	return flag.Set("test.skip", "^("+strings.Join(out, "|")+")$")
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

// Every sample has its size, and together they leave out only what takes too long.
func TestSamplesCoverAll(t *testing.T) {
	defer func(given uint64) { *sampleFlag = given }(*sampleFlag)
	all, err := stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(always, slow, long) {
		if !slices.Contains(all, name) {
			t.Errorf("there is no story %s", name)
		}
	}
	names := twins(t)
	played, killed, told := map[string]bool{}, map[uint64]bool{}, map[string]bool{}
	size := 0
	for *sampleFlag = 1; *sampleFlag <= 100; *sampleFlag++ {
		part := sample(names, twinSample)
		if len(part) != twinSample {
			t.Fatalf("sample %d has %d scenarios, want %d", *sampleFlag, len(part), twinSample)
		}
		for _, name := range part {
			played[name] = true
		}
		killed[drawn("killed-end resume", 2)] = true
		out := leftOut(all)
		for _, name := range all {
			if !slices.Contains(out, name) {
				told[name] = true
			}
		}
		for _, name := range always {
			if slices.Contains(out, name) {
				t.Fatalf("sample %d has no %s", *sampleFlag, name)
			}
		}
		if n := len(all) - len(out); size != 0 && n != size || n < len(all)/4 {
			t.Fatalf("sample %d has %d stories of %d, the one before had %d", *sampleFlag, n, len(all), size)
		} else {
			size = n
		}
	}
	*sampleFlag = 0
	if part := sample(names, twinSample); len(played) != len(names) || len(part) != len(names) || len(killed) != 2 {
		t.Errorf("100 samples play %d of %d scenarios, all of them %d, at %d moments", len(played), len(names), len(part), len(killed))
	}
	if out := leftOut(all); len(out) != 0 {
		t.Errorf("without a sample %q are left out", out)
	}
	for _, name := range all {
		if told[name] == slices.Contains(long, name) {
			t.Errorf("100 samples play %s: %v", name, told[name])
		}
	}
}
