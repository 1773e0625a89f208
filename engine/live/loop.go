package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// Rates of the loop.
const (
	publishEvery = 100 * time.Millisecond // snapshots, at most
	saveEvery    = 10 * time.Second       // the record of a run that only waits
	saveSoon     = time.Second            // a change that no action depends on
	saveRetry    = time.Second            // after a record that could not be written
	saveLimit    = 20 * time.Second       // one write of the record
	lastSaving   = time.Minute            // tries to write the record of a finished run
	sureRetry    = 100 * time.Millisecond // while it is not sure that the lock is still ours
	actionLimit  = 2 * time.Minute        // one action, with everything; providers bound their requests
	hookRest     = 30 * time.Second       // for hooks to be ended when their time is up
	atOnce       = 64                     // actions under way
	tooLate      = 5 * time.Second        // an action that could not start by then is decided again
	farewell     = 5 * time.Second        // for answers under way when the loop is told to stop
)

// Loop drives one run. Fill its fields, then call Run once.
type Loop struct {
	Rules    engine.Strategy
	World    *world.World
	Queue    *FeedQueue
	Executor Executor
	Store    Store
	Lock     Lock
	Clock    Clock
	// Cluster is the name to show.
	Cluster string
	// Before is what the log in snapshots begins with: what happened before this process
	// drove the run. Events is not called with it.
	Before []record.Event
	// Events is called with what happened, in order, on the loop's goroutine,
	// after the record that holds it was written where an action depends on it.
	// May be nil.
	Events func([]record.Event)
	// Heard is called with each command that came, before it is obeyed or refused;
	// Decided with the run before a decision and the decision, once that is written down where
	// an action depends on it, and before its actions begin. Both on the loop's
	// goroutine; may be nil.
	Heard   func([]record.Command)
	Decided func(before record.Run, d engine.Decision)
	// Took is told how long each decision took, on the loop's goroutine. May be nil.
	Took func(time.Duration)
	// Publish is called with each snapshot; it must not block. May be nil.
	Publish func(*snapshot.Snapshot)
	// RecordLimit is for how long the run record may not be written, while the run could act
	// otherwise, before the run pauses; 0 is the constant of that name.
	RecordLimit time.Duration
	// Foresee, if there is one, says how the run will end, for snapshots and the log, on a
	// goroutine of its own; else, and where it foresees nothing, the time left is estimated.
	Foresee Foresee
	// ReadCloud is called when the cloud is to be read at once: a look at it is due. It must
	// not block; may be nil where the caller reads it all the time.
	ReadCloud func()
	// Acknowledge is called with the answers to commands from elsewhere, on the loop's
	// goroutine, after the record that holds them was written. May be nil.
	Acknowledge func([]record.Ack)

	once     sync.Once
	commands chan record.Command
	told     chan record.Event  // what others have to say
	looks    chan snapshot.Look // the newest that was not taken yet
	answers  chan answer
	regained chan regained
	crashed  chan error // a panic in an action

	background context.Context // ends with Run
	foreseer   foreseer

	running   sync.WaitGroup
	slots     chan struct{}
	acting    context.Context // ends with the lock
	stop      context.CancelFunc
	term      int // counts the times that the lock was held
	flying    int // actions of this term without an answer
	run       record.Run
	in        engine.Inputs
	early     []record.Command // came while a write was under way, and not heard yet
	snapshot  *snapshot.Snapshot
	look      snapshot.Look
	log       []record.Event
	freshness freshness
	saved     time.Time
	dirty     bool
	unwritten unwritten
	repeats   repeats
	decisions spacing
	views     spacing
	shown     bool      // what is so is on the screen
	asked     bool      // by the user: the next snapshot does not rest
	aborting  time.Time // since when an abort waits until a blind run can see again, zero if none does
}

// answer is an outcome and the term its action was asked for in: what came of
// actions before the lock was lost is looked up again.
type answer struct {
	term    int
	outcome record.Outcome
}

type regained struct {
	run record.Run
	err error
}

func (l *Loop) init() {
	l.once.Do(func() {
		l.commands = make(chan record.Command, 16)
		l.told = make(chan record.Event, 16)
		l.looks = make(chan snapshot.Look, 1)
		l.answers = make(chan answer, 256)
		l.regained = make(chan regained, 1)
		l.crashed = make(chan error, 1)
		l.foreseer.came = make(chan foreseen, 1)
		l.slots = make(chan struct{}, atOnce)
	})
}

