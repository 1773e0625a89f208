package live

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// endOne is a strategy that ends i-1, and is done when the cluster is seen without it.
type endOne struct{ suspendOnce }

func (endOne) Capabilities() assess.Capabilities {
	return assess.Capabilities{RequiresValidation: true, Direct: true}
}

func (endOne) Step(s *engine.Step) {
	s.Enter("only")
	ended := s.Run.Nodes.Get("i-1").PendingValidation
	if !ended.IsZero() && s.W.Health[world.Cluster].Fresh.After(ended.Add(2*time.Second)) {
		s.Succeed()
	}
}

// blinded is a loop whose cluster goes away with the machine that it ends: no record can be
// written any more, and some seconds later the lock is lost.
type blinded struct {
	*bench
	t      *testing.T
	back   chan struct{} // closed when the API is back
	events []record.Event
}

func newBlinded(t *testing.T) *blinded {
	b := &blinded{bench: newBench(t), t: t, back: make(chan struct{})}
	b.Rules, b.Executor, b.Store, b.Lock = endOne{}, b, b, b
	b.World.SetMachines([]world.Machine{{ID: "i-1", Zone: "a", State: world.MachineInService}})
	b.Loop.Events = func(list []record.Event) { b.events = append(b.events, list...) }
	return b
}

func (b *blinded) isBack() bool {
	select {
	case <-b.back:
		return true
	default:
		return false
	}
}

func (b *blinded) Do(_ context.Context, a record.Action) record.Outcome {
	b.note(string(a.Kind))
	if a.Kind == record.Terminate {
		b.Queue.changes <- func(w *world.World) {
			w.Health[world.Cluster] = world.Health{Fresh: time.Now(), Problem: "connection refused"}
			w.SetMachines([]world.Machine{{ID: "i-2", Zone: "a", State: world.MachineInService}})
		}
		b.bench.mu.Lock()
		b.failed = 1 << 30
		b.bench.mu.Unlock()
		time.AfterFunc(10*time.Second, func() {
			b.bench.mu.Lock()
			defer b.bench.mu.Unlock()
			close(b.lost)
		})
	}
	return record.Outcome{Verdict: record.Done, At: time.Now(), Happened: true}
}

func (b *blinded) Regain(ctx context.Context) (record.Run, error) {
	select {
	case <-b.back:
		b.bench.mu.Lock()
		b.failed = 0
		b.bench.mu.Unlock()
		return b.bench.Regain(ctx)
	case <-ctx.Done():
		return record.Run{}, ctx.Err()
	}
}

// start drives a run whose validations have a limit. The cloud is seen all the time.
func (b *blinded) start(ctx context.Context, limit time.Duration) (wait func() (record.Run, error)) {
	run := b.planned()
	run.Settings.ValidateTimeout = limit
	run.Nodes = shards.Of(map[string]record.Node{"i-1": {Name: "n1", Zone: "a", Stage: record.Terminating, Since: time.Now(), Empty: time.Now(), Wait: &record.Wait{For: "terminating", Start: time.Now(), End: time.Now().Add(time.Hour)}}})
	ending, done := context.WithCancel(ctx)
	go func() {
		for ending.Err() == nil {
			select {
			case b.Queue.changes <- func(w *world.World) {
				w.Health[world.Cloud] = world.Health{Fresh: time.Now()}
				if w.Machine("i-1") != nil || b.isBack() {
					w.Health[world.Cluster] = world.Health{Fresh: time.Now()}
				}
			}:
			case <-ending.Done():
			}
			select {
			case <-time.After(time.Second):
			case <-ending.Done():
			}
		}
	}()
	type end struct {
		run record.Run
		err error
	}
	ended := make(chan end, 1)
	go func() {
		r, err := b.Run(ctx, run)
		done()
		ended <- end{r, err}
	}()
	return func() (record.Run, error) {
		e := <-ended
		return e.run, e.err
	}
}

// told lists the messages of a type and, where it is a warning, of a reason.
func (b *blinded) told(what record.EventType, reason string) (out []string) {
	for _, e := range b.events {
		if e.Type == what && (reason == "" || e.Reason == reason) {
			out = append(out, e.Message)
		}
	}
	return out
}

// An API that is back before the limit: the run resumes from its record, which does not know
// that the machine was ended, finds it out, and does not tell it a second time.
func TestLoopSeesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlinded(t)
		wait := b.start(t.Context(), 5*time.Minute)
		time.Sleep(3 * time.Minute)
		close(b.back)
		r, err := wait()
		if err != nil || r.Result != record.Succeeded {
			t.Fatalf("ended %s: %v", r.Result, err)
		}
		if n := count(b.seen(), string(record.Terminate)); n != 1 {
			t.Errorf("asked %d times to end the machine", n)
		}
		if told := b.told(record.NodeTerminating, ""); len(told) != 1 {
			t.Errorf("one end was told as %q", told)
		}
		warned := b.told(record.Warning, record.ReasonBlind)
		if len(warned) != 2 || !strings.Contains(warned[0], "n1 (i-1)") || !strings.Contains(warned[0], "i-2 (zone a, InService)") {
			t.Errorf("told %q", warned)
		}
	})
}

// An API that never returns pauses the run after the limit, once, and nothing is said of marks
// on the node that is gone. When it is back the run is still paused.
func TestLoopPausesBlind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlinded(t)
		ctx, stop := context.WithCancel(t.Context())
		wait := b.start(ctx, 5*time.Minute)
		time.Sleep(5 * time.Minute)
		if told := b.told(record.RunPaused, ""); len(told) != 0 {
			t.Errorf("paused early: %q", told)
		}
		time.Sleep(time.Hour)
		if told := b.told(record.RunPaused, ""); len(told) != 1 || !strings.Contains(told[0], "--validation-timeout") {
			t.Errorf("told %q", told)
		}
		close(b.back)
		time.Sleep(time.Minute)
		stop()
		if r, err := wait(); err != nil || r.State != record.Paused {
			t.Errorf("left %s: %v", r.State, err)
		}
	})
}

// An abort while the run is blind ends: with the limit, but no sooner than a minute after it.
func TestLoopAbortsBlind(t *testing.T) {
	for name, c := range map[string]struct{ limit, after, takes time.Duration }{
		"long before the limit": {5 * time.Minute, 30 * time.Second, 5*time.Minute + 15*time.Second},
		"shortly before it":     {45 * time.Second, 50 * time.Second, 110 * time.Second},
		"after the pause":       {2 * time.Minute, 10 * time.Minute, 11 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBlinded(t)
				begun := time.Now()
				wait := b.start(t.Context(), c.limit)
				time.Sleep(c.after)
				b.Send(record.Command{Kind: record.CmdAbort, By: "ann@laptop"})
				r, err := wait()
				var unwritten *UnwrittenError
				if r.Result != record.Aborted || !errors.As(err, &unwritten) || !strings.Contains(err.Error(), "no view of the cluster") {
					t.Errorf("ended %s: %v", r.Result, err)
				}
				if took := time.Since(begun); (took - c.takes).Abs() > 10*time.Second {
					t.Errorf("it took %s, want about %s", took, c.takes)
				}
				if n := count(b.seen(), string(record.Terminate)); n != 1 || len(b.told(record.Warning, record.ReasonBlind)) == 0 {
					t.Errorf("asked %d times to end the machine, told %q", n, b.told(record.Warning, record.ReasonBlind))
				}
			})
		})
	}
}
