package play

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/sim/script"
)

var boundariesFlag = flag.Uint64("boundaries", 3, fmt.Sprintf("how many seeds of a roll of 12 nodes to crash: of fewer than %d at every 15th action of each, else at every action of the first 3 and at some of the others", manyBoundaries))

// manyBoundaries is how many seeds are more than a sample.
const manyBoundaries = 20

// twelve is a roll of 12 nodes up to its start. MINIMAL raises nothing: where each node that drains keeps
// a pod of one budget, because those evicted have no room, none gets empty. Its budget lets one of
// three nodes with two such pods each lose both.
func twelve(t *testing.T, seed uint64) *script.Script {
	t.Helper()
	most := 1 + seed%4
	if strategyOf(seed) == "eks-minimal" {
		most = 4
	}
	c := script.New()
	if out, err := c.Do(fmt.Sprintf(`
		seed %d
		cluster zones=a,b,c nodes=12 min=%d
		workload web replicas=16 stop=%ds
		workload db kind=statefulset replicas=3 stop=2s
		workload logs kind=daemonset
		budget web max=%d
		budget db max=1
		settings strategy=%s max-unavailable=%d post-drain-wait=%ds
		start`, seed, seed%4, 1+seed%7, most, strategyOf(seed), 1+seed%3, 1+seed%5)); err != nil {
		t.Fatal(err, out)
	}
	c.Driver.Audit, c.Hurried = 1<<30, true
	return c
}

// twelveOfKops is one of kops's, up to its start: with a surge, and without.
func twelveOfKops(t *testing.T, seed uint64) *script.Script {
	t.Helper()
	c := script.New()
	if out, err := c.Do(fmt.Sprintf(`
		seed %d
		timing notice=%ds
		cluster provider=kops zones=a,b,c nodes=12 min=%d detached=%d
		peer masters role=control-plane nodes=3
		peer others role=node nodes=2
		balancer takes=%ds
		workload web replicas=16 stop=%ds
		workload db kind=statefulset replicas=3 stop=2s
		workload logs kind=daemonset
		workload dns critical=cluster replicas=2
		budget web max=%d
		budget db max=1
		settings strategy=kops max-surge=%d max-unavailable=%d post-drain-wait=%ds
		start`, seed, 1+seed%20, seed%4, seed%2, seed%10, 1+seed%7, 1+seed%4, []int{0, 4, 1}[seed%3], []int{1, 0, 1}[seed%3], 1+seed%5)); err != nil {
		t.Fatal(err, out)
	}
	c.Driver.Audit, c.Hurried = 1<<30, true
	return c
}

// toItsEnd plays a roll, and checks that it ended well: no rule was broken, and no more
// machines were launched than without a crash, so none was ended twice or in vain.
func toItsEnd(c *script.Script, want int) error {
	if _, err := c.Do("run until=end"); err != nil {
		return err
	}
	switch d := c.Driver; {
	case d.Run.Result != record.Succeeded:
		return fmt.Errorf("it ended %s: %s", d.Run.Result, d.Run.Why)
	case len(d.Run.Unrestored) > 0:
		return fmt.Errorf("left behind: %v", d.Run.Unrestored)
	case want > 0 && launched(c) != want:
		return fmt.Errorf("%d machines were launched, without a crash %d", launched(c), want)
	}
	return nil
}

// launched is how many machines there were.
func launched(c *script.Script) (n int) {
	for _, zone := range c.Sim.Group.Zones {
		n += c.Sim.Made(zone)
	}
	return n
}

// TestCrashAtEveryAction rolls 12 nodes, and again for each of the actions of that
// roll: the process dies before it is sent, after it has arrived but before its
// answer is known, and after it was sent and got lost. Another one continues, and the
// end passes the same checks as that of the roll without a crash (rule 6).
func TestCrashAtEveryAction(t *testing.T) {
	crashEverywhere(t, twelve, record.AddTaint, record.Cordon, record.AddLabel, record.Evict, record.LookAtPods, record.Terminate)
}

