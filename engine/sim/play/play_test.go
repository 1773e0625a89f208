package play

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/sim/script"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "play only this seed, and print its script")
	seedsFlag = flag.Uint64("seeds", 1000, "how many seeds to play")
	fromFlag  = flag.Uint64("from", 1, "the first seed that every suite plays")
)

// span is the seeds that a suite plays, in words.
func span(from, seeds uint64) string { return fmt.Sprintf("seeds %d to %d", from, from+seeds-1) }

// tally is what a number of seeds came to.
type tally struct {
	sync.Mutex
	decisions, requests   int
	passed, passedTold    int // pods that Gardener has deleted past their budgets, and those of them that were told
	said, struck, crashes map[string]int
}

func (t *tally) add(c *script.Script, told string) {
	t.Lock()
	defer t.Unlock()
	for line := range strings.Lines(told) {
		switch words := strings.Fields(line); {
		case len(words) == 0:
		case words[0] == "crash", words[0] == "sleep", words[0] == "again", words[0] == "retire":
			t.said[words[0]]++
		case len(words) > 1 && (words[0] == "fault" || words[0] == "user" || words[0] == "operator"):
			t.said[words[0]+" "+words[1]]++
		}
	}
	if c.Driver == nil {
		return
	}
	t.decisions += c.Driver.Decisions
	t.requests += c.Driver.Requests
	t.passed += len(c.Sim.Pool.Passed)
	t.passedTold += c.Driver.Run.Passed.Inferred
	for at, n := range c.Driver.Crashes {
		t.crashes[at] += n
	}
	for what, n := range c.Driver.Struck {
		t.struck[what] += n
	}
}

