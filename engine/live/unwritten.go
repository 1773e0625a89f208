package live

import (
	"errors"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Times of a run record that cannot be written. RecordLimit and endLimit count only while the
// cluster is seen: a record that cannot be written because the API is away is no news.
const (
	// RecordLimit is the default of Loop.RecordLimit.
	RecordLimit = 5 * time.Minute
	// endLimit is how long a run that ends waits until its record can be written.
	endLimit = time.Minute
	// unwrittenTold is from when on it is told: one write that fails is retried in silence.
	unwrittenTold = 3 * time.Second
	// unwrittenAgain is how often it is told again while it lasts.
	unwrittenAgain = time.Minute
	// writingLook is how often the loop looks up while it waits for one write.
	writingLook = 500 * time.Millisecond
	// typedLimit is how long a command that is given to this process waits for the record: the user who
	// gives it looks on. One from elsewhere waits until it expires.
	typedLimit = 15 * time.Second
	// answerLead is how long before a command from elsewhere expires it is refused: its sender
	// reads the answer until then.
	answerLead = 2 * time.Second
)

// ErrTooLarge means that a record was not written because its store has a limit of size.
var ErrTooLarge = errors.New("the run record is too large")

// UnwrittenError says that the loop has ended because the run record could not be written, or
// while it could not be. The run that Run returns with it may be newer than the record.
type UnwrittenError struct{ Err error }

func (e *UnwrittenError) Error() string {
	return text.Unrecorded(e.Err)
}

func (e *UnwrittenError) Unwrap() error { return e.Err }

// unwritten is what the loop knows of a record that cannot be written.
type unwritten struct {
	since time.Time // when the first write that failed began, zero while writes succeed
	at    time.Time // the same by the cluster's time
	err   error     // of the last write
	next  time.Time // when the next write is tried
	told  time.Time // when it was told last, zero before
	// able is for how long of it the cluster was seen, counted until then.
	able    time.Duration
	counted time.Time
	paused  string // why the run has paused itself, "" if it has not
	// quiet: no write has failed, but the lock is lost, which is told by itself.
	quiet bool
	// waits are the commands whose wait was told.
	waits map[record.Command]bool
}

// lasts reports for how long the record could not be written, 0 while it can.
func (u *unwritten) lasts() time.Duration {
	if u.since.IsZero() {
		return 0
	}
	return time.Since(u.since)
}

// unable notes that a write that began then has failed, or has not ended yet.
func (l *Loop) unable(begun time.Time, err error) {
	l.unwritten.begin(begun, l.Clock.Now())
	l.unwritten.err, l.unwritten.quiet = err, false
	l.count()
}

// begin notes since when nothing can be recorded.
func (u *unwritten) begin(since, now time.Time) {
	if u.since.IsZero() {
		u.since, u.counted, u.at = since, since, now.Add(-time.Since(since))
	}
}

// lockless counts the time in which nothing can be recorded because the lock is lost. Where
// the rights to record and lock are withdrawn together, no write need have failed.
func (l *Loop) lockless() error {
	u := &l.unwritten
	if u.since.IsZero() {
		u.begin(time.Now(), l.Clock.Now())
		u.err, u.quiet = errNoLock, true
	}
	l.count()
	l.blind()
	l.stillLockless()
	if err := l.patience(); err != nil {
		return err
	}
	if l.run.State == record.Running && u.able >= l.recordLimit() {
		l.observe(engine.Inputs{Pause: l.pauses()})
	}
	return nil
}

// pauses returns why the run pauses itself.
func (l *Loop) pauses() string {
	u := &l.unwritten
	u.paused = text.UnrecordedFor(u.lasts(), u.err)
	return u.paused
}

// observe takes a decision that asks for nothing.
func (l *Loop) observe(in engine.Inputs) {
	in.Unwritten = true
	before := l.run
	d := engine.Decide(l.Rules, l.Clock.Now(), l.World, l.run, in)
	l.run, l.dirty = d.Run, l.dirty || d.Changed
	d.Events = l.repeats.first(d.Events)
	l.repeats.note(d.Events)
	if d.Changed {
		l.decided(before, d)
	}
	l.tell(d.Events)
}

// count adds to the time that counts for the limits.
func (l *Loop) count() {
	u := &l.unwritten
	limit := l.run.Settings.ClusterMaxAge
	if l.run.Settings.CloudOnly {
		limit = l.run.Settings.CloudMaxAge
	}
	passed := time.Since(u.counted)
	if u.counted = time.Now(); !l.World.Stale(l.run.Sources()[0], l.Clock.Now(), limit) {
		u.able += passed
	}
}

// written notes that the record was written.
func (l *Loop) written() {
	u := l.unwritten
	l.unwritten = unwritten{}
	if !u.told.IsZero() {
		l.warn(record.ReasonWritten, text.RecordedAgain(time.Since(u.since)))
	}
}

// tellUnwritten tells that the record cannot be written, soon after it began and then now and
// again.
func (l *Loop) tellUnwritten() {
	u := &l.unwritten
	if u.quiet || u.lasts() < unwrittenTold || !u.told.IsZero() && time.Since(u.told) < unwrittenAgain {
		return
	}
	u.told = time.Now()
	now := l.Clock.Now()
	e := record.Event{Time: now, Run: l.run.ID, Group: l.run.Group, Type: record.Warning, Reason: record.ReasonUnwritten}
	e.Message = text.CannotRecord(u.lasts(), u.err)
	switch left := l.recordLimit() - u.able; {
	case l.run.State == record.Finished:
		e.Message = text.CannotRecordEnd(u.lasts(), u.err, lastSaving)
	case l.run.State == record.Ending:
		e.Message = text.CannotRecordEnding(u.lasts(), u.err, max(0, endLimit-u.able))
	case l.run.State == record.Running && left > 0:
		until := now.Add(left)
		e.Until = &until
		e.Message = text.CannotRecordPausing(u.lasts(), u.err, left)
	}
	l.tell([]record.Event{e})
}

func (l *Loop) recordLimit() time.Duration {
	if l.RecordLimit > 0 {
		return l.RecordLimit
	}
	return RecordLimit
}

// hold takes what happened while the record cannot be written: outcomes, what the world
// shows, and commands that only have the run do less. Nothing is asked for. A run that could
// have acted for too long without a record pauses. It returns when to try again.
func (l *Loop) hold() (wake time.Time) {
	now := l.Clock.Now()
	later := l.refuseUnwritten(now)
	in := engine.Inputs{Outcomes: l.in.Outcomes, Commands: l.in.Commands}
	l.in = engine.Inputs{Commands: later}
	if l.run.State == record.Running && l.unwritten.able >= l.recordLimit() {
		in.Pause = l.pauses()
	}
	l.observe(in)
	return now.Add(saveRetry)
}

// refuseUnwritten takes the commands away that cannot be obeyed now. They are kept for the next
// write, and returned, until it is too late for each: then it is refused. What remains may
// be obeyed without a record, which none from elsewhere is: its answer is that it is recorded.
func (l *Loop) refuseUnwritten(now time.Time) (later []record.Command) {
	u := &l.unwritten
	var acks []record.Ack
	l.in.Commands = slices.DeleteFunc(l.in.Commands, func(c record.Command) bool {
		if c.ID == "" && !c.Kind.NeedsRecord() {
			return false
		}
		switch i := slices.IndexFunc(l.run.HandledCommands, func(a record.Ack) bool { return a.ID == c.ID }); {
		case c.ID != "" && i >= 0: // it was recorded, and the answer did not reach the sender
			acks = append(acks, l.run.HandledCommands[i])
		case now.Before(waitsUntil(c)):
			later = append(later, c)
		case c.ID == "":
			l.warn("refused", text.CommandRefused(string(c.Kind), c.Node, "", record.WithoutRecord))
		default:
			acks = append(acks, record.Ack{ID: c.ID, At: now, Given: c.At, Answer: text.NotRecordedNotObeyed(u.lasts(), u.err)})
			l.warn("refused", text.CommandRefused(string(c.Kind), c.Node, world.Clean(c.Sender()), record.WithoutRecord))
		}
		return true
	})
	l.acknowledge(acks)
	l.tellWaits(later)
	return later
}

// waitsUntil returns until when a command waits for the record.
func waitsUntil(c record.Command) time.Time {
	if c.ID == "" {
		return c.At.Add(typedLimit)
	}
	end := c.At.Add(record.CommandLife)
	if c.Expires.Before(end) {
		end = c.Expires
	}
	return end.Add(-answerLead)
}

// tellWaits tells of commands given to this process that they wait for the record, each once.
// A user who gives one from elsewhere is told by the process that waits for its answer.
func (l *Loop) tellWaits(commands []record.Command) {
	u := &l.unwritten
	for _, c := range commands {
		if c.ID != "" || u.waits[c] {
			continue
		}
		if u.waits == nil {
			u.waits = map[record.Command]bool{}
		}
		u.waits[c] = true
		l.warn(record.ReasonCommandWaits, text.CommandWaits(string(c.Kind), c.Node, c.Kind.NeedsRecord(), typedLimit))
	}
}

// patience ends the loop when a run that ends could not be recorded, or could not see its
// cluster after its own end of a machine, for too long. What is to be restored is in the last record, and nothing of it is done without one.
func (l *Loop) patience() error {
	if err := l.blindEnd(); err != nil {
		return err
	}
	u := &l.unwritten
	if u.since.IsZero() || l.run.State != record.Ending || u.able < endLimit {
		return nil
	}
	return &UnwrittenError{u.err}
}

// unrecorded is what it means for a run that is left that its record cannot be written.
func unrecorded(err error) error {
	var crash *Crash
	if err == nil || errors.Is(err, ErrLost) || errors.As(err, &crash) {
		return err
	}
	return &UnwrittenError{err}
}

var (
	errNoAnswer = errors.New("the write has no answer yet")
	errNoLock   = errors.New(record.WithoutLock)
)
