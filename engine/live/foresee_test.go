package live

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/blockers"
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
	b.Foresee = func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast {
		if at.Add(1) > 1 {
			t.Error("two rehearsals at once")
		}
		defer at.Add(-1)
		if w == b.World || w.Group.Name != "web" || r.ID != "run-1" || now.IsZero() {
			t.Errorf("what is rehearsed: %+v at %s in %+v", r, now, w.Group)
		}
		if calls.Add(1) == 1 {
			return snapshot.ForecastOf(now, snapshot.Rehearsal{Took: time.Hour, Result: record.Succeeded}, nil)
		}
		<-ctx.Done()
		close(ended)
		return snapshot.Unforeseen(now, "")
	}
	b.Publish = func(s *snapshot.Snapshot) {
		left.Store(int64(s.TimeLeft))
		looks.Add(1)
		if calls.Load() > 0 && s.TimeLeft > 0 {
			b.foreseer.due = time.Time{} // on the loop's goroutine
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

// Where nobody looks, as with --auto, the end is foreseen all the same: it is told, and the record has it.
func TestLoopRehearsesUnseen(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	b.Foresee = func(_ context.Context, _ *world.World, now time.Time, _ record.Run) snapshot.Forecast {
		return snapshot.ForecastOf(now, snapshot.Rehearsal{Took: time.Hour, Result: record.Succeeded}, nil)
	}
	told := make(chan record.Event, 100)
	b.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Type == record.ForecastChanged {
				told <- e
			}
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := b.Run(ctx, b.planned())
		done <- err
	}()
	select {
	case e := <-told:
		if e.Run != "run-1" || e.Reason != string(record.EndsWell) || e.Until == nil {
			t.Errorf("told %+v", e)
		}
	case <-time.After(time.Minute):
		t.Error("how the run will end is not told")
	}
	close(b.hold)
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if f := b.record.Foreseen; f == nil || f.Outlook != record.EndsWell {
		t.Errorf("the record has %+v", f)
	}
}

// What is foreseen counts down, and holds for as long as it is new and the run is running.
func TestForecastOfARun(t *testing.T) {
	now := time.Now()
	well := func(from time.Time) snapshot.Forecast {
		return snapshot.ForecastOf(from, snapshot.Rehearsal{Took: 5 * time.Minute, Result: record.Succeeded}, nil)
	}
	running := record.Run{State: record.Running}
	asks := record.Run{State: record.Running, Batches: []record.Batch{{ID: 1}}}
	for _, c := range []struct {
		name string
		run  record.Run
		last foreseen
		want time.Duration
		says string
	}{
		{"none", running, foreseen{}, time.Minute, ""},
		{"counts down", running, foreseen{began: now, end: well(now.Add(-10 * time.Second))}, 290 * time.Second, "about 5 min left"},
		{"an approval is waited for", asks, foreseen{began: now, end: well(now.Add(-10 * time.Second))}, 300 * time.Second, "about 5 min left"},
		{"nothing was told", running, foreseen{began: now, end: snapshot.Unforeseen(now, "no reason")}, time.Minute, ""},
		{"it is old", running, foreseen{began: now.Add(-time.Minute), end: well(now)}, time.Minute, ""},
		{"it should be over", running, foreseen{began: now, end: well(now.Add(-time.Hour))}, time.Minute, ""},
		{"no end", running, foreseen{began: now, end: snapshot.ForecastOf(now, snapshot.Rehearsal{Took: 5 * time.Minute, Left: 2, Why: "PDB shop/db never opens"}, nil)}, 0, "will not end by itself: PDB shop/db never opens, 2 of 2 nodes stay old"},
		{"paused", record.Run{State: record.Paused}, foreseen{began: now, end: well(now)}, time.Minute, ""},
	} {
		f, s := foreseer{last: c.last}, snapshot.Snapshot{TimeLeft: time.Minute}
		f.foreshow(&s, now, &c.run)
		says := ""
		if s.Forecast != nil {
			says = s.Forecast.Headline(now)
		}
		if s.TimeLeft != c.want || says != c.says {
			t.Errorf("%s: %s are left, and it says %q, not %s and %q", c.name, s.TimeLeft, says, c.want, c.says)
		}
	}
}

// The log tells when what is foreseen is something else, and the record keeps the last.
func TestForecastIsTold(t *testing.T) {
	now := time.Now()
	fails := func(budget string, in time.Duration) snapshot.Forecast {
		return snapshot.ForecastOf(now, snapshot.Rehearsal{Took: 20 * time.Minute, Fails: in, Result: record.EvictionFail, Failed: 1, Left: 4, Replaced: 7,
			Causes: []snapshot.Cause{{Kind: blockers.BlockedByBudget, Node: "ip-10-0-1-23", Pod: "shop/checkout-7d9f8c6b5-x2x4q", Budgets: []string{budget}}}}, nil)
	}
	f, run := foreseer{}, record.Run{ID: "run-1", Group: "web", State: record.Running}
	for _, c := range []struct {
		of   snapshot.Forecast
		want string // "" for nothing
	}{
		{snapshot.Unforeseen(now, "no reason"), ""},
		{fails("shop/checkout", 263*time.Second), "will fail in 4:23: PDB shop/checkout never opens, 5 of 12 nodes stay old"},
		{fails("shop/checkout", 2*time.Second), ""},
		{fails("shop/db", 0), "will fail in 20:00: PDB shop/db never opens, 5 of 12 nodes stay old"},
		{snapshot.ForecastOf(now, snapshot.Rehearsal{Took: 90 * time.Second, Result: record.Succeeded}, nil), "about 2 min left"},
		{snapshot.Unforeseen(now, "no reason"), ""},
	} {
		told := ""
		for _, e := range f.heed(foreseen{run: run.ID, began: now, end: c.of}, now, &run) {
			told += e.Message
			if e.Type != record.ForecastChanged || e.Reason != string(c.of.Outlook) || e.Run != "run-1" {
				t.Errorf("%+v", e)
			}
		}
		if told != c.want {
			t.Errorf("told %q, not %q", told, c.want)
		}
		if c.of.Outlook != record.NotEvaluated && (run.Foreseen == nil || *run.Foreseen != c.of.Foreseen) {
			t.Errorf("the record has %+v", run.Foreseen)
		}
	}
}
