package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// suspendOnce is a strategy that wants one process suspended, and then is done.
type suspendOnce struct{}

func (suspendOnce) Name() string              { return "suspend once" }
func (suspendOnce) Defaults() engine.Settings { return engine.Common() }
func (suspendOnce) Phases() []string          { return []string{"only"} }
func (suspendOnce) Step(s *engine.Step) {
	s.Enter("only")
	if s.SuspendProcess("AZRebalance") && s.W.Group.HasSuspended("AZRebalance") {
		s.Succeed()
	}
}
func (suspendOnce) End(*engine.Step) bool { return true }
func (suspendOnce) Progress(string, *world.World, *engine.Run) (int, int) {
	return 0, 0
}
func (suspendOnce) Abilities() []engine.Ability { return nil }

// bench is a loop with everything around it in the test's hands.
type bench struct {
	*Loop
	mu     sync.Mutex
	unsure atomic.Bool // it is not sure that the lock is held
	steps  []string    // what happened, in order: "save", "suspend", "regain"
	failed int         // saves that are still to fail
	hold   chan struct{}
	lost   chan struct{}
	record engine.Run
	regain error
}

func newBench(t *testing.T) *bench {
	b := &bench{lost: make(chan struct{})}
	w := world.New()
	w.Group = world.Group{Name: "web"}
	now := time.Now()
	w.Health[world.Cluster] = world.Health{Fresh: now}
	w.Health[world.Cloud] = world.Health{Fresh: now}
	in := Open(t.Context())
	t.Cleanup(in.Close)
	b.Loop = &Loop{Rules: suspendOnce{}, World: w, Intake: in, Executor: b, Store: b, Lock: b, Clock: wall{}}
	return b
}

type wall struct{}

func (wall) Now() time.Time      { return time.Now() }
func (wall) Skew() time.Duration { return 0 }

func (b *bench) note(step string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps = append(b.steps, step)
}

func (b *bench) Save(_ context.Context, r engine.Run) error {
	b.note("save")
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed > 0 {
		b.failed--
		return errors.New("the API is away")
	}
	b.record = r
	return nil
}

func (b *bench) Do(ctx context.Context, a engine.Action) engine.Outcome {
	b.note(string(a.Kind))
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
			return engine.Outcome{Verdict: engine.Unknown}
		}
	}
	if a.Kind == engine.Suspend {
		b.Intake.changes <- func(w *world.World) { w.Group.Suspended = []string{a.Process} }
	}
	return engine.Outcome{Verdict: engine.Done, At: time.Now()}
}

func (b *bench) Lost() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

func (b *bench) Sure() bool { return !b.unsure.Load() }

func (b *bench) Regain(context.Context) (engine.Run, error) {
	b.note("regain")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = make(chan struct{})
	return b.record, b.regain
}

func (b *bench) planned() engine.Run {
	r := engine.NewRun(suspendOnce{}, "run-1", 1, b.World, suspendOnce{}.Defaults(), engine.Target{})
	return engine.Start(r, time.Now(), "ann@laptop")
}

