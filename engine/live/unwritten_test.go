package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// suspendAll is a strategy that wants three processes suspended, one after the other, and
// none when it ends.
type suspendAll struct{ suspendOnce }

var toSuspend = []string{"AZRebalance", "Launch", "Terminate"}

func (suspendAll) Step(s *engine.Step) {
	s.Enter("only")
	for _, process := range toSuspend {
		if !s.SuspendProcess(process) || !s.W.Group.HasSuspended(process) {
			return
		}
	}
	s.Succeed()
}

func (suspendAll) End(s *engine.Step) bool { return s.ResumeProcesses() }

// pen is a record that can be written or not, by the test's choice.
type pen struct {
	*bench
	mu    sync.Mutex
	deny  error
	hang  bool
	limit int       // size in bytes, 0 for none
	begun time.Time // of the first write that failed
}

// fails notes when the first write failed.
func (p *pen) fails() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
}

func (p *pen) set(deny error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deny = deny
}

func (p *pen) Save(ctx context.Context, r record.Run) error {
	p.mu.Lock()
	deny, hang := p.deny, p.hang
	p.mu.Unlock()
	if hang {
		p.fails()
		<-ctx.Done()
		return ctx.Err()
	}
	if deny != nil {
		p.fails()
		return deny
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if p.limit > 0 && len(text) > p.limit {
		p.fails()
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, len(text))
	}
	return p.bench.Save(ctx, r)
}

var errForbidden = errors.New("configmaps is forbidden: user ann cannot update it")

// unwritable is a loop that has asked for the first change when its record cannot be written
// any more. The cluster stays in sight unless away.
type unwritable struct {
	*pen
	t      *testing.T
	events []record.Event
	at     map[string]time.Time // when each type or reason was first told
	last   *snapshot.Snapshot
	acks   []record.Ack
	away   bool
}

func newUnwritable(t *testing.T, deny error) *unwritable {
	b := newBench(t)
	b.hold = make(chan struct{})
	u := &unwritable{pen: &pen{bench: b}, t: t, at: map[string]time.Time{}}
	b.Rules, b.Store, b.Executor = suspendAll{}, u.pen, u
	b.Loop.Acknowledge = func(list []record.Ack) { u.acks = append(u.acks, list...) }
	b.Loop.Publish = func(s *snapshot.Snapshot) { u.last = s }
	b.Loop.Events = func(list []record.Event) {
		for _, e := range list {
			u.events = append(u.events, e)
			if e.Type == record.PhaseStarted {
				u.set(deny)
			}
			for _, name := range []string{string(e.Type), e.Reason} {
				if _, known := u.at[name]; !known {
					u.at[name] = time.Now()
				}
			}
		}
	}
	return u
}

// Do changes the group's processes.
func (u *unwritable) Do(ctx context.Context, a record.Action) record.Outcome {
	u.note(string(a.Kind))
	select {
	case <-u.bench.hold:
	case <-ctx.Done():
		return record.Outcome{Verdict: record.Unknown}
	}
	u.Queue.changes <- func(w *world.World) {
		w.Group.Suspended = slices.DeleteFunc(slices.Clone(w.Group.Suspended), func(p string) bool { return p == a.Process })
		if a.Kind == record.Suspend {
			w.Group.Suspended = append(w.Group.Suspended, a.Process)
		}
	}
	return record.Outcome{Verdict: record.Done, At: time.Now()}
}

// start drives a run until the test has ended it.
func (u *unwritable) start(ctx context.Context) (wait func() (record.Run, error)) {
	return u.drive(ctx, u.planned())
}

func (u *unwritable) drive(ctx context.Context, run record.Run) (wait func() (record.Run, error)) {
	go func() {
		for ctx.Err() == nil && !u.away {
			select {
			case u.Queue.changes <- func(w *world.World) {
				w.Health[world.Cluster], w.Health[world.Cloud] = world.Health{Fresh: time.Now()}, world.Health{Fresh: time.Now()}
			}:
			case <-ctx.Done():
			}
			select {
			case <-time.After(2 * time.Second):
			case <-ctx.Done():
			}
		}
	}()
	type end struct {
		run record.Run
		err error
	}
	ended := make(chan end, 1)
	go func() {
		r, err := u.Run(ctx, run)
		ended <- end{r, err}
	}()
	return func() (record.Run, error) {
		e := <-ended
		return e.run, e.err
	}
}

