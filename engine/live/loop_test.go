package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

func TestLoopSavesBeforeItActs(t *testing.T) {
	b := newBench(t)
	r, err := b.Run(t.Context(), b.planned())
	if err != nil || r.State != record.Finished || r.Result != record.Succeeded {
		t.Fatalf("ended %s %s: %v", r.State, r.Result, err)
	}
	if len(b.steps) < 3 || b.steps[0] != "save" || b.steps[1] != "suspend" {
		t.Errorf("what happened: %v, want the record saved before the action", b.steps)
	}
	if n := count(b.steps, "suspend"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if b.record.State != record.Finished {
		t.Errorf("the record says %s", b.record.State)
	}
}

func TestLoopDoesNotActWithoutARecord(t *testing.T) {
	b := newBench(t)
	b.failed = 2
	r, err := b.Run(t.Context(), b.planned())
	if err != nil || r.Result != record.Succeeded {
		t.Fatalf("ended %s: %v", r.Result, err)
	}
	if !slices.Equal(b.steps[:4], []string{"save", "save", "save", "suspend"}) {
		t.Errorf("what happened: %v, want no action before a save that worked", b.steps)
	}
}

// TestTellsEndOnceSaved: the end of a machine is in the record before it is told, so that a process that
// resumes from that does not tell it a second time.
func TestTellsEndOnceSaved(t *testing.T) {
	b := newBench(t)
	for what, saves := range map[record.EventType]bool{record.NodeTerminating: true, record.NodeReady: false} {
		b.saved = time.Now()
		if got := b.saves(engine.Decision{Events: []record.Event{{Type: what}}}); got != saves {
			t.Errorf("%s: told before it is saved %v, want %v", what, !got, !saves)
		}
	}
}

// Where nobody looks at a screen, a run that cannot see or has lost its lock
// says so, once, and says when that is over.
func TestLoopTellsWhatIsOutOfSight(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	var told []string
	at := func(source world.Source, ago time.Duration, problem string) {
		b.Queue.changes <- func(w *world.World) {
			w.Health[source] = world.Health{Fresh: time.Now().Add(-ago), Problem: problem}
		}
	}
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			switch {
			case e.Type == record.PhaseStarted:
				at(world.Cloud, time.Hour, "credentials expired")
			case e.Type == record.Warning:
				told = append(told, e.Reason+": "+e.Message)
				switch e.Reason {
				case "out of sight":
					at(world.Cloud, time.Hour, "credentials expired") // not told again
					at(world.Cloud, 0, "")
				case "in sight":
					at(world.Cluster, 0, "no answer in time")
					b.Queue.changes <- func(*world.World) { close(b.lost) }
				case "lock held":
					close(b.hold)
				}
			}
		}
	}
	if r, err := b.Run(t.Context(), b.planned()); err != nil || r.Result != record.Succeeded {
		t.Fatalf("ended %s: %v", r.Result, err)
	}
	want := []string{
		"out of sight: no view of the cloud: credentials expired; actions that need it wait, their deadlines stand still",
		"in sight: the cloud is visible again after 0s",
		"lock lost: the lock of this run is lost: no answer in time; nothing is done until it is held again, deadlines stand still",
		"lock held: the lock of this run is held again after 0s: the run resumes from its record",
		"looked up: pending changes looked up: not seen: suspend AZRebalance, recomputed",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// A run without Kubernetes is driven without ever having seen a cluster, and says nothing of
// that one is out of sight; why nothing is done shows on the cloud's side.
func TestLoopWithoutACluster(t *testing.T) {
	b := newBench(t)
	delete(b.World.Health, world.Cluster)
	b.failed = 1
	var told, problems []string
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Type == record.Warning {
				told = append(told, e.Message)
			}
		}
	}
	b.Publish = func(s *snapshot.Snapshot) {
		for _, src := range s.Sources {
			problems = append(problems, string(src.Name)+": "+src.Problem)
		}
	}
	run := b.planned()
	run.Settings.CloudOnly, run.Settings.CloudOnlyBy = true, "ann@laptop"
	r, err := b.Run(t.Context(), run)
	if err != nil || r.Result != record.Succeeded || len(told) != 0 {
		t.Fatalf("ended %s: %v; told %q", r.Result, err, told)
	}
	if !slices.Contains(problems, "cloud: the run record cannot be written: the API is away") || slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, "cluster") }) {
		t.Errorf("shown: %q", problems)
	}
}

func TestLoopFarewellObeysFirst(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	left := false
	b.Loop.Publish = func(s *snapshot.Snapshot) {
		if s.State == record.Running && count(b.seen(), "suspend") == 1 && !left {
			left = true
			b.Send(record.Command{Kind: record.CmdPause, By: "ann@laptop"})
			stop()
			close(b.hold)
		}
	}
	r, err := b.Run(ctx, b.planned())
	if err != nil || r.State != record.Paused || b.record.State != record.Paused {
		t.Errorf("left as %s (record %s): %v, want paused", r.State, b.record.State, err)
	}
	for key, p := range b.record.Pending {
		if p.Accepted.IsZero() {
			t.Errorf("the answer to %s, which was under way, is not in the record", key)
		}
	}
}