// Send hands an operator's command to the loop. It does not block; a command
// that finds the loop busy beyond reason is dropped with false.
func (l *Loop) Send(c record.Command) bool {
	l.init()
	select {
	case l.commands <- c:
		return true
	default:
		return false
	}
}

// Tell adds to the run's log what others have to say: those who keep it, or pass it on.
// It does not block, and any goroutine may call it; false if there is no room.
func (l *Loop) Tell(e record.Event) bool {
	l.init()
	select {
	case l.told <- e:
		return true
	default:
		return false
	}
}

// Look says what a user looks at, in place of what was said before: its details
// are in the snapshots from then on, the next of which comes at once even if nothing
// else changes. It does not block, and any goroutine may call it.
func (l *Loop) Look(at snapshot.Look) {
	l.init()
	for {
		select {
		case l.looks <- at:
			return
		default:
		}
		select {
		case <-l.looks: // older, and not taken yet
		default:
		}
	}
}

// Run drives the run until it is finished, ctx ends, or another process has it
// (ErrLost). It returns the run as it was last saved; an unfinished one can be
// resumed from there. A lock that is lost is asked for again: until then nothing
// is done, and what the record says then is what counts.
func (l *Loop) Run(ctx context.Context, run record.Run) (record.Run, error) {
	l.init()
	l.log = slices.Clone(l.Before)
	l.run, l.saved, l.dirty = run, time.Now(), true // that a process drives it again is news to who watches
	err := Caught(func() error { return l.drive(ctx) })
	return l.run, err
}

// askForLock stops acting and asks for the lock again.
func (l *Loop) askForLock(background context.Context) {
	l.stop()
	l.loseLock()
	l.running.Go(func() {
		var run record.Run
		err := Caught(func() (err error) {
			run, err = l.Lock.Regain(background)
			return err
		})
		l.regained <- regained{run, err}
	})
}

// takeBack begins again with the record that the lock came back with, unless it does not match
// the group any more.
func (l *Loop) takeBack(background context.Context, r regained) error {
	if r.err == nil {
		r.err = l.mismatch(r.run)
	}
	if r.err != nil {
		return r.err
	}
	l.run, l.dirty = engine.TakeOver(r.run, l.Clock.Now()), true
	l.repeats.begin()
	l.in.Outcomes = nil                       // what was under way is looked up; what the operator said still holds
	if why := l.unwritten.paused; why != "" { // told already, and not in the record
		l.in.Commands = append(l.in.Commands, record.Command{Kind: record.CmdPause, By: "drainboard", At: l.Clock.Now(), Reason: why})
	}
	l.begin(background)
	l.holdLock()
	return nil
}

func (l *Loop) drive(ctx context.Context) error {
	background, done := context.WithCancel(context.WithoutCancel(ctx))
	defer l.running.Wait()
	defer done()
	l.background = background
	l.begin(background)
	lost := l.Lock.Lost()

	timer := time.NewTimer(0)
	defer timer.Stop()
	publish := time.NewTicker(publishEvery)
	defer publish.Stop()
	held, due := true, time.Now() // due: the next turn, at the latest
	for {
		rests := false // nobody waits for a decision on what came
		select {
		case <-publish.C:
			l.show()
			continue
		case l.look = <-l.looks:
			l.shown, l.asked = false, true
			continue
		case e := <-l.told:
			l.passOn(e)
			l.shown = false
			continue
		case r := <-l.foreseer.came:
			l.tell(l.foreseer.heed(r, l.Clock.Now(), &l.run))
			l.shown = false
			continue
		case <-lost: // below, before anything else is decided
		case r := <-l.regained:
			if err := l.takeBack(background, r); err != nil {
				return err
			}
			held, lost = true, l.Lock.Lost()
		case err := <-l.Queue.failed:
			return err
		case err := <-l.crashed:
			return err
		case <-ctx.Done():
			return l.farewell(ctx, held)
		case c := <-l.Queue.changes:
			c(l.World)
			rests = true
		case a := <-l.answers:
			l.take(a)
			rests = true
		case c := <-l.commands:
			l.hear(c)
		case <-timer.C:
		}
		l.drain()
		if rest := l.resting(rests, due); rest > 0 {
			timer.Reset(rest)
			continue
		}
		if over(lost) {
			lost, held = nil, false
			l.askForLock(background)
		}
		pause, err := l.turn(ctx, held)
		if err != nil || l.run.State == record.Finished {
			return err
		}
		due = time.Now().Add(pause)
		timer.Reset(pause)
	}
}

