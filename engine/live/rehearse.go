package live

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// rehearseEvery is how often a run is rehearsed at most, and rehearseShare the share of
	// the time that it may take; of what cannot be told it takes a quarter of that.
	rehearseEvery = 15 * time.Second
	rehearseShare = 10
	untoldRest    = 4
)

// Rehearse plays a run to its end in a world that is its own to keep, and tells what comes
// of that, false if that cannot be told.
type Rehearse func(ctx context.Context, w *world.World, now time.Time, r record.Run) (snapshot.Rehearsal, bool)

// rehearser is what the last rehearsal of the run told.
type rehearser struct {
	busy bool      // one is under way
	due  time.Time // of the next one, by the wall clock
	came chan rehearsed
	last rehearsed
}

// rehearsed is what came of a rehearsal that began at a time, of the cluster and of the wall
// clock.
type rehearsed struct {
	from, began time.Time
	end         snapshot.Rehearsal
	told        bool
}

// rehearse begins a rehearsal of the run as it is now, if one is due: on a goroutine of its
// own, with a copy of the world, and never two at once.
func (l *Loop) rehearse() {
	f, now := &l.rehearser, time.Now()
	if l.Rehearse == nil || f.busy || now.Before(f.due) || l.run.State != record.Running || l.World.Partial() {
		return
	}
	f.busy = true
	run, still, of := l.run, l.World.Copy(), rehearsed{from: l.Clock.Now(), began: now}
	l.running.Go(func() {
		_ = Caught(func() error { // a crash there is no end of the run: nothing is told
			of.end, of.told = l.Rehearse(l.background, still(), of.from, run)
			return nil
		})
		f.came <- of
	})
}

// heed takes in what a rehearsal told.
func (l *Loop) heed(r rehearsed) {
	f := &l.rehearser
	rest := rehearseShare * time.Since(r.began)
	if !r.told {
		rest *= untoldRest
	}
	f.busy, f.last, f.due = false, r, r.began.Add(max(rehearseEvery, rest))
}

// left is the time to the end of the run: what the last rehearsal says of it, which counts
// down, or, where there is none or it is old, the estimate. It is not known of a run that
// would not end by itself.
func (l *Loop) left(now time.Time, estimate time.Duration) time.Duration {
	r := &l.rehearser.last
	if l.run.State != record.Running || !r.told || time.Since(r.began) > 2*max(rehearseEvery, l.rehearser.due.Sub(r.began)) {
		return estimate
	}
	if r.end.Endless() {
		return 0
	}
	passed := now.Sub(r.from)
	if _, waiting := l.run.Waiting(); waiting { // who is to approve takes what time he likes
		passed = 0
	}
	if left := r.end.Took - passed; left > 0 {
		return left.Round(time.Second)
	}
	return estimate
}
