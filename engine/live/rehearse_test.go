package live

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// The time left is what a rehearsal tells, which has a world of its own; there are never two
// at once, and the end of the loop ends one.
func TestLoopRehearses(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	var calls, at, looks atomic.Int32
	var left atomic.Int64
	ended := make(chan struct{})
	b.Rehearse = func(ctx context.Context, w *world.World, now time.Time, r record.Run) (snapshot.Rehearsal, bool) {
		if at.Add(1) > 1 {
			t.Error("two rehearsals at once")
		}
		defer at.Add(-1)
		if w == b.World || w.Group.Name != "web" || r.ID != "run-1" || now.IsZero() {
			t.Errorf("what is rehearsed: %+v at %s in %+v", r, now, w.Group)
		}
		if calls.Add(1) == 1 {
			return snapshot.Rehearsal{Took: time.Hour, Result: record.Succeeded}, true
		}
		<-ctx.Done()
		close(ended)
		return snapshot.Rehearsal{}, false
	}
	b.Publish = func(s *snapshot.Snapshot) {
		left.Store(int64(s.TimeLeft))
		looks.Add(1)
		if calls.Load() > 0 && s.TimeLeft > 0 {
			b.rehearser.due = time.Time{} // on the loop's goroutine
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.Run(ctx, b.planned())
		done <- err
	}()
	await(t, func() bool { return calls.Load() == 2 })
	for _, at := range []string{"i-1", "i-2"} { // on which no third begins
		was := looks.Load()
		b.Look(snapshot.Look{Machine: at})
		await(t, func() bool { return looks.Load() > was })
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d rehearsals, the second of which is under way", n)
	}
	if d := time.Duration(left.Load()); d < 59*time.Minute || d > time.Hour {
		t.Errorf("%s are left, not about an hour", d)
	}
	close(b.hold)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	<-ended
}

func TestTimeLeftOfARehearsal(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name string
		last rehearsed
		want time.Duration
	}{
		{"none", rehearsed{}, time.Minute},
		{"counts down", rehearsed{from: now.Add(-10 * time.Second), began: now, told: true, end: snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded}}, 290 * time.Second},
		{"nothing was told", rehearsed{from: now, began: now, end: snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded}}, time.Minute},
		{"it is old", rehearsed{from: now, began: now.Add(-time.Minute), told: true, end: snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded}}, time.Minute},
		{"it should be over", rehearsed{from: now.Add(-time.Hour), began: now, told: true, end: snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded}}, time.Minute},
		{"no end", rehearsed{from: now, began: now, told: true, end: snapshot.Rehearsal{Took: 5 * time.Minute}}, 0},
	} {
		l := &Loop{run: record.Run{State: record.Running}, rehearser: rehearser{last: c.last}}
		if got := l.left(now, time.Minute); got != c.want {
			t.Errorf("%s: %s are left, not %s", c.name, got, c.want)
		}
	}
	paused := &Loop{run: record.Run{State: record.Paused}, rehearser: rehearser{last: rehearsed{from: now, began: now, told: true, end: snapshot.Rehearsal{Took: time.Hour, Result: record.Succeeded}}}}
	if got := paused.left(now, 0); got != 0 {
		t.Errorf("%s are left of a run that is paused", got)
	}
}