// TestCrashBesideBudget: a process dies with its first evictions, and the other one sends them in another
// order, so that each node that drains keeps a pod of one budget.
func TestCrashBesideBudget(t *testing.T) {
	for _, at := range []drive.Boundary{{Nth: 14}, {Nth: 15, After: true}} {
		c := twelve(t, 53000000000)
		c.Driver.CrashAt(at, drive.Crash{Pause: 10 * time.Second, Lost: at.After})
		if err := toItsEnd(c, 0); err != nil || c.Driver.Deaths != 1 {
			t.Errorf("action %d, %d crashes: %v", at.Nth, c.Driver.Deaths, err)
		}
	}
}

// TestCrashAtEveryActionOfKops does the same with kops's.
func TestCrashAtEveryActionOfKops(t *testing.T) {
	crashEverywhere(t, twelveOfKops, record.AddTaint, record.Detach, record.Cordon, record.AddLabel, record.Deregister, record.Evict, record.LookAtPods, record.Terminate)
}

// again is the command that plays a seed of this suite again, at every action.
func again(t *testing.T, seed uint64) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("play it again: go test ./engine/sim/play -run '%s$' -from=%d -boundaries=%d", name, seed, manyBoundaries)
}

// crashEverywhere lets the process of a roll die everywhere; it has to have died at some
// kinds of actions.
func crashEverywhere(t *testing.T, roll func(*testing.T, uint64) *script.Script, wanted ...record.ActionKind) {
	type life struct {
		seed  uint64
		at    drive.Boundary
		crash drive.Crash
	}
	var lives []life
	from, seeds, start := *fromFlag, *boundariesFlag, time.Now()
	t.Logf("plays %s", span(from, seeds))
	without, skipped := map[uint64]int{}, uint64(0)
	for seed := from; seed < from+seeds; seed++ {
		c := roll(t, seed)
		if err := toItsEnd(c, 0); err != nil {
			if len(c.Driver.Broken) > 0 {
				t.Fatalf("seed %d, without a crash: %v\n%s", seed, err, again(t, seed))
			}
			skipped++ // a cluster with too little room, as a rule
			continue
		}
		without[seed] = launched(c)
		stride := 1
		switch {
		case seeds < manyBoundaries:
			stride = 15 // a different part of them for each way to die
		case len(without) > 3:
			stride = max(1, c.Driver.Sent/2) // two of each, at other places for each seed
		}
		for way := range 3 {
			for k := 1 + (way*stride/3+int(seed%1000)*17)%stride; k <= c.Driver.Sent; k += stride {
				lives = append(lives, life{seed, drive.Boundary{Nth: k, After: way > 0}, drive.Crash{Pause: 10 * time.Second, Lost: way == 2}})
			}
		}
	}
	var next, failed atomic.Int64
	var mu sync.Mutex
	kinds := map[string]int{}
	t.Run("lives", func(t *testing.T) {
		for shard := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(shard), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < int64(len(lives)) && failed.Load() < 5; n = next.Add(1) - 1 {
					l := lives[n]
					c := roll(t, l.seed)
					c.Driver.CrashAt(l.at, l.crash)
					if err := toItsEnd(c, without[l.seed]); err != nil {
						failed.Add(1)
						t.Errorf("seed %d, action %d (after %v, lost %v): %v\n%s", l.seed, l.at.Nth, l.at.After, l.crash.Lost, err, again(t, l.seed))
					}
					if c.Driver.Deaths != 1 {
						t.Errorf("seed %d, action %d: the process died %d times", l.seed, l.at.Nth, c.Driver.Deaths)
					}
					mu.Lock()
					for kind, n := range c.Driver.Crashes {
						kinds[kind] += n
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%s in %s: %d rolls of %d seeds died: %v", span(from, seeds), time.Since(start).Round(time.Second), len(lives), len(without), kinds)
	if len(without) == 0 {
		t.Error("no seed ends well without a crash")
	}
	if seeds < manyBoundaries {
		return
	}
	if skipped > seeds/5 {
		t.Errorf("%d seeds do not even end well without a crash", skipped)
	}
	for _, kind := range wanted {
		if kinds[string(kind)] == 0 {
			t.Errorf("no process died at %s", kind)
		}
	}
}