// show publishes what has changed, unless that rests.
func (l *Loop) show() {
	if !l.shown && (l.asked || l.views.rest() == 0) {
		l.publish()
		l.shown, l.asked = true, false
	}
}

// resting is for how long the next decision rests, which is due at a time at the latest: not at all where nobody rests,
// or the user waits for it.
func (l *Loop) resting(rests bool, due time.Time) time.Duration {
	l.shown = false
	if len(l.in.Commands) > 0 {
		l.asked = true
		return 0
	}
	if !rests {
		return 0
	}
	return min(l.decisions.rest(), max(0, time.Until(due)))
}

// turn decides once if the lock is held for sure. It returns after how long the next turn is due
// at the latest.
func (l *Loop) turn(ctx context.Context, held bool) (time.Duration, error) {
	if !held {
		l.refuse()
		return saveRetry, l.lockless()
	}
	if !l.Lock.Sure() { // asleep until now, as a rule: it is renewed or lost at once
		return sureRetry, nil
	}
	wake, err := l.round(ctx)
	if len(l.early) > 0 {
		return 0, err
	}
	return max(0, wake.Sub(l.Clock.Now())), err
}

// round decides once. It returns when to decide again at the latest; a run that is finished is
// saved and shown.
func (l *Loop) round(ctx context.Context) (time.Time, error) {
	l.lookRound()
	wake, err := l.decide(ctx)
	if err != nil {
		return wake, err
	}
	if err := l.patience(); err != nil {
		l.publish()
		return wake, err
	}
	if l.run.State == record.Finished {
		l.saveLast(ctx)
		l.publish()
	}
	return wake, nil
}

// over reports whether a channel is closed; no channel is not.
func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// begin starts a term in which the lock is held.
func (l *Loop) begin(background context.Context) {
	l.acting, l.stop = context.WithCancel(background)
	l.term++
	l.flying = 0
}

// drain takes everything that is waiting, so that one decision serves it all.
func (l *Loop) drain() {
	for _, c := range l.early {
		l.hear(c)
	}
	l.early = nil
	for {
		select {
		case c := <-l.Queue.changes:
			c(l.World)
		case a := <-l.answers:
			l.take(a)
		case c := <-l.commands:
			l.hear(c)
		case e := <-l.told:
			l.passOn(e)
		default:
			return
		}
	}
}

func (l *Loop) hear(c record.Command) {
	l.in.Commands = append(l.in.Commands, c)
	if l.Heard != nil {
		l.Heard([]record.Command{c})
	}
}

// passOn tells what another process has to say about this run.
func (l *Loop) passOn(e record.Event) {
	e.Run, e.Group = l.run.ID, l.run.Group
	if e.Time.IsZero() {
		e.Time = l.Clock.Now()
	}
	l.tell([]record.Event{e})
}

func (l *Loop) take(a answer) {
	if a.term == l.term {
		l.flying--
		l.in.Outcomes = append(l.in.Outcomes, a.outcome)
	}
}

// decide takes one decision, writes it down and starts its actions. A decision that could not
// be written down is forgotten: what happened is taken without one then, and nothing is asked
// for. So it is with every decision until the record can be written again.
func (l *Loop) decide(ctx context.Context) (wake time.Time, err error) {
	now, asked := l.Clock.Now(), time.Now()
	failing := !l.unwritten.since.IsZero()
	if failing && asked.Before(l.unwritten.next) {
		return l.hold(), nil
	}
	d := engine.Decide(l.Rules, now, l.World, l.run, l.in)
	l.decisions.did(asked, decideShare, decideRest)
	if l.Took != nil {
		l.Took(time.Since(asked))
	}
	l.dirty = l.dirty || d.Changed
	if failing || l.saves(d) {
		var crash *Crash
		if err := l.save(ctx, d.Run, l.Lock.Lost()); errors.Is(err, ErrLost) || errors.As(err, &crash) {
			return wake, err
		} else if err != nil {
			l.trouble(record.WithoutRecord+": "+err.Error(), now)
			return l.hold(), nil
		}
	}
	before := l.run
	l.run, l.in = d.Run, engine.Inputs{}
	d.Events = l.repeats.first(d.Events)
	if l.dirty {
		l.repeats.note(d.Events)
	}
	l.decided(before, d)
	l.tell(d.Events)
	l.acknowledge(d.Acks)
	for _, a := range d.Actions {
		l.dispatch(a, asked)
	}
	if d.ReadCloud && l.ReadCloud != nil {
		l.ReadCloud()
	}
	if l.dirty && d.Wake.Sub(now) > saveSoon {
		d.Wake = now.Add(saveSoon)
	}
	return d.Wake, nil
}