// told is when something was first told: at most so long after the first write that failed.
func (u *unwritable) told(what string, limit time.Duration) {
	u.t.Helper()
	if at, ok := u.at[what]; !ok || at.Sub(u.begun) > limit {
		u.t.Errorf("%s was told %s after the first write that failed (%v), want within %s", what, at.Sub(u.begun), ok, limit)
	}
}

func (u *unwritable) asked() int {
	n := 0
	for _, step := range u.seen() {
		if step == string(record.Suspend) || step == string(record.Resume) {
			n++
		}
	}
	return n
}

// A record that cannot be written is told within seconds, in the log and in snapshots. What
// was asked for ends, its outcome is taken, nothing new is asked for, and commands that have
// the run do more are refused. When it can be written again that is told, and the run continues.
func TestLoopTellsThatTheRecordCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, errForbidden)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		wait := u.start(ctx)
		time.Sleep(15 * time.Second)
		u.told("record unwritten", 5*time.Second)
		close(u.bench.hold)
		u.Send(record.Command{Kind: record.CmdApprove, By: "ann@laptop", At: time.Now()})
		time.Sleep(typedLimit - time.Second)
		u.told(record.ReasonCommandWaits, 20*time.Second)
		if _, early := u.at["refused"]; early {
			t.Error("refused at once")
		}
		time.Sleep(5 * time.Second)
		u.told("refused", time.Minute)
		if u.asked() != 1 {
			t.Errorf("asked for %d changes, want the first only", u.asked())
		}
		s := u.last
		if !strings.Contains(s.Unwritten, "forbidden") || s.UnwrittenSince.Sub(u.begun).Abs() > 2*time.Second {
			t.Errorf("the snapshot says %q since %s", s.Unwritten, s.UnwrittenSince)
		}
		for _, a := range s.Abilities {
			if a.Kind.NeedsRecord() && a.Why != record.WithoutRecord {
				t.Errorf("%s: %q", a.Kind, a.Why)
			}
		}
		u.set(nil)
		r, err := wait()
		if err != nil || r.Result != record.Succeeded || u.asked() != 3 {
			t.Errorf("ended %s with %d changes: %v", r.Result, u.asked(), err)
		}
		if _, ok := u.at["record written"]; !ok {
			t.Error("nothing says that it is written again")
		}
	})
}

// A write without an answer is told as well, while it lasts.
func TestLoopTellsOfAWriteWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, nil)
		events := u.Loop.Events
		u.Loop.Events = func(list []record.Event) {
			events(list)
			u.pen.mu.Lock()
			_, u.pen.hang = u.at[string(record.PhaseStarted)]
			u.pen.mu.Unlock()
		}
		ctx, stop := context.WithCancel(t.Context())
		wait := u.start(ctx)
		close(u.bench.hold)
		time.Sleep(15 * time.Second)
		u.told("record unwritten", 5*time.Second)
		if u.last.Unwritten == "" {
			t.Error("it is not shown")
		}
		stop()
		var unwritten *UnwrittenError
		if _, err := wait(); !errors.As(err, &unwritten) {
			t.Errorf("left with %v", err)
		}
	})
}

