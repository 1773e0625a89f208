package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// suspendOnce is a strategy that wants one process suspended, and then is done.
type suspendOnce struct{ assess.Base }

func (suspendOnce) Name() string              { return "suspend once" }
func (suspendOnce) Defaults() record.Settings { return record.Common() }
func (suspendOnce) Phases() []string          { return []string{"only"} }
func (suspendOnce) Step(s *engine.Step) {
	s.Enter("only")
	if s.SuspendProcess("AZRebalance") && s.W.Group.HasSuspended("AZRebalance") {
		s.Succeed()
	}
}
func (suspendOnce) End(*engine.Step) bool { return true }
func (suspendOnce) Progress(string, *world.World, *record.Run) (int, int) {
	return 0, 0
}
func (suspendOnce) Abilities() []record.Ability { return nil }

// bench is a loop with everything around it in the test's hands.
type bench struct {
	*Loop
	mu     sync.Mutex
	unsure atomic.Bool // it is not sure that the lock is held
	steps  []string    // what happened, in order: "save", "suspend", "regain"
	failed int         // saves that are still to fail
	hold   chan struct{}
	lost   chan struct{}
	record record.Run
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
	b.Loop = &Loop{Rules: suspendOnce{}, World: w, Queue: in, Executor: b, Store: b, Lock: b, Clock: wall{}}
	b.Loop.init()
	b.Loop.slots = make(chan struct{}, 1) // each action needs that of the one before
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

func (b *bench) Save(_ context.Context, r record.Run) error {
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

func (b *bench) Do(ctx context.Context, a record.Action) record.Outcome {
	b.note(string(a.Kind))
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
			return record.Outcome{Verdict: record.Unknown}
		}
	}
	if a.Kind == record.Suspend {
		b.Queue.changes <- func(w *world.World) { w.Group.Suspended = []string{a.Process} }
	}
	return record.Outcome{Verdict: record.Done, At: time.Now()}
}

func (b *bench) Lost() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

func (b *bench) Sure() bool { return !b.unsure.Load() }

func (b *bench) Regain(context.Context) (record.Run, error) {
	b.note("regain")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost = make(chan struct{})
	return b.record, b.regain
}

func (b *bench) planned() record.Run {
	r := assess.NewRun(suspendOnce{}, "run-1", 1, b.World, suspendOnce{}.Defaults(), record.Target{})
	return engine.Start(r, time.Now(), "ann@laptop")
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
