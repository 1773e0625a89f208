package engine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// At random: budgets open and shut, pods are evicted with a grace period, users delete pods, the
// process is killed and continued, until the controller's drain times out and what is left is
// deleted. Told is each pod that was there with a shut budget when the time was up, once, and no
// other: with the Machines as seen, without them as inferred. Where another process takes over just then
// it says that this is not known.
func TestPassedAtRandom(t *testing.T) {
	told, quiet, missed := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		one := func(in int) bool { return r.IntN(in) == 0 }
		control := one(2)
		f := follow(t, 1, control)
		if !control { // the limits are read in the Shoot
			g := f.w.Group
			p := *g.Pool
			p.Limits = world.DefaultLimits("")
			p.Limits.Guessed = false
			g.Pool = &p
			f.w.SetGroup(g)
		}
		shut, leaving := map[string]bool{}, map[string]bool{}
		for i := range 1 + r.IntN(5) {
			name := fmt.Sprintf("p%d", i)
			f.pod(name, 1)
			shut[name] = !one(4)
			f.budget(name, map[bool]int{true: 0, false: 1}[shut[name]])
		}
		if control {
			f.ends(1, "Initiate node drain")
		} else {
			f.condition(1, "Terminating", "ScaleDown")
		}
		got, taken := map[string]int{}, false
		look := func(d time.Duration) {
			for _, e := range f.forcedIn(d) {
				got[e.Pod]++
				if e.Inferred == control || e.By != "machine-controller-manager" {
					t.Errorf("seed %d, control %t: %+v", seed, control, e)
				}
			}
			if one(6) {
				f.is = again(t, f.is)
			}
			if taken = one(12); taken {
				f.is = engine.TakeOver(f.is, f.now)
			}
		}
		end := f.now.Add(2 * time.Hour)
		for before := end.Add(-40 * time.Second); f.now.Before(before); {
			look(min(time.Duration(1+r.IntN(300))*time.Second, before.Sub(f.now)))
			for _, name := range slices.Sorted(maps.Keys(shut)) {
				switch {
				case leaving[name] && one(3):
					f.w.DeletePod(name)
					delete(shut, name)
				case leaving[name]:
				case one(60):
					shut[name] = !shut[name]
					f.budget(name, map[bool]int{true: 0, false: 1}[shut[name]])
				case !shut[name] && one(10): // the controller's eviction
					f.goes(name)
					leaving[name] = true
				case one(200): // a user
					f.w.DeletePod(name)
					delete(shut, name)
				}
			}
		}
		for _, before := range []time.Duration{39, 26, 12} {
			f.now = end.Add(-before * time.Second)
			look(0)
		}
		f.now = end.Add(time.Duration(r.IntN(3)) * time.Second)
		want := map[string]int{}
		for _, name := range slices.Sorted(maps.Keys(shut)) {
			switch {
			case !leaving[name] && one(6): // a user deletes it just now, with its grace period
				f.goes(name)
			case shut[name] && !leaving[name]:
				want["shop/"+name] = 1
				fallthrough
			default:
				f.w.DeletePod(name)
			}
		}
		if taken && len(want) > 0 { // nobody looked as it happened
			missed++
			f.forcedIn(time.Second)
			if len(f.is.Notes) != 1 || !strings.Contains(f.is.Notes[0], "kept by PDBs went unseen") || f.is.Passed.Nodes != nil {
				t.Errorf("seed %d: notes %q, counted %+v", seed, f.is.Notes, f.is.Passed)
			}
			continue
		}
		look(time.Second)
		look(5 * time.Second)
		if !maps.Equal(got, want) {
			t.Errorf("seed %d, control %t: told %v, want %v", seed, control, got, want)
		}
		if n := f.is.Passed.Seen + f.is.Passed.Inferred; n != len(want) || (f.is.Passed.Inferred > 0) == control && n > 0 {
			t.Errorf("seed %d: counted %+v, want %d", seed, f.is.Passed, len(want))
		}
		told += len(want)
		if len(want) == 0 {
			quiet++
		}
		if f.is.State == record.Finished && len(want) > 0 && f.is.Passed.Seen+f.is.Passed.Inferred == 0 {
			t.Errorf("seed %d: it ended without a word", seed)
		}
	}
	if told < 100 || quiet < 10 || missed < 5 {
		t.Errorf("%d pods are told, %d runs have none to tell, %d could not see: play says little", told, quiet, missed)
	}
}