// After the limit the run pauses: it does not fail, and can be resumed once the record can
// be written.
func TestLoopPausesWithoutARecord(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			u := newUnwritable(t, errForbidden)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			wait := u.start(ctx)
			close(u.bench.hold)
			time.Sleep(RecordLimit - 5*time.Second)
			if _, early := u.at[string(record.RunPaused)]; early {
				t.Error("it paused before the limit")
			}
			time.Sleep(10 * time.Second)
			u.told(string(record.RunPaused), RecordLimit+5*time.Second)
			if n := u.reports(); n < 4 || n > 6 {
				t.Errorf("told %d times in 5 minutes", n)
			}
			if !resumed {
				stop()
				r, err := wait()
				var unwritten *UnwrittenError
				if !errors.As(err, &unwritten) || r.State != record.Paused || !strings.Contains(r.Why, "forbidden") {
					t.Errorf("left as %s (%s) with %v", r.State, r.Why, err)
				}
				return
			}
			u.Send(record.Command{Kind: record.CmdResume, By: "ann@laptop", At: time.Now()})
			time.Sleep(typedLimit + 5*time.Second)
			if u.last.State != record.Paused {
				t.Error("it resumed without a record")
			}
			u.set(nil)
			time.Sleep(5 * time.Second)
			if u.bench.record.State != record.Paused || u.asked() != 1 {
				t.Errorf("the record says %s, %d changes", u.bench.record.State, u.asked())
			}
			u.set(errForbidden)
			time.Sleep(saveEvery + 5*time.Second)
			u.Send(record.Command{Kind: record.CmdResume, By: "ann@laptop", At: time.Now()})
			time.Sleep(5 * time.Second)
			u.set(nil)
			if r, err := wait(); err != nil || r.Result != record.Succeeded {
				t.Errorf("ended %s: %v", r.Result, err)
			}
		})
	}
}

// unlocked is a bench that does not get its lock back.
type unlocked struct{ *bench }

func (unlocked) Regain(ctx context.Context) (record.Run, error) {
	<-ctx.Done()
	return record.Run{}, ctx.Err()
}

// Without the lock nothing can be written either: that has the same limit.
func TestLoopPausesWithoutALock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, nil)
		u.Lock = unlocked{u.bench}
		ctx, stop := context.WithCancel(t.Context())
		wait := u.start(ctx)
		time.Sleep(time.Second)
		u.fails()
		close(u.bench.lost)
		time.Sleep(RecordLimit - 5*time.Second)
		if _, early := u.at[string(record.RunPaused)]; early {
			t.Error("it paused before the limit")
		}
		time.Sleep(15 * time.Second)
		u.told(string(record.RunPaused), RecordLimit+10*time.Second)
		stop()
		if r, _ := wait(); r.State != record.Paused || !strings.Contains(r.Why, record.WithoutLock) {
			t.Errorf("left as %s (%s)", r.State, r.Why)
		}
	})
}

func (u *unwritable) reports() (n int) {
	for _, e := range u.events {
		if e.Reason == "record unwritten" {
			n++
		}
	}
	return n
}

// Time in which the cluster is not seen either does not count: such a run waits.
func TestLoopWithoutARecordWaitsForTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, errForbidden)
		u.away = true
		ctx, stop := context.WithCancel(t.Context())
		wait := u.start(ctx)
		close(u.bench.hold)
		time.Sleep(time.Hour)
		if _, paused := u.at[string(record.RunPaused)]; paused {
			t.Error("it paused")
		}
		stop()
		if _, err := wait(); err == nil {
			t.Error("left without an error")
		}
	})
}

// An abort takes effect at once although it cannot be recorded: nothing new starts. What the
// record does not have is not restored, so the loop ends after a limit.
func TestLoopAbortsWithoutARecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, errForbidden)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		wait := u.start(ctx)
		close(u.bench.hold)
		time.Sleep(15 * time.Second)
		given := time.Now()
		u.Send(record.Command{Kind: record.CmdAbort, By: "ann@laptop"})
		r, err := wait()
		var unwritten *UnwrittenError
		if took := time.Since(given); !errors.As(err, &unwritten) || r.State != record.Ending || r.Result != record.Aborted || took > endLimit+5*time.Second {
			t.Errorf("ended %s, %s after %s: %v", r.State, r.Result, took, err)
		}
		u.told(string(record.RunAborting), 15*time.Second)
		if u.asked() != 1 || len(r.Outstanding()) != 1 {
			t.Errorf("%d changes, and left: %v", u.asked(), r.Outstanding())
		}
	})
}

