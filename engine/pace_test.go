package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// owner is a Shoot whose pool's pace a run sets, as its API has it; the run's world shows it later.
type owner struct {
	*follower
	is    world.Pace // in the API
	seen  world.Pace // in the world
	saved record.Run // as it was written last
	given bool
}

// paced makes a run in a pool whose node is to be replaced, with another pace than the Shoot's.
func paced(t *testing.T, set world.Pace) *owner {
	t.Helper()
	o := &owner{follower: followEarly(t, false), is: world.Pace{MaxSurge: "3", MaxUnavailable: "1"}, given: true}
	o.taint(1, "deployment.machine.sapcloud.io/prefer-no-schedule", "True", "PreferNoSchedule")
	o.reconciles("Processing", 80)
	o.follower.is.Settings.Pace = &set
	o.shows()
	return o
}

// shows has the world show the pace as it is.
func (o *owner) shows() {
	o.seen = o.is
	o.shoot(func(p *world.Pool, _ *world.ShootProgress) {
		p.MaxSurge, p.MaxUnavailable = o.seen.MaxSurge, o.seen.MaxUnavailable
		if p.Shoot = ""; o.given {
			p.Shoot = "garden-dev/prod"
		}
	})
}

// decides takes the run a step on, and saves it. It returns what is asked for of the Shoot.
func (o *owner) decides(d time.Duration, in engine.Inputs) (asked []record.Action) {
	o.follower.asked = nil
	o.steps(d, in)
	o.saved = again(o.t, o.follower.is)
	for _, a := range o.follower.asked {
		if a.Place() == record.InGardenCluster {
			asked = append(asked, a)
		}
	}
	return asked
}

// does carries out an action as the executor does: if the pace is still what it is to be changed from.
func (o *owner) does(a record.Action) record.Outcome {
	out := record.Outcome{Key: a.Key, At: o.now, Verdict: record.Done}
	switch {
	case a.Kind == record.CheckEffect:
		out.Happened = o.is == *a.Of.Pace
	case a.Pace.Halts():
		o.t.Errorf("asked for %s, by which no node could go", a.Pace)
	case o.is != *a.FromPace:
		out.Verdict, out.Refusal = record.Refused, record.RefusedConflict
	default:
		if h := o.saved.Pace; h == nil || a.Key == record.PaceKey && h.Set != *a.Pace || a.Key == record.RestorePaceKey && h.Was != *a.Pace {
			o.t.Errorf("%s → %s is asked for and the record has %+v", a.FromPace, a.Pace, h)
		}
		o.is = *a.Pace
	}
	return out
}

// through says that Gardener has updated the node, and is done.
func (o *owner) through() {
	o.node(1, func(n *world.Node) { n.Taints = nil })
	o.reconciles("Succeeded", 100)
}

// The pace is set with what the run finds recorded, and restored before the run ends.
func TestPaceIsSetAndRestored(t *testing.T) {
	o := paced(t, world.Pace{MaxSurge: "1", MaxUnavailable: "0"})
	was := o.is
	asked := o.decides(0, engine.Inputs{})
	if len(asked) != 1 || *asked[0].Pace != (world.Pace{MaxSurge: "1", MaxUnavailable: "0"}) || o.follower.is.Pace == nil || o.follower.is.Pace.Was != was {
		t.Fatalf("asked for %+v, recorded %+v", asked, o.follower.is.Pace)
	}
	if left := strings.Join(o.saved.Outstanding(), "; "); !strings.Contains(left, "set maxSurge 1, maxUnavailable 0 → maxSurge 3, maxUnavailable 1 of pool web in Shoot garden-dev/prod: kubectl -n garden-dev get shoot prod -o json | jq ") {
		t.Errorf("what is outstanding: %s", left)
	}
	if again := o.decides(time.Second, engine.Inputs{Outcomes: []record.Outcome{o.does(asked[0])}}); len(again) > 0 {
		t.Errorf("asked again: %v", again)
	}
	o.shows()
	o.decides(time.Second, engine.Inputs{})
	o.through()
	asked = o.decides(time.Second, engine.Inputs{})
	if len(asked) != 1 || *asked[0].Pace != was || o.follower.is.State != record.Running {
		t.Fatalf("at the end it is %s, and asks for %+v", o.follower.is.State, asked)
	}
	o.decides(time.Second, engine.Inputs{Outcomes: []record.Outcome{o.does(asked[0])}})
	if o.follower.is.State != record.Running {
		t.Fatalf("it has ended before the Shoot shows the pace: %s", o.follower.is.State)
	}
	o.shows()
	o.shoot(func(_ *world.Pool, s *world.ShootProgress) { s.Generation++ }) // by the change
	o.decides(time.Second, engine.Inputs{})
	if o.follower.is.State != record.Running || o.follower.is.Pace != nil {
		t.Fatalf("it has ended before Gardener has taken the change: %s", o.follower.is.State)
	}
	o.reconciles("Succeeded", 100)
	if asked := o.decides(time.Second, engine.Inputs{}); o.follower.is.State != record.Finished || o.follower.is.ExitCode() != 0 || len(asked) > 0 {
		t.Errorf("it is %s with %d: %s, %v", o.follower.is.State, o.follower.is.ExitCode(), o.follower.is.Why, asked)
	}
}