func TestLoopSavesBeforeItActs(t *testing.T) {
	b := newBench(t)
	r, err := b.Run(t.Context(), b.planned())
	if err != nil || r.State != engine.Finished || r.Result != engine.Succeeded {
		t.Fatalf("ended %s %s: %v", r.State, r.Result, err)
	}
	if len(b.steps) < 3 || b.steps[0] != "save" || b.steps[1] != "suspend" {
		t.Errorf("what happened: %v, want the record saved before the action", b.steps)
	}
	if n := count(b.steps, "suspend"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if b.record.State != engine.Finished {
		t.Errorf("the record says %s", b.record.State)
	}
}

func TestLoopDoesNotActWithoutARecord(t *testing.T) {
	b := newBench(t)
	b.failed = 2
	r, err := b.Run(t.Context(), b.planned())
	if err != nil || r.Result != engine.Succeeded {
		t.Fatalf("ended %s: %v", r.Result, err)
	}
	if !slices.Equal(b.steps[:4], []string{"save", "save", "save", "suspend"}) {
		t.Errorf("what happened: %v, want no action before a save that worked", b.steps)
	}
}

func TestLoopLosesTheRecord(t *testing.T) {
	b := newBench(t)
	b.Store = stolen{}
	if _, err := b.Run(t.Context(), b.planned()); !errors.Is(err, ErrLost) {
		t.Fatalf("got %v, want ErrLost", err)
	}
	if n := count(b.steps, "suspend"); n != 0 {
		t.Errorf("acted on a record that was taken over")
	}
}

type stolen struct{}

func (stolen) Save(context.Context, engine.Run) error { return ErrLost }

func TestLoopStopsActingWithoutTheLockAndGoesOnWithIt(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	b.Loop.Events = func(list []engine.Event) {
		for _, e := range list {
			if e.Type == engine.PhaseStarted {
				close(b.lost) // while the first request is under way
			}
		}
	}
	ended := make(chan engine.Run, 1)
	go func() {
		r, err := b.Run(t.Context(), b.planned())
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	await(t, func() bool { return slices.Contains(b.seen(), "regain") })
	await(t, func() bool { return slices.Contains(b.seen(), string(engine.CheckEffect)) })
	close(b.hold)
	r := <-ended
	if r.Result != engine.Succeeded {
		t.Errorf("ended %s: %s", r.Result, r.Why)
	}
	steps := b.seen()
	if check := slices.Index(steps, string(engine.CheckEffect)); slices.Index(steps, "regain") > check {
		t.Errorf("what happened: %v, want the open action looked up after the lock was back", steps)
	}
}

func TestLoopGivesUpWhenSomebodyElseHasTheLock(t *testing.T) {
	b := newBench(t)
	b.regain = ErrLost
	b.hold = make(chan struct{})
	close(b.lost)
	if _, err := b.Run(t.Context(), b.planned()); !errors.Is(err, ErrLost) {
		t.Fatalf("got %v, want ErrLost", err)
	}
}

// What somebody wrote into the record while the lock was lost ends this process's part
// if it is of another group, or does not fit the group; what did not fit before does not.
func TestLoopGoesOnOnlyWithARecordThatFits(t *testing.T) {
	odd := world.Sizes{Min: 1, Max: 50, Desired: 1}
	for _, c := range []struct {
		name string
		own  func(*engine.Run)
		edit func(*engine.Run)
		says string // "" if it goes on
	}{
		{"as it was", nil, func(*engine.Run) {}, ""},
		{"another group", nil, func(r *engine.Run) { r.GroupID = "arn:2" }, "made anew"},
		{"sizes that no run leads to", nil, func(r *engine.Run) { r.Base, r.MaxSet = odd, 5 }, "max 50"},
		{"unfit from the start", func(r *engine.Run) { r.Base, r.MaxSet = odd, 5 }, func(*engine.Run) {}, ""},
	} {
		b := newBench(t)
		b.World.Group.ID = "arn:1"
		own := b.planned()
		if c.own != nil {
			c.own(&own)
		}
		b.record = own
		c.edit(&b.record)
		close(b.lost)
		r, err := b.Run(t.Context(), own)
		if c.says == "" && (err != nil || r.Result != engine.Succeeded) || c.says != "" && (!errors.Is(err, ErrLost) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %s, %v", c.name, r.Result, err)
		}
		if c.says != "" && slices.Contains(b.seen(), "suspend") {
			t.Errorf("%s: it acted: %v", c.name, b.seen())
		}
	}
}

// An API that does not answer holds up a write of the record, and with it the
// loop, but not the news that the lock is lost.
func TestLoopNoticesTheLossWhileItWrites(t *testing.T) {
	b := newBench(t)
	store := &deaf{bench: b}
	b.Store = store
	begin := time.Now()
	if r, err := b.Run(t.Context(), b.planned()); err != nil || r.Result != engine.Succeeded {
		t.Fatalf("ended %s: %v", r.Result, err)
	}
	if n := count(b.seen(), "regain"); n != 1 {
		t.Errorf("the lock was got back %d times, want once", n)
	}
	if took := time.Since(begin); took > saveLimit/2 {
		t.Errorf("it took %s", took)
	}
}

// deaf is a store whose API does not answer the first write; the lock is lost
// meanwhile.
type deaf struct {
	*bench
	asked bool
}

func (d *deaf) Save(ctx context.Context, r engine.Run) error {
	if d.asked {
		return d.bench.Save(ctx, r)
	}
	d.asked = true
	d.record = r
	close(d.lost)
	<-ctx.Done()
	return ctx.Err()
}

// Where nobody looks at a screen, a run that cannot see or has lost its lock
// says so, once, and says when that is over.
func TestLoopTellsWhatIsOutOfSight(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	var told []string
	at := func(source world.Source, ago time.Duration, problem string) {
		b.Intake.changes <- func(w *world.World) {
			w.Health[source] = world.Health{Fresh: time.Now().Add(-ago), Problem: problem}
		}
	}
	b.Loop.Events = func(list []engine.Event) {
		for _, e := range list {
			switch {
			case e.Type == engine.PhaseStarted:
				at(world.Cloud, time.Hour, "credentials expired")
			case e.Type == engine.Warning:
				told = append(told, e.Reason+": "+e.Message)
				switch e.Reason {
				case "out of sight":
					at(world.Cloud, time.Hour, "credentials expired") // not told again
					at(world.Cloud, 0, "")
				case "in sight":
					at(world.Cluster, 0, "no answer in time")
					b.Intake.changes <- func(*world.World) { close(b.lost) }
				case "lock held":
					close(b.hold)
				}
			}
		}
	}
	if r, err := b.Run(t.Context(), b.planned()); err != nil || r.Result != engine.Succeeded {
		t.Fatalf("ended %s: %v", r.Result, err)
	}
	want := []string{
		"out of sight: the cloud cannot be seen: credentials expired; what needs it waits, and its deadlines stand still",
		"in sight: the cloud is seen again, after 0s",
		"lock lost: the lock of this run is lost: no answer in time; nothing is done until it is back, and deadlines stand still",
		"lock held: the lock of this run is held again, after 0s: the run goes on from its record",
		"looked up: what was under way: not seen: suspend AZRebalance, decided anew",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestLoopFarewellObeysFirst(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	left := false
	b.Loop.Publish = func(s *engine.Snapshot) {
		if s.State == engine.Running && count(b.seen(), "suspend") == 1 && !left {
			left = true
			b.Send(engine.Command{Kind: engine.CmdPause, By: "ann@laptop"})
			stop()
			close(b.hold)
		}
	}
	r, err := b.Run(ctx, b.planned())
	if err != nil || r.State != engine.Paused || b.record.State != engine.Paused {
		t.Errorf("left as %s (record %s): %v, want paused", r.State, b.record.State, err)
	}
	for key, p := range b.record.Pending {
		if p.Accepted.IsZero() {
			t.Errorf("the answer to %s, which was under way, is not in the record", key)
		}
	}
}

func (b *bench) seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.steps)
}

func count(steps []string, what string) int {
	n := 0
	for _, s := range steps {
		if s == what {
			n++
		}
	}
	return n
}

// await polls for something that another goroutine brings about.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within 10 s")
		}
	}
}