// A command from elsewhere waits for the record until shortly before it expires. It is obeyed
// when it is recorded, and else refused, with the reason, as long as its sender still reads it.
func TestLoopKeepsFromElsewhereWithoutARecord(t *testing.T) {
	for _, back := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			u := newUnwritable(t, errForbidden)
			ctx, stop := context.WithCancel(t.Context())
			wait := u.start(ctx)
			close(u.bench.hold)
			time.Sleep(15 * time.Second)
			now := time.Now()
			u.Send(record.Command{Kind: record.CmdPause, ID: "a1", Run: "run-1", By: "bob@ops", At: now, Expires: now.Add(time.Minute)})
			time.Sleep(50 * time.Second)
			if len(u.acks) != 0 || u.last.State != record.Running {
				t.Errorf("after 50 s the run is %s, answered %+v", u.last.State, u.acks)
			}
			if back {
				u.set(nil)
				time.Sleep(3 * time.Second)
				if len(u.acks) != 1 || !u.acks[0].Accepted || u.bench.record.State != record.Paused {
					t.Errorf("recorded as %s, answered %+v", u.bench.record.State, u.acks)
				}
			} else {
				time.Sleep(9500 * time.Millisecond)
				if len(u.acks) != 1 || u.acks[0].Accepted || !strings.Contains(u.acks[0].Answer, "not recorded") || !strings.Contains(u.acks[0].Answer, "forbidden") {
					t.Errorf("answered %+v", u.acks)
				}
				if u.last.State != record.Running {
					t.Errorf("the run is %s", u.last.State)
				}
			}
			stop()
			_, _ = wait()
		})
	}
}

// What is typed while a write has no answer is told to wait, and obeyed when the write has ended.
func TestLoopTellsThatACommandWaitsForAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, nil)
		events := u.Loop.Events
		u.Loop.Events = func(list []record.Event) {
			events(list)
			u.pen.mu.Lock()
			_, u.pen.hang = u.at[string(record.PhaseStarted)]
			u.pen.mu.Unlock()
		}
		ctx, stop := context.WithCancel(t.Context())
		wait := u.start(ctx)
		close(u.bench.hold)
		time.Sleep(15 * time.Second)
		given := time.Now()
		u.Send(record.Command{Kind: record.CmdPause, By: "ann@laptop", At: given})
		time.Sleep(saveLimit + 2*time.Second)
		if took := u.at[record.ReasonCommandWaits].Sub(given); took < 0 || took > time.Second {
			t.Errorf("its wait was told after %s", took)
		}
		if u.last.State != record.Paused {
			t.Errorf("the run is %s", u.last.State)
		}
		stop()
		_, _ = wait()
	})
}

// The end of a run whose record is too large is recorded with less in it.
func TestLoopRecordsTheEndOfALargeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := newUnwritable(t, nil)
		u.pen.limit = 64 << 10
		events := u.Loop.Events
		u.Loop.Events = func(list []record.Event) {
			events(list)
			u.pen.mu.Lock()
			defer u.pen.mu.Unlock()
			if _, begun := u.at[string(record.PhaseStarted)]; begun {
				u.pen.limit = 8 << 10
			}
		}
		run := u.planned()
		run.Pods = shards.Of(map[string]record.Pod{})
		for i := range 100 {
			run.Pods = run.Pods.With(fmt.Sprintf("uid-%d", i), record.Pod{Ref: fmt.Sprintf("shop/web-%d", i), Node: "n1", Tries: 3, Message: strings.Repeat("blocked ", 20), First: time.Now(), Last: time.Now()})
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		wait := u.drive(ctx, run)
		close(u.bench.hold)
		time.Sleep(10 * time.Second)
		if len(u.events) > 0 && u.asked() != 1 {
			t.Errorf("%d changes with a record that is too large", u.asked())
		}
		u.told("record unwritten", 5*time.Second)
		time.Sleep(300 * time.Millisecond) // between two writes
		now := time.Now()
		u.Send(record.Command{Kind: record.CmdAbort, ID: "a1", Run: "run-1", By: "bob@ops", At: now, Expires: now.Add(time.Minute)})
		if r, err := wait(); err != nil || r.Result != record.Aborted {
			t.Errorf("ended %s: %v", r.Result, err)
		}
		if b := u.bench; b.record.State != record.Finished || b.record.Result != record.Aborted || len(b.record.Suspended) > 0 || len(u.acks) != 1 || !u.acks[0].Accepted {
			t.Errorf("the record says %s %s, suspended %v; answers %+v", b.record.State, b.record.Result, b.record.Suspended, u.acks)
		}
	})
}