// saves reports whether a decision is written down before it is carried out; what the operator said
// outlives this process.
func (l *Loop) saves(d engine.Decision) bool {
	since := time.Since(l.saved)
	return len(d.Actions) > 0 || len(l.in.Commands) > 0 || obeys(d.Acks) || d.SavesFirst() || l.dirty && since >= saveSoon || since >= saveEvery
}

// decided tells what a decision made of the run that was before.
func (l *Loop) decided(before record.Run, d engine.Decision) {
	if l.Decided != nil {
		l.Decided(before, d)
	}
}

// acknowledge answers commands from elsewhere.
func (l *Loop) acknowledge(acks []record.Ack) {
	if len(acks) > 0 && l.Acknowledge != nil {
		l.Acknowledge(acks)
	}
}

// obeys reports whether one of the answers says that a command was obeyed.
func obeys(acks []record.Ack) bool {
	return slices.ContainsFunc(acks, func(a record.Ack) bool { return a.Accepted })
}

// trouble shows on the side of the cluster (of the cloud, where there is none) why nothing
// is done.
func (l *Loop) trouble(why string, now time.Time) {
	side := l.run.Sources()[0]
	h := l.World.Health[side]
	h.Problem, h.Retry = why, now.Add(saveRetry)
	l.World.SetHealth(side, h)
}

// tell reports what happened.
func (l *Loop) tell(events []record.Event) {
	l.log = append(l.log, events...)
	if len(events) > 0 && l.Events != nil {
		l.Events(events)
	}
}

// farewell obeys commands that came before the end, waits a moment for answers
// under way, so that the record knows them, and saves. Without the lock there is nothing to save.
func (l *Loop) farewell(ctx context.Context, held bool) error {
	if !held {
		return nil
	}
	l.drain()
	if len(l.in.Commands) > 0 {
		if _, err := l.decide(ctx); err != nil {
			return err
		}
	}
	limit := time.After(farewell)
	for l.flying > 0 {
		select {
		case a := <-l.answers:
			l.take(a)
		case <-l.Lock.Lost():
			return ErrLost
		case <-limit:
			l.flying = 0
		}
	}
	d := engine.Decide(l.Rules, l.Clock.Now(), l.World, l.run, l.in)
	if len(d.Actions) > 0 { // an action that is not carried out must not be recorded
		return unrecorded(l.saveWithin(ctx, l.run, farewell, nil))
	}
	before := l.run
	l.run = d.Run
	err := l.saveWithin(ctx, d.Run, farewell, nil)
	d.Events = l.repeats.first(d.Events)
	l.decided(before, d)
	l.tell(d.Events)
	if err == nil {
		l.acknowledge(d.Acks)
	}
	return unrecorded(err)
}

// keepEvents is how much of the log a snapshot carries.
const keepEvents = 1000

func (l *Loop) publish() {
	if l.Publish == nil { // nobody looks, and what is foreseen is told all the same
		l.foreseer.foresees(l.background, l.Foresee, &l.running, l.World, l.Clock.Now(), l.run)
		return
	}
	if n := len(l.log); n > 2*keepEvents {
		l.log = append([]record.Event(nil), l.log[n-keepEvents:]...)
	}
	now, began := l.Clock.Now(), time.Now()
	s := snapshot.View(l.Rules, now, l.World, l.run, l.look, l.snapshot)
	l.views.did(began, viewShare, viewRest)
	l.foreseer.foresees(l.background, l.Foresee, &l.running, l.World, now, l.run)
	l.foreseer.foreshow(s, now, &l.run)
	s.Cluster, s.Skew, s.Events = l.Cluster, l.Clock.Skew(), l.log[:len(l.log):len(l.log)]
	if u := &l.unwritten; u.lasts() >= unwrittenTold && !u.quiet {
		s.LoseRecord(u.err.Error(), u.at)
	}
	if !l.freshness.lock.since.IsZero() {
		s.LoseLock(l.freshness.why)
	}
	l.snapshot = s
	l.Publish(s)
}