// A panic ends the run as an error, wherever it is: the terminal and the lock are
// then given back in order.
func TestLoopEndsOnAPanic(t *testing.T) {
	for name, plant := range map[string]func(*bench){
		"the loop":  func(b *bench) { b.Publish = func(*engine.Snapshot) { panic("as ordered") } },
		"an action": func(b *bench) { b.Executor = crashing{} },
		"a feed": func(b *bench) {
			b.hold = make(chan struct{}) // the run does not end before
			b.Intake = Open(t.Context(), crashing{})
			t.Cleanup(b.Intake.Close)
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

func (crashing) Do(context.Context, engine.Action) engine.Outcome { panic("as ordered") }

func (crashing) Run(context.Context, func(Change)) error { panic("as ordered") }

// held is a lock that is lost until it is let go.
type held struct {
	*bench
	back chan struct{}
}

func (h held) Regain(ctx context.Context) (engine.Run, error) {
	select {
	case <-h.back:
	case <-ctx.Done():
	}
	return h.bench.Regain(ctx)
}

// While the lock is lost the snapshots say so and why; what needs it is refused at
// once, and a pause is obeyed when it is back.
func TestLoopShowsThatTheLockIsLost(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	lock := held{b, make(chan struct{})}
	b.Lock = lock
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var refused []string
	b.Loop.Events = func(list []engine.Event) {
		for _, e := range list {
			if e.Type == engine.Warning && strings.HasPrefix(e.Message, "refused") {
				refused = append(refused, e.Message)
			}
		}
	}
	was := 0
	b.Loop.Publish = func(s *engine.Snapshot) {
		switch {
		case was == 0 && s.State == engine.Running && s.LockLost == "":
			was = 1
			b.Intake.changes <- func(w *world.World) {
				h := w.Health[world.Cluster]
				h.Problem = "no answer in time"
				w.Health[world.Cluster] = h
				close(b.lost)
			}
		case was == 1 && s.LockLost != "":
			was = 2
			if s.LockLost != "no answer in time" {
				t.Errorf("lost because of %q", s.LockLost)
			}
			for _, a := range s.Abilities {
				if (a.Why == engine.WithoutLock) != a.Kind.NeedsLock() {
					t.Errorf("%s: %q", a.Kind, a.Why)
				}
			}
			for _, kind := range []engine.CommandKind{engine.CmdSkip, engine.CmdForce, engine.CmdApprove, engine.CmdReturn, engine.CmdPause} {
				b.Send(engine.Command{Kind: kind, Node: "n1", By: "ann@laptop"})
			}
		case was == 2 && len(refused) == 4:
			was = 3
			close(lock.back)
		case was == 3 && s.LockLost == "":
			stop()
		}
	}
	r, err := b.Run(ctx, b.planned())
	if err != nil || r.State != engine.Paused {
		t.Errorf("ended %s: %v, want paused", r.State, err)
	}
	want := []string{"refused skip n1: the lock of this run is lost", "refused force n1: the lock of this run is lost", "refused approve n1: the lock of this run is lost", "refused return n1: the lock of this run is lost"}
	if !slices.Equal(refused, want) {
		t.Errorf("refused %q", refused)
	}
}

// Who keeps the run's log hears a command when it comes, sees a decision that its
// command made once it is in the record, and both before the actions begin. What he has
// to say himself is in the log, with the run's name.
func TestLoopTellsItsWitnessBeforeItActs(t *testing.T) {
	b := newBench(t)
	b.failed = 1 // the decision that was not written down is forgotten: it is no decision
	b.Heard = func(list []engine.Command) {
		for _, c := range list {
			b.note("heard " + string(c.Kind))
		}
	}
	b.Decided = func(before engine.Run, d engine.Decision) {
		if before.State != d.Run.State {
			b.note("decided " + string(d.Run.State))
		}
	}
	b.Loop.Events = func(list []engine.Event) {
		for _, e := range list {
			b.note(string(e.Type) + " " + e.Run)
		}
	}
	b.Send(engine.Command{Kind: engine.CmdAbort, By: "ann@laptop"})
	b.Tell(engine.Event{Type: engine.Warning})
	if _, err := b.Run(t.Context(), b.planned()); err != nil {
		t.Fatal(err)
	}
	if heard, decided := slices.Index(b.steps, "heard abort"), slices.Index(b.steps, "decided "+string(engine.Finished)); heard < 0 || decided < heard || count(b.steps, "heard abort") != 1 {
		t.Errorf("what happened: %v", b.steps)
	}
	if count(b.steps, "warning run-1") != 1 {
		t.Errorf("what was told is not in the log: %v", b.steps)
	}
}

func TestLoopTellsADecisionAfterItsRecordAndBeforeItsActions(t *testing.T) {
	b := newBench(t)
	b.failed = 1
	b.Decided = func(engine.Run, engine.Decision) { b.note("decided") }
	if _, err := b.Run(t.Context(), b.planned()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b.steps[:4], []string{"save", "save", "decided", "suspend"}) {
		t.Errorf("what happened: %v", b.steps)
	}
}

// A process that has slept decides and asks for nothing until the lock was renewed.
func TestLoopWaitsUntilTheLockIsSure(t *testing.T) {
	b := newBench(t)
	b.unsure.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	b.Lock = asking{b, func() {
		if asked++; asked == 3 {
			stop()
		}
	}}
	b.Decided = func(engine.Run, engine.Decision) { // the last look when it is told to stop decides once, and does nothing
		if ctx.Err() == nil {
			t.Error("it decided")
		}
	}
	if _, err := b.Run(ctx, b.planned()); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(b.seen(), "suspend") || asked != 3 {
		t.Errorf("asked %d times whether it is sure, it did %v", asked, b.seen())
	}
	b = newBench(t)
	b.unsure.Store(true)
	time.AfterFunc(2*sureRetry, func() { b.unsure.Store(false) })
	run, err := b.Run(t.Context(), b.planned())
	if err != nil || run.State != engine.Finished {
		t.Errorf("%s, %v", run.State, err)
	}
}

// An action that is handed back says why: it waited for too long, or it is not sure that
// the lock is held.
func TestLoopSaysWhyAnActionDidNotStart(t *testing.T) {
	b := newBench(t)
	b.init()
	a := engine.Action{Kind: engine.Suspend, Key: "k"}
	if o := b.do(t.Context(), a, time.Now().Add(-time.Minute)); o.Refusal != engine.RefusedStale || o.Message != "it could not start for 1m0s" {
		t.Errorf("late: %+v", o)
	}
	b.unsure.Store(true)
	if o := b.do(t.Context(), a, time.Now()); o.Refusal != engine.RefusedStale || o.Message != ErrNotSure.Error() {
		t.Errorf("not sure: %+v", o)
	}
	if len(b.seen()) > 0 {
		t.Errorf("it did %v", b.seen())
	}
}

// asking is a bench whose lock tells that it is asked whether it is sure.
type asking struct {
	*bench
	asked func()
}

func (a asking) Sure() bool {
	a.asked()
	return a.bench.Sure()
}

// The machine sleeps between two requests of one action: the second one, which
// changes something, is not sent, and the action is handed back as one that never began.
func TestPermit(t *testing.T) {
	b := newBench(t)
	b.init()
	sleeps := doing(func(ctx context.Context) engine.Outcome {
		b.unsure.Store(true)
		return engine.Outcome{Verdict: engine.Unknown, Message: fmt.Sprint(MayAct(ctx))}
	})
	b.Executor = sleeps
	o := b.do(t.Context(), engine.Action{Kind: engine.Suspend, Key: "k"}, time.Now())
	if o.Verdict != engine.Refused || o.Refusal != engine.RefusedStale || o.Key != "k" {
		t.Errorf("got %+v", o)
	}
	b.unsure.Store(false)
	b.Executor = doing(func(ctx context.Context) engine.Outcome {
		if err := MayAct(ctx); err != nil {
			t.Error(err)
		}
		b.unsure.Store(true) // its answer is lost, and it is tried again
		return engine.Outcome{Verdict: engine.Unknown, Message: fmt.Sprint(MayAct(ctx))}
	})
	if o := b.do(t.Context(), engine.Action{Kind: engine.Suspend, Key: "k"}, time.Now()); o.Verdict != engine.Unknown {
		t.Errorf("what was sent once is said not to be: %+v", o)
	}
	if err := MayAct(t.Context()); err != nil {
		t.Errorf("what is no action: %v", err)
	}
}

// doing is an Executor.
type doing func(context.Context) engine.Outcome

func (d doing) Do(ctx context.Context, _ engine.Action) engine.Outcome { return d(ctx) }
