package live

import (
	"context"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// rehearseEvery is how often a run is rehearsed at most, and rehearseShare the share of
	// the time that it may take; of what cannot be told it takes a quarter of that.
	rehearseEvery = 15 * time.Second
	rehearseShare = 10
	untoldRest    = 4
)

// Foresee says how a run will end, in a world that is its own to keep.
type Foresee func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast

// foreseer is what was foreseen of a run last.
type foreseer struct {
	busy bool      // a rehearsal is under way
	due  time.Time // the next one, by the wall clock
	came chan foreseen
	last foreseen
}

// foreseen is what came of rehearsals of a run, named by its id, that began at a time of the wall clock.
type foreseen struct {
	run   string
	began time.Time
	end   snapshot.Forecast
}

// awaits reports whether the next rehearsal is due.
func (f *foreseer) awaits() bool { return !f.busy && !time.Now().Before(f.due) }

// foresees begins to rehearse a run as it is now, if that is due: on a goroutine of its own,
// with a copy of the world, and never twice at once.
func (f *foreseer) foresees(ctx context.Context, by Foresee, running *sync.WaitGroup, w *world.World, now time.Time, run record.Run) {
	if by == nil || !f.awaits() || run.State != record.Running || w.Partial() {
		return
	}
	f.busy = true
	still, of := w.Copy(), foreseen{run: run.ID, began: time.Now(), end: snapshot.Unforeseen(now, plans.NoForecastCrashed)}
	running.Go(func() {
		_ = Caught(func() error { // a crash there is no end of the run
			of.end = by(ctx, still(), now, run)
			return nil
		})
		f.came <- of
	})
}

// heed takes in what was foreseen, for the run's record too, and returns the event that tells
// of it, if it is not what was foreseen before.
func (f *foreseer) heed(r foreseen, now time.Time, run *record.Run) []record.Event {
	rest := rehearseShare * time.Since(r.began)
	if r.end.Outlook == record.NotEvaluated {
		rest *= untoldRest
	}
	f.busy, f.last, f.due = false, r, r.began.Add(max(rehearseEvery, rest))
	before, is := run.Foreseen, &r.end.Foreseen
	if r.run != run.ID || run.State != record.Running || is.Outlook == record.NotEvaluated && before != nil { // the next one may tell more
		return nil
	}
	run.Foreseen = is
	if is.Outlook == record.NotEvaluated || before != nil && before.SameAs(is) {
		return nil
	}
	return []record.Event{is.Event(now, run)}
}

// forecast is what was foreseen of a run, as it holds now; nil where that is not known or
// old. While an approval is waited for, all of it comes later: who is to approve takes what
// time they like.
func (f *foreseer) forecast(now time.Time, run *record.Run) *snapshot.Forecast {
	r := &f.last
	if r.run != run.ID || run.State != record.Running || r.began.IsZero() || time.Since(r.began) > 2*max(rehearseEvery, f.due.Sub(r.began)) {
		return nil
	}
	out := r.end
	if _, waiting := run.Waiting(); waiting {
		out.Foreseen = out.Later(now.Sub(out.At))
	}
	return &out
}

// foreshow puts what is foreseen of the run into a snapshot.
func (f *foreseer) foreshow(s *snapshot.Snapshot, now time.Time, run *record.Run) {
	s.Forecast = f.forecast(now, run)
	switch {
	case s.Forecast == nil || s.Forecast.End.IsZero():
	case s.Forecast.Outlook == record.WillNotEnd:
		s.TimeLeft = 0
	default:
		if left := s.Forecast.End.Sub(now); left > 0 {
			s.TimeLeft = left.Round(time.Second)
		}
	}
}
