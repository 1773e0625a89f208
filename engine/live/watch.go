package live

import (
	"context"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/record/diff"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Watch shows a group and the run in it, if there is one, and can do nothing else:
// it has no executor, no store and no lock. Fill its fields, then call Run once.
type Watch struct {
	// World may be partial: what is known is shown, and the rest as it comes.
	World *world.World
	Queue *FeedQueue
	Clock Clock
	// Rules finds the strategy of a run by its name; Idle is the one whose rules a
	// group without a run is looked at by.
	Rules func(name string) (engine.Strategy, error)
	Idle  engine.Strategy
	// Follow is what follows an update by the group's own controller, nil where none is
	// followed; a run of it is made with a new id, kept nowhere, and asks for nothing.
	Follow Followable
	// NewID names such a run. Needed with Follow.
	NewID func(now time.Time) string
	// Events is called with what happens, Began with a run that follows an update, Decided with
	// each decision on it; on the watch's goroutine. Any may be nil.
	Events  func([]record.Event)
	Began   func(record.Run)
	Decided func(before record.Run, d engine.Decision)
	// Cluster is the name to show.
	Cluster string
	// Publish is called with each snapshot; it must not block.
	Publish func(*snapshot.Snapshot)
	// Foresee says how a run by some rules will end that another process drives; nil: nothing is
	// foreseen. Roller is what would follow a roll of the group that no run follows, which is foreseen,
	// too; nil: it is not.
	Foresee func(engine.Strategy) Foresee
	Roller  Roller

	once     sync.Once
	running  sync.WaitGroup
	foreseer foreseer
	looks    chan snapshot.Look // the newest that was not taken yet
	look     snapshot.Look
	record   recordRead
	judged   judgement
	holder   string
	shown    record.Run // what the last snapshot was made from
	followed string     // id of the run that was seen while it was not over
	log      []record.Event
	snapshot *snapshot.Snapshot
	update   record.Run // what follows an update, the zero value before
	roll     record.Run // what would follow the roll that no run follows, the zero value without
	// unread and configured are what was told of EKS's updates.
	unread     unread
	configured string
}

// recordRead is what a group's record said when it was last seen.
type recordRead struct {
	run   record.Run
	found bool
	err   error
}

// judgement is what was found when the record was last compared with the group.
type judgement struct {
	at    time.Time // zero before, and when the record is another one
	unfit string
}

const (
	// judgeEvery is how often a record that stays as it is is compared with its group,
	// which may be large.
	judgeEvery = 2 * time.Second
	// recently is how long ago a run may have ended when a watch begins and still be
	// what is shown.
	recently = 10 * time.Minute
	// Unseen is for how long a run that is not over may not have been written down
	// before nobody drives it, or its record cannot be written: its driver writes every
	// saveEvery.
	Unseen = 3 * saveEvery
)

// SeeRecord takes in what the group's record says. It is called by changes.
func (w *Watch) SeeRecord(run record.Run, found bool, err error) {
	w.record, w.judged = recordRead{run, found, err}, judgement{}
}

// SeeHolder takes in who holds the group's lock, "" for nobody. It is called by
// changes.
func (w *Watch) SeeHolder(name string) { w.holder = name }

func (w *Watch) init() {
	w.once.Do(func() { w.looks, w.foreseer.came = make(chan snapshot.Look, 1), make(chan foreseen, 1) })
}

// Look says what a user looks at, in place of what was said before: its details
// come with the next snapshot. It does not block.
func (w *Watch) Look(at snapshot.Look) {
	w.init()
	for {
		select {
		case w.looks <- at:
			return
		default:
		}
		select {
		case <-w.looks: // older, and not taken yet
		default:
		}
	}
}

// Run publishes snapshots, at most ten a second, until ctx ends, which is no error,
// or a feed fails for good.
func (w *Watch) Run(ctx context.Context) error {
	w.init()
	defer w.running.Wait()
	tick := time.NewTicker(publishEvery)
	defer tick.Stop()
	news, published := false, time.Time{}
	publish := func() {
		w.publish(ctx)
		news, published = false, time.Now()
	}
	publish()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Queue.failed:
			return err
		case c := <-w.Queue.changes:
			c(w.World)
			news = true
			if w.snapshot.Partial { // a caller waits for what comes: it does not wait for the next tick
				w.Queue.apply(w.World)
				if !w.World.Partial() || time.Since(published) >= publishEvery {
					publish()
					tick.Reset(publishEvery)
				}
			}
		case w.look = <-w.looks:
			news = true
		case r := <-w.foreseer.came:
			w.heed(r)
			news = true
		case <-tick.C:
			// What others do has no clock of ours: that a machine is gone for long enough,
			// or a limit over, is seen by looking.
			if news || (w.snapshot.External != nil || w.update.State == record.Running || w.update.State == record.Ending) && w.Clock.Now().Sub(w.snapshot.At) >= time.Second {
				publish()
			}
		}
	}
}