func (t *tally) String() string {
	list := func(m map[string]int) string {
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%d decisions, %d requests, %d of %d pods deleted past their PDBs told\nfaults of requests: %s\nsaid: %s\ncrashes: %s", t.decisions, t.requests, t.passedTold, t.passed, list(t.struck), list(t.said), list(t.crashes))
}

// TestRandom plays small random clusters with random faults through the checker.
// A broken rule prints its seed; go test ./engine/sim/play -run TestRandom -seed=N
// plays it again and prints its script, to be shrunk into engine/testdata.
func TestRandom(t *testing.T) {
	changes := []record.ActionKind{record.AddTaint, record.RemoveTaint, record.Cordon, record.Evict, record.LookAtPods, record.Terminate, record.CheckEffect}
	rare := []record.ActionKind{record.Uncordon, record.AddLabel, record.RemoveLabel, record.Delete, record.SetSizes, record.Suspend, record.Resume, record.RunHook}
	playAll(t, strategyOf, changes, rare)
}

// TestRandomKops plays clusters of kops.
func TestRandomKops(t *testing.T) {
	changes := []record.ActionKind{record.AddTaint, record.Cordon, record.Detach, record.Deregister, record.Terminate}
	rare := []record.ActionKind{record.Evict, record.LookAtPods, record.CheckEffect, record.AddLabel, record.RemoveTaint, record.Uncordon, record.RemoveLabel, record.Delete, record.EndWarm, record.RunHook}
	playAll(t, func(uint64) string { return "kops" }, changes, rare)
}

// TestRandomDrainboard plays rolls by our own rules.
func TestRandomDrainboard(t *testing.T) {
	changes := []record.ActionKind{record.AddTaint, record.Cordon, record.Evict, record.LookAtPods, record.LookAtRoutes, record.Terminate}
	rare := []record.ActionKind{record.RemoveTaint, record.CheckEffect, record.Uncordon, record.AddLabel, record.RemoveLabel, record.Delete, record.SetSizes, record.Suspend, record.Resume, record.RunHook, record.Scale}
	playAll(t, func(uint64) string { return "drainboard" }, changes, rare)
}

// TestRandomGardener plays rolls of zones by Gardener's rules.
func TestRandomGardener(t *testing.T) {
	changes := []record.ActionKind{record.AddTaint, record.Cordon, record.Evict, record.LookAtPods, record.Terminate}
	rare := []record.ActionKind{record.CheckEffect, record.Uncordon, record.RemoveTaint, record.AddLabel, record.RemoveLabel, record.Delete, record.SetSizes, record.Suspend, record.Resume, record.RunHook}
	playAll(t, func(seed uint64) string { return []string{"gardener", "gardener-seed"}[seed%2] }, changes, rare)
}

// TestRandomGardenerManual plays updates in place that are selected by hand.
func TestRandomGardenerManual(t *testing.T) {
	playAll(t, func(uint64) string { return "gardener-manual" }, []record.ActionKind{record.AddLabel}, []record.ActionKind{record.CheckEffect, record.RunHook})
}

// TestRandomGardenerInPlace plays updates in place that nobody selects.
func TestRandomGardenerInPlace(t *testing.T) {
	changes := []record.ActionKind{record.AddLabel, record.SetSizes, record.Suspend}
	rare := []record.ActionKind{record.CheckEffect, record.RunHook, record.Cordon, record.Uncordon, record.Evict, record.LookAtPods, record.Terminate, record.Resume}
	playAll(t, func(seed uint64) string { return []string{"gardener-inplace", "gardener-inplace-seed"}[seed%2] }, changes, rare)
}

// playAll plays the seeds. Processes have to die at every point of some kinds of actions
// if there were many seeds, and of those that are rare if there were very many.
func playAll(t *testing.T, strategyOf func(seed uint64) string, changes, rare []record.ActionKind) {
	if *seedFlag != 0 {
		told, broken := Random(script.New(), *seedFlag, strategyOf(*seedFlag))
		t.Log("\n" + told)
		if broken != "" {
			t.Fatal(broken)
		}
		return
	}
	name, from, seeds, all := t.Name(), *fromFlag, *seedsFlag, tally{said: map[string]int{}, struck: map[string]int{}, crashes: map[string]int{}}
	var next, failed atomic.Uint64
	t.Logf("plays %s", span(from, seeds))
	start := time.Now()
	t.Run("seeds", func(t *testing.T) {
		for shard := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < seeds && failed.Load() < 10; n = next.Add(1) - 1 {
					c, seed := script.New(), from+n
					told, broken := Random(c, seed, strategyOf(seed))
					all.add(c, told)
					if broken != "" {
						failed.Add(1)
						t.Errorf("seed %d: %s\nplay it again: go test ./engine/sim/play -run '%s$' -seed=%d", seed, broken, name, seed)
					}
				}
			})
		}
	})
	took := time.Since(start)
	t.Logf("%s in %s, %.0f a second: %s", span(from, seeds), took.Round(time.Second), float64(seeds)/took.Seconds(), &all)
	if seeds >= 20000 {
		changes = slices.Concat(changes, rare)
	}
	if name == "TestRandomGardenerManual" && seeds >= 300 && failed.Load() == 0 && all.passedTold == 0 {
		t.Errorf("no pod that was deleted past its PDB is told")
	}
	if seeds >= 5000 && failed.Load() == 0 {
		everyCrash(t, all.crashes, changes)
	}
}

// everyCrash checks that processes have died at every point of actions of some kinds.
func everyCrash(t *testing.T, crashes map[string]int, kinds []record.ActionKind) {
	for _, point := range []drive.CrashPoint{drive.CrashBeforeSave, drive.CrashBeforeAct, drive.CrashMidAct, drive.CrashAfterAct} {
		for _, kind := range kinds {
			if crashes[string(point)+" "+string(kind)] == 0 {
				t.Errorf("rule 6: no process has died %s of %s", point, kind)
			}
		}
	}
}

// strategyOf deals the strategies out.
func strategyOf(seed uint64) string { return []string{"eks", "eks", "eks-minimal"}[seed%3] }
