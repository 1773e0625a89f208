package live

import (
	"errors"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// blind counts, while the lock is lost, the time in which the cluster is not seen after the
// run's own end of a machine: the API that holds the lock may have gone with it.
func (l *Loop) blind() {
	before := l.run
	d := engine.Blind(l.Rules, l.Clock.Now(), l.World, l.run, l.abortWaits())
	l.run = d.Run
	if before.State != d.Run.State {
		l.unwritten.paused = d.Run.Why // when the lock is back, the record does not know of it
		l.decided(before, d)
	}
	l.repeats.note(d.Events)
	l.tell(d.Events)
}

// aborts are the aborts that wait for the lock, without those from elsewhere.
func (l *Loop) aborts() []record.Command {
	return slices.DeleteFunc(slices.Clone(l.in.Commands), func(c record.Command) bool { return c.Kind != record.CmdAbort || c.ID != "" })
}

// abortWaits returns the least time that an abort still has that waits until a blind run can see
// again, nil if none does.
func (l *Loop) abortWaits() *time.Duration {
	b := l.run.Blindness
	if b == nil || l.run.State == record.Ending || len(l.aborts()) == 0 {
		l.aborting = time.Time{}
		return nil
	}
	if l.aborting.IsZero() {
		l.aborting = time.Now()
		l.warn(record.ReasonBlind, text.AbortBlind(max(l.run.Settings.ValidateTimeout-b.For, endLimit)))
	}
	left := max(0, endLimit-time.Since(l.aborting))
	return &left
}

// blindEnd ends the loop of a run that is ending, or was told to, when it has been blind since
// its own end of a machine for the limit that a validation has. An abort that comes late has
// some time of its own.
func (l *Loop) blindEnd() error {
	b, waits := l.run.Blindness, l.abortWaits()
	if b == nil || l.run.State != record.Ending && waits == nil {
		return nil
	}
	left := l.run.Settings.ValidateTimeout - b.For
	if waits != nil {
		left = max(left, *waits)
	}
	if left > 0 {
		return nil
	}
	if waits != nil {
		l.observe(engine.Inputs{Commands: l.aborts()})
	}
	return &UnwrittenError{errors.New(text.BlindFor(b.For))}
}
