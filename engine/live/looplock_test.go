package live

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

func TestLoopLosesTheRecord(t *testing.T) {
	b := newBench(t)
	b.Store = stolen{}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if _, err := b.Run(ctx, b.planned()); !errors.Is(err, ErrLost) || ctx.Err() != nil {
		t.Fatalf("got %v, want ErrLost at once", err)
	}
	if n := count(b.steps, "suspend"); n != 0 {
		t.Errorf("acted on a record that was taken over")
	}
}

type stolen struct{}

func (stolen) Save(context.Context, record.Run) error { return ErrLost }

func TestLoopStopsActingWithoutTheLockAndGoesOnWithIt(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Type == record.PhaseStarted {
				close(b.lost) // while the first request is under way
			}
		}
	}
	ended := make(chan record.Run, 1)
	go func() {
		r, err := b.Run(t.Context(), b.planned())
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	await(t, func() bool { return slices.Contains(b.seen(), "regain") })
	await(t, func() bool { return slices.Contains(b.seen(), string(record.CheckEffect)) })
	close(b.hold)
	r := <-ended
	if r.Result != record.Succeeded {
		t.Errorf("ended %s: %s", r.Result, r.Why)
	}
	steps := b.seen()
	if check := slices.Index(steps, string(record.CheckEffect)); slices.Index(steps, "regain") > check {
		t.Errorf("what happened: %v, want the open action looked up after the lock was back", steps)
	}
}

func TestLoopGivesUpWhenAnotherHasTheLock(t *testing.T) {
	b := newBench(t)
	b.regain = ErrLost
	b.hold = make(chan struct{})
	close(b.lost)
	if _, err := b.Run(t.Context(), b.planned()); !errors.Is(err, ErrLost) {
		t.Fatalf("got %v, want ErrLost", err)
	}
}

// What another process wrote into the record while the lock was lost ends this process's part
// if it is of another group, or does not fit the group; what did not fit before does not.
func TestLoopGoesOnOnlyWithARecordThatFits(t *testing.T) {
	odd := world.Sizes{Min: 1, Max: 50, Desired: 1}
	for _, c := range []struct {
		name string
		own  func(*record.Run)
		edit func(*record.Run)
		says string // "" if it continues
	}{
		{"as it was", nil, func(*record.Run) {}, ""},
		{"another group", nil, func(r *record.Run) { r.GroupID = "arn:2" }, "recreated"},
		{"sizes that no run leads to", nil, func(r *record.Run) { r.Base, r.MaxSet = odd, 5 }, "max 50"},
		{"unfit from the start", func(r *record.Run) { r.Base, r.MaxSet = odd, 5 }, func(*record.Run) {}, ""},
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
		if c.says == "" && (err != nil || r.Result != record.Succeeded) || c.says != "" && (!errors.Is(err, ErrLost) || !strings.Contains(err.Error(), c.says)) {
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
	if r, err := b.Run(t.Context(), b.planned()); err != nil || r.Result != record.Succeeded {
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

func (d *deaf) Save(ctx context.Context, r record.Run) error {
	if d.asked {
		return d.bench.Save(ctx, r)
	}
	d.asked = true
	d.record = r
	close(d.lost)
	<-ctx.Done()
	return ctx.Err()
}

// What came of actions that were asked for before the lock was lost is looked up: their
// answers count for nothing, not even as those that are waited for.
func TestLoopForgetsAnswersOfAnEarlierTerm(t *testing.T) {
	l := &Loop{term: 2, flying: 1}
	l.take(answer{1, record.Outcome{Key: "suspend/a", Verdict: record.Done}})
	if len(l.in.Outcomes) != 0 || l.flying != 1 {
		t.Errorf("took an answer of an earlier term: %v, %d under way", l.in.Outcomes, l.flying)
	}
	l.take(answer{2, record.Outcome{Key: "suspend/a", Verdict: record.Done}})
	if len(l.in.Outcomes) != 1 || l.flying != 0 {
		t.Errorf("did not take an answer of this term: %v, %d under way", l.in.Outcomes, l.flying)
	}
}

// held is a lock that is lost until it is let go.
type held struct {
	*bench
	back chan struct{}
}

func (h held) Regain(ctx context.Context) (record.Run, error) {
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
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Type == record.Warning && strings.HasPrefix(e.Message, "refused") {
				refused = append(refused, e.Message)
			}
		}
	}
	was := 0
	b.Loop.Publish = func(s *snapshot.Snapshot) {
		switch {
		case was == 0 && s.State == record.Running && s.LockLost == "":
			was = 1
			b.Queue.changes <- func(w *world.World) {
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
				if (a.Why == record.WithoutLock) != a.Kind.NeedsLock() {
					t.Errorf("%s: %q", a.Kind, a.Why)
				}
			}
			for _, kind := range []record.CommandKind{record.CmdSkip, record.CmdForce, record.CmdApprove, record.CmdReturn, record.CmdPause} {
				b.Send(record.Command{Kind: kind, Node: "n1", By: "ann@laptop"})
			}
		case was == 2 && len(refused) == 4:
			was = 3
			close(lock.back)
		case was == 3 && s.LockLost == "":
			stop()
		}
	}
	r, err := b.Run(ctx, b.planned())
	if err != nil || r.State != record.Paused {
		t.Errorf("ended %s: %v, want paused", r.State, err)
	}
	want := []string{"refused skip n1: the lock of this run is lost", "refused force n1: the lock of this run is lost", "refused approve n1: the lock of this run is lost", "refused return n1: the lock of this run is lost"}
	if !slices.Equal(refused, want) {
		t.Errorf("refused %q", refused)
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
	b.Decided = func(record.Run, engine.Decision) { // the last look when it is told to stop decides once, and does nothing
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
	if err != nil || run.State != record.Finished {
		t.Errorf("%s, %v", run.State, err)
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