// A panic ends the run as an error, wherever it is: the terminal and the lock are
// then given back in order.
func TestLoopEndsOnAPanic(t *testing.T) {
	for name, plant := range map[string]func(*bench){
		"the loop":  func(b *bench) { b.Publish = func(*snapshot.Snapshot) { panic("as ordered") } },
		"an action": func(b *bench) { b.Executor = crashing{} },
		"a feed": func(b *bench) {
			b.hold = make(chan struct{}) // the run does not end before
			b.Queue = Open(t.Context(), crashing{})
			t.Cleanup(b.Queue.Close)
		},
	} {
		b := newBench(t)
		plant(b)
		r, err := b.Run(t.Context(), b.planned())
		var crash *Crash
		if !errors.As(err, &crash) || !strings.Contains(err.Error(), "as ordered") || !strings.Contains(string(crash.Stack), "loop_test.go") {
			t.Errorf("%s: ended with %v", name, err)
		}
		if r.ID != "run-1" {
			t.Errorf("%s: the run is lost: %+v", name, r)
		}
	}
}

type crashing struct{}

func (crashing) Do(context.Context, record.Action) record.Outcome { panic("as ordered") }

func (crashing) Run(context.Context, func(Change)) error { panic("as ordered") }

// Who keeps the run's log hears a command when it comes, sees a decision that its
// command made once it is in the record, and both before the actions begin. What he has
// to say himself is in the log, with the run's name.
func TestLoopTellsItsWitnessBeforeItActs(t *testing.T) {
	b := newBench(t)
	b.failed = 1 // the decision that was not written down is forgotten: it is no decision
	b.Heard = func(list []record.Command) {
		for _, c := range list {
			b.note("heard " + string(c.Kind))
		}
	}
	b.Decided = func(before record.Run, d engine.Decision) {
		if before.State != d.Run.State {
			b.note("decided " + string(d.Run.State))
		}
	}
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			b.note(string(e.Type) + " " + e.Run)
		}
	}
	b.Send(record.Command{Kind: record.CmdAbort, By: "ann@laptop"})
	b.Tell(record.Event{Type: record.Warning})
	if _, err := b.Run(t.Context(), b.planned()); err != nil {
		t.Fatal(err)
	}
	if heard, decided := slices.Index(b.steps, "heard abort"), slices.Index(b.steps, "decided "+string(record.Finished)); heard < 0 || decided < heard || count(b.steps, "heard abort") != 1 {
		t.Errorf("what happened: %v", b.steps)
	}
	if count(b.steps, "warning run-1") != 1 {
		t.Errorf("what was told is not in the log: %v", b.steps)
	}
}

func TestLoopTellsADecisionAfterItsRecordAndBeforeItsActions(t *testing.T) {
	b := newBench(t)
	b.failed = 1
	b.Decided = func(record.Run, engine.Decision) { b.note("decided") }
	if _, err := b.Run(t.Context(), b.planned()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.steps[:4], []string{"save", "save", "decided", "suspend"}) {
		t.Errorf("what happened: %v", b.steps)
	}
}

// An action that is handed back says why: it waited for too long, or it is not sure that
// the lock is held.
func TestLoopSaysWhyAnActionDidNotStart(t *testing.T) {
	b := newBench(t)
	b.init()
	a := record.Action{Kind: record.Suspend, Key: "k"}
	if o := b.do(t.Context(), a, time.Now().Add(-time.Minute)); o.Refusal != record.RefusedStale || o.Message != "it could not start for 1m0s" {
		t.Errorf("late: %+v", o)
	}
	b.unsure.Store(true)
	if o := b.do(t.Context(), a, time.Now()); o.Refusal != record.RefusedStale || o.Message != ErrNotSure.Error() {
		t.Errorf("not sure: %+v", o)
	}
	if len(b.seen()) > 0 {
		t.Errorf("it did %v", b.seen())
	}
}

// The machine sleeps between two requests of one action: the second one, which
// changes something, is not sent, and the action is handed back as one that never began.
func TestPermit(t *testing.T) {
	b := newBench(t)
	b.init()
	sleeps := doing(func(ctx context.Context) record.Outcome {
		b.unsure.Store(true)
		return record.Outcome{Verdict: record.Unknown, Message: fmt.Sprint(MayAct(ctx))}
	})
	b.Executor = sleeps
	o := b.do(t.Context(), record.Action{Kind: record.Suspend, Key: "k"}, time.Now())
	if o.Verdict != record.Refused || o.Refusal != record.RefusedStale || o.Key != "k" {
		t.Errorf("got %+v", o)
	}
	b.unsure.Store(false)
	b.Executor = doing(func(ctx context.Context) record.Outcome {
		if err := MayAct(ctx); err != nil {
			t.Error(err)
		}
		b.unsure.Store(true) // its answer is lost, and it is tried again
		return record.Outcome{Verdict: record.Unknown, Message: fmt.Sprint(MayAct(ctx))}
	})
	if o := b.do(t.Context(), record.Action{Kind: record.Suspend, Key: "k"}, time.Now()); o.Verdict != record.Unknown {
		t.Errorf("what was sent once is said not to be: %+v", o)
	}
	if err := MayAct(t.Context()); err != nil {
		t.Errorf("what is no action: %v", err)
	}
}

// doing is an Executor.
type doing func(context.Context) record.Outcome

func (d doing) Do(ctx context.Context, _ record.Action) record.Outcome { return d(ctx) }