// What cannot be set is not asked for, and said.
func TestPaceIsNotSet(t *testing.T) {
	for why, is := range map[string]func(*world.Pool, *world.ShootProgress){
		"confineSpecUpdateRollout": func(_ *world.Pool, s *world.ShootProgress) { s.Confined = true },
		"in-place update":          func(p *world.Pool, _ *world.ShootProgress) { p.Pending = true },
		"selected by hand":         func(p *world.Pool, _ *world.ShootProgress) { p.Update = world.ManualInPlaceUpdate },
		"both 0":                   func(p *world.Pool, _ *world.ShootProgress) { p.MaxUnavailable = "0%" },
	} {
		o := paced(t, world.Pace{MaxSurge: "0"})
		o.shoot(is)
		if asked := o.decides(0, engine.Inputs{}); len(asked) > 0 || o.follower.is.Pace != nil || !slices.ContainsFunc(o.follower.is.Notes, func(n string) bool { return strings.Contains(n, why) }) {
			t.Errorf("%s: asked for %v, notes %q", why, asked, o.follower.is.Notes)
		}
	}
}

// A run that is resumed with another pace sets that, and restores what there was before both.
func TestPaceIsChanged(t *testing.T) {
	o := paced(t, world.Pace{MaxSurge: "1", MaxUnavailable: "0"})
	was := o.is
	settles := func() {
		for range 3 {
			var in engine.Inputs
			for _, a := range o.decides(time.Second, in) {
				in.Outcomes = append(in.Outcomes, o.does(a))
			}
			o.shows()
			o.decides(time.Second, in)
		}
	}
	settles()
	o.follower.is.Settings.Pace = &world.Pace{MaxSurge: "2"}
	settles()
	if want := (world.Pace{MaxSurge: "2", MaxUnavailable: "1"}); o.is != want || o.follower.is.Pace.Was != was {
		t.Fatalf("the Shoot has %s, the record %+v", o.is, o.follower.is.Pace)
	}
	o.through()
	settles()
	if o.is != was || o.follower.is.State != record.Finished {
		t.Errorf("in the end the Shoot has %s, the run is %s", o.is, o.follower.is.State)
	}
}

// What another user sets meanwhile is theirs: nothing more is asked for, during the run and at its end.
func TestPaceOfAnotherUser(t *testing.T) {
	o := paced(t, world.Pace{MaxSurge: "1", MaxUnavailable: "0"})
	var in engine.Inputs
	for _, a := range o.decides(0, in) {
		in.Outcomes = append(in.Outcomes, o.does(a))
	}
	o.shows()
	o.decides(time.Second, in)
	o.is = world.Pace{MaxSurge: "5", MaxUnavailable: "2"}
	o.shows()
	for range 3 {
		if asked := o.decides(time.Second, engine.Inputs{}); len(asked) > 0 || o.follower.is.Pace != nil {
			t.Fatalf("asked for %+v, recorded %+v", asked, o.follower.is.Pace)
		}
	}
	if want := []string{"another user has set maxSurge 5, maxUnavailable 2 after this run had set maxSurge 1, maxUnavailable 0: it stays, and is not restored to maxSurge 3, maxUnavailable 1"}; !slices.Equal(o.follower.is.Notes, want) {
		t.Errorf("notes: %q", o.follower.is.Notes)
	}
	o.through()
	if asked := o.decides(time.Second, engine.Inputs{}); len(asked) > 0 || o.follower.is.State != record.Finished {
		t.Errorf("it is %s, and asks for %v", o.follower.is.State, asked)
	}
}

