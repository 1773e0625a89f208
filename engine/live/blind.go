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
	d := engine.Blind(l.Rules, l.Clock.Now(), l.World, l.run)
	l.run = d.Run
	if before.State != d.Run.State {
		l.unwritten.paused = d.Run.Why // when the lock is back, the record does not know of it
		l.decided(before, d)
	}
	l.retelling.note(d.Events)
	l.tell(d.Events)
}

// blindEnd ends the loop of a run that is ending, or was told to, when it has been blind since
// its own end of a machine for the limit that a validation has. An abort that comes late has
// some time of its own.
func (l *Loop) blindEnd() error {
	b := l.run.Blindness
	aborts := slices.DeleteFunc(slices.Clone(l.in.Commands), func(c record.Command) bool { return c.Kind != record.CmdAbort || c.ID != "" })
	if b == nil || l.run.State != record.Ending && len(aborts) == 0 {
		l.aborting = time.Time{}
		return nil
	}
	left := l.run.Settings.ValidateTimeout - b.For
	if l.run.State != record.Ending {
		if l.aborting.IsZero() {
			l.aborting = time.Now()
			l.warn(record.ReasonBlind, text.AbortBlind(max(left, endLimit)))
		}
		left = max(left, endLimit-time.Since(l.aborting))
	}
	if left > 0 {
		return nil
	}
	if l.run.State != record.Ending {
		l.observe(engine.Inputs{Commands: aborts})
	}
	return &UnwrittenError{errors.New(text.BlindFor(b.For))}
}
