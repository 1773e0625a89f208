package live

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// dispatch starts an action that was decided on at a time; its answer comes back
// through the loop.
func (l *Loop) dispatch(a record.Action, asked time.Time) {
	l.flying++
	ctx, term := l.acting, l.term
	l.running.Go(func() {
		select {
		case l.slots <- struct{}{}:
			defer func() { <-l.slots }()
		case <-ctx.Done():
			return
		}
		var o record.Outcome
		if err := Caught(func() error { o = l.do(ctx, a, asked); return nil }); err != nil {
			select {
			case l.crashed <- err:
			default: // one is enough
			}
			return
		}
		select {
		case l.answers <- answer{term, o}:
		case <-ctx.Done():
		}
	})
}

// do carries out one action. One that could not start in time (by the wall
// clock, which continues while a laptop sleeps, also while the record was written) is
// handed back: what it was decided on may no longer be so, and the run may no
// longer be ours.
func (l *Loop) do(ctx context.Context, a record.Action, asked time.Time) record.Outcome {
	why := ""
	if late := time.Now().Round(0).Sub(asked.Round(0)); late > tooLate {
		why = text.CouldNotStart(late)
	} else if ctx.Err() != nil || !l.Lock.Sure() {
		why = ErrNotSure.Error()
	}
	if why != "" {
		return record.Outcome{Key: a.Key, At: l.Clock.Now(), Verdict: record.Refused, Refusal: record.RefusedStale, Message: why}
	}
	ctx, cancel := context.WithTimeout(ctx, max(actionLimit, a.Limit+hookRest))
	defer cancel()
	ctx, permit := withPermit(ctx, l.Lock.Sure)
	o := l.Executor.Do(ctx, a)
	if permit.nothingSent() {
		o = record.Outcome{At: l.Clock.Now(), Verdict: record.Refused, Refusal: record.RefusedStale, Message: ErrNotSure.Error()}
	}
	o.Key = a.Key
	return o
}