// A run whose Shoot is not given any more, with an answer still open, ends at once when it is
// aborted, and names what may be left; to succeed it waits for the Shoot.
func TestPaceWithoutShoot(t *testing.T) {
	for _, abort := range []bool{true, false} {
		o := paced(t, world.Pace{MaxSurge: "1", MaxUnavailable: "0"})
		o.decides(0, engine.Inputs{})
		o.given = false
		o.shows()
		var in engine.Inputs
		if abort {
			in.Commands = []record.Command{says(record.CmdAbort, "")}
		}
		o.through()
		o.decides(time.Second, in)
		o.decides(time.Second, engine.Inputs{})
		r := o.follower.is
		if abort && (r.State != record.Finished || len(r.Unrestored) != 1) || !abort && (r.State != record.Paused || !strings.Contains(r.Why, "resume with --garden-kubeconfig")) {
			t.Errorf("aborted %t: it is %s (%s), and leaves %q", abort, r.State, r.Why, r.Unrestored)
		}
	}
}

// At random: answers are lost, the world lags, the process is killed before or after it acts,
// another user sets a pace, the Shoot is not given any more; the run ends well, or is aborted. In
// the end the Shoot has what it had, or what that user has set, or what is left is named.
func TestPaceAtRandom(t *testing.T) {
	ends := map[string]int{}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 23))
		one := func(in int) bool { return r.IntN(in) == 0 }
		o := paced(t, []world.Pace{{MaxSurge: "1", MaxUnavailable: "0"}, {MaxUnavailable: "2"}, {MaxSurge: "0"}}[r.IntN(3)])
		was, theirs := o.is, false
		abort, end := one(3), 1+r.IntN(20)
		for turn := 0; o.follower.is.State != record.Finished; turn++ {
			if turn > 600 {
				t.Fatalf("seed %d: the run does not end: %s, %+v, %+v", seed, o.follower.is.State, o.follower.is.Pace, o.follower.is.Pending)
			}
			var in engine.Inputs
			if turn == end {
				if abort {
					in.Commands = append(in.Commands, says(record.CmdAbort, ""))
				} else {
					o.through()
				}
			}
			if o.follower.is.State == record.Paused && !o.given {
				in.Commands = append(in.Commands, says(record.CmdAbort, ""))
			}
			asked := o.decides(time.Duration(1+r.IntN(4))*time.Second, in)
			if one(30) { // killed before it acts
				o.follower.is = engine.TakeOver(o.saved, o.now)
				continue
			}
			in = engine.Inputs{}
			for _, a := range asked {
				out := o.does(a)
				switch {
				case one(8):
					out.Verdict, out.Message = record.Unknown, "lost"
				case one(6):
					continue // killed after it has acted, or the answer is late for good
				}
				in.Outcomes = append(in.Outcomes, out)
			}
			if one(30) {
				o.follower.is = engine.TakeOver(o.saved, o.now)
			}
			if one(60) && turn > 2 {
				o.is, theirs = world.Pace{MaxSurge: fmt.Sprint(4 + r.IntN(3)), MaxUnavailable: "1"}, true
			}
			if turn > 15 && one(100) {
				o.given = false
			}
			if one(2) {
				o.shows()
			}
			o.decides(0, in)
		}
		left := strings.Join(o.follower.is.Unrestored, "; ")
		switch {
		case o.is == was:
			ends["restored"]++
		case theirs && !strings.Contains(left, "of pool"):
			ends["theirs"]++
		case !o.given && strings.Contains(left, "of pool web stays in Shoot"):
			ends["named"]++
		default:
			t.Errorf("seed %d: the Shoot has %s, it had %s; given %t, left %q", seed, o.is, was, o.given, left)
		}
	}
	for _, end := range []string{"restored", "theirs", "named"} {
		if ends[end] < 5 {
			t.Errorf("only %d runs ended %s: %v", ends[end], end, ends)
		}
	}
}