// publish makes a snapshot of what is known now.
func (w *Watch) publish(ctx context.Context) {
	now := w.Clock.Now()
	w.follow(now)
	run, rules, unreadable := w.pick(now)
	switch {
	case w.update.ID != "" && run.ID == w.update.ID: // its decisions were told
		w.shown = run
	case run.State != record.NoRun || !w.World.Partial():
		w.tell(diff.Between(w.shown, run))
		w.shown = run
	} // else it was judged by pods that are not known, of which nothing is told or remembered
	s := snapshot.View(rules, now, w.World, run, w.look, w.snapshot)
	s.Cluster, s.Skew, s.Events = w.Cluster, w.Clock.Skew(), w.log[:len(w.log):len(w.log)]
	s.Unreadable = unreadable
	if w.Foresee != nil && run.ID != "" && (w.record.found && run.ID == w.record.run.ID || run.ID == w.update.ID) {
		w.foreseer.foresees(ctx, w.Foresee(rules), &w.running, w.World, now, run)
		w.foreseer.foreshow(s, now, &run)
	} else if run.State == record.NoRun {
		w.foreseeRoll(ctx, s, &run, now)
	}
	if run.State != record.NoRun && run.State != record.Finished {
		s.Driver = w.holder
		if w.holder == "" && now.Sub(run.Seen) > Unseen {
			s.Unattended, s.Mismatches = run.Seen, w.unfit(run, now)
		}
		if w.holder != "" && now.Sub(run.Seen) > Unseen {
			s.Unwritten, s.UnwrittenSince = text.SeemsUnwritten, run.Seen
		}
	}
	w.snapshot = s
	w.Publish(s)
}

// heed takes in what was foreseen. Of a run that is driven elsewhere its driver tells.
func (w *Watch) heed(r foreseen) {
	if w.shown.State == record.NoRun {
		w.tell(w.foreseer.heed(r, w.Clock.Now(), &w.roll))
		return
	}
	if w.update.ID == "" || w.shown.ID != w.update.ID {
		w.foreseer.heed(r, w.Clock.Now(), &w.shown)
		return
	}
	w.tell(w.foreseer.heed(r, w.Clock.Now(), &w.update))
	w.shown.Foreseen = w.update.Foreseen
}

// unfit says what of a run's record does not fit the group, "" if all does or the
// group is not known.
func (w *Watch) unfit(run record.Run, now time.Time) string {
	if !known(w.World, &run) {
		return ""
	}
	if w.judged.at.IsZero() || now.Sub(w.judged.at) >= judgeEvery {
		w.judged = judgement{now, mismatches(run, w.World)}
	}
	return w.judged.unfit
}

// mismatches is what does not fit, "" also for a record that says too little.
func mismatches(run record.Run, group *world.World) string {
	if check.Run(&run) != nil {
		return ""
	}
	if why := check.OtherGroup(&run, group); why != "" {
		return why
	}
	_, unfit := check.Reconcile(run, group, nil)
	return text.Mismatches(unfit)
}

// pick is what there is to show: the run that the record tells of, or the group as
// it is, and why the record cannot be shown. A run that ended long before anybody looked
// is not what one wants to see.
func (w *Watch) pick(now time.Time) (run record.Run, rules engine.Strategy, unreadable string) {
	r := &w.record
	if r.found && r.err == nil {
		if r.run.State != record.Finished {
			w.followed = r.run.ID
		}
		if r.run.ID == w.followed || now.Sub(r.run.Finished) < recently {
			w.followed = r.run.ID
			rules, err := w.Rules(r.run.Strategy)
			if err == nil {
				return engine.Meanwhile(now, r.run), rules, ""
			}
			unreadable = text.CannotShow(r.run.ID, err)
		}
	}
	if r.err != nil {
		unreadable = r.err.Error()
	}
	if unreadable != "" {
		w.warnOnce(now, unreadable)
	}
	if w.shows(now) {
		return w.update, w.Follow, unreadable
	}
	var left map[string][]record.Mark
	if r.found && r.err == nil && r.run.State == record.Finished {
		left = r.run.Marks
	}
	return snapshot.Idle(w.Idle, now, w.World, w.shown, left), w.Idle, unreadable
}

// warnOnce tells what does not change by itself, unless it was told just before.
func (w *Watch) warnOnce(now time.Time, message string) {
	for i := len(w.log) - 1; i >= 0; i-- {
		if w.log[i].Reason == "record" {
			if w.log[i].Message == message {
				return
			}
			break
		}
	}
	w.tell([]record.Event{{Time: now, Group: w.World.Group.Name, Type: record.Warning, Reason: "record", Message: message}})
}

// tell adds to the log, whose tail the snapshots share.
func (w *Watch) tell(events []record.Event) {
	w.log = append(w.log, events...)
	if len(events) > 0 && w.Events != nil {
		w.Events(events)
	}
	if n := len(w.log); n > 2*keepEvents {
		w.log = append([]record.Event(nil), w.log[n-keepEvents:]...)
	}
}
