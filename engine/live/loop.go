package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// Rates of the loop.
const (
	publishEvery = 100 * time.Millisecond // snapshots, at most
	saveEvery    = 10 * time.Second       // the record of a run that only waits
	saveSoon     = time.Second            // a change that no action depends on
	saveRetry    = time.Second            // after a record that could not be written
	actionLimit  = 2 * time.Minute        // one action, with everything; providers bound their requests
	atOnce       = 64                     // requests under way
	tooLate      = 5 * time.Second        // an action that could not start by then is decided anew
	farewell     = 5 * time.Second        // for answers under way when the loop is told to stop
)

// Loop drives one run. Fill its fields, then call Run once.
type Loop struct {
	Rules    engine.Strategy
	World    *world.World
	Intake   *Intake
	Executor Executor
	Store    Store
	Clock    Clock
	// Cluster is the name to show.
	Cluster string
	// Lost is closed when the lock is lost: the loop stops acting at once.
	Lost <-chan struct{}
	// Events is called with what happened, in order, on the loop's goroutine,
	// after the record that holds it was written where an action depends on it.
	Events func([]engine.Event)
	// Publish is called with each snapshot; it must not block. May be nil.
	Publish func(*engine.Snapshot)

	outcomes chan engine.Outcome
	commands chan engine.Command
	once     sync.Once

	run      engine.Run
	in       engine.Inputs
	snapshot *engine.Snapshot
	log      []engine.Event
	saved    time.Time
	dirty    bool
	flying   int
}

func (l *Loop) init() {
	l.once.Do(func() {
		l.outcomes = make(chan engine.Outcome, 256)
		l.commands = make(chan engine.Command, 16)
	})
}

// Send hands an operator's command to the loop. It does not block; a command
// that finds the loop busy beyond reason is dropped with false.
func (l *Loop) Send(c engine.Command) bool {
	l.init()
	select {
	case l.commands <- c:
		return true
	default:
		return false
	}
}

// Run drives the run until it is finished, ctx ends, or it is lost. It returns
// the run as it was last saved; an unfinished one can be resumed from there.
func (l *Loop) Run(ctx context.Context, run engine.Run) (engine.Run, error) {
	l.init()
	l.run = run
	l.saved = time.Now()
	acting, stopActing := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stopActing()
	slots := make(chan struct{}, atOnce)
	dispatch := func(a engine.Action) {
		l.flying++
		asked := time.Now()
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			l.outcomes <- l.do(acting, a, asked)
		})
	}

	timer := time.NewTimer(0)
	defer timer.Stop()
	publish := time.NewTicker(publishEvery)
	defer publish.Stop()
	shown := false
	for {
		select {
		case <-l.Lost:
			return l.run, ErrLost
		case err := <-l.Intake.failed:
			return l.run, err
		case <-ctx.Done():
			return l.farewell(ctx, dispatch)
		case c := <-l.Intake.changes:
			c(l.World)
		case o := <-l.outcomes:
			l.flying--
			l.in.Outcomes = append(l.in.Outcomes, o)
		case c := <-l.commands:
			l.in.Commands = append(l.in.Commands, c)
		case <-timer.C:
		case <-publish.C:
			if !shown {
				l.publish()
				shown = true
			}
			continue
		}
		l.drain()
		wake, err := l.decide(ctx, dispatch)
		if err != nil {
			return l.run, err
		}
		shown = false
		if l.run.State == engine.Finished {
			err := l.save(ctx)
			l.publish()
			return l.run, err
		}
		timer.Reset(max(0, wake.Sub(l.Clock.Now())))
	}
}

// drain takes everything that is waiting, so that one decision serves it all.
func (l *Loop) drain() {
	for {
		select {
		case c := <-l.Intake.changes:
			c(l.World)
		case o := <-l.outcomes:
			l.flying--
			l.in.Outcomes = append(l.in.Outcomes, o)
		case c := <-l.commands:
			l.in.Commands = append(l.in.Commands, c)
		default:
			return
		}
	}
}

// decide takes one decision, writes it down and starts its actions. A decision
// whose actions could not be written down first is forgotten, and its inputs are
// kept for the next one.
func (l *Loop) decide(ctx context.Context, dispatch func(engine.Action)) (wake time.Time, err error) {
	now := l.Clock.Now()
	d := engine.Decide(l.Rules, now, l.World, l.run, l.in)
	before := l.run
	l.run = d.Run
	l.dirty = l.dirty || d.Changed
	since := time.Since(l.saved)
	if len(d.Actions) > 0 || l.dirty && since >= saveSoon || since >= saveEvery {
		if err := l.save(ctx); errors.Is(err, ErrLost) {
			l.run = before
			return wake, err
		} else if err != nil && len(d.Actions) > 0 {
			l.run = before
			l.World.Health[world.Cluster] = world.Health{Fresh: l.World.Health[world.Cluster].Fresh, Problem: "the run's record cannot be written: " + err.Error(), Retry: now.Add(saveRetry)}
			return now.Add(saveRetry), nil
		}
	}
	l.in = engine.Inputs{}
	l.log = append(l.log, d.Events...)
	if len(d.Events) > 0 && l.Events != nil {
		l.Events(d.Events)
	}
	for _, a := range d.Actions {
		dispatch(a)
	}
	if l.dirty && d.Wake.Sub(now) > saveSoon {
		d.Wake = now.Add(saveSoon)
	}
	return d.Wake, nil
}

func (l *Loop) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), actionLimit)
	defer cancel()
	if err := l.Store.Save(ctx, l.run); err != nil {
		return err
	}
	l.saved, l.dirty = time.Now(), false
	return nil
}

// do carries out one action. One that could not start in time is handed back:
// what it was decided on may no longer be so.
func (l *Loop) do(ctx context.Context, a engine.Action, asked time.Time) engine.Outcome {
	select {
	case <-l.Lost:
		return engine.Outcome{Key: a.Key, At: l.Clock.Now(), Verdict: engine.Refused, Refusal: engine.RefusedStale, Message: ErrLost.Error()}
	default:
	}
	if late := time.Since(asked.Round(0)); late > tooLate {
		return engine.Outcome{Key: a.Key, At: l.Clock.Now(), Verdict: engine.Refused, Refusal: engine.RefusedStale, Message: fmt.Sprintf("it could not start for %s", late.Round(time.Second))}
	}
	ctx, cancel := context.WithTimeout(ctx, actionLimit)
	defer cancel()
	o := l.Executor.Do(ctx, a)
	o.Key = a.Key
	return o
}

// farewell obeys commands that came before the end, waits a moment for answers
// under way, so that the record knows them, and saves.
func (l *Loop) farewell(ctx context.Context, dispatch func(engine.Action)) (engine.Run, error) {
	l.drain()
	if len(l.in.Commands) > 0 {
		if _, err := l.decide(ctx, dispatch); err != nil {
			return l.run, err
		}
	}
	limit := time.After(farewell)
	for l.flying > 0 {
		select {
		case o := <-l.outcomes:
			l.flying--
			l.in.Outcomes = append(l.in.Outcomes, o)
		case <-l.Lost:
			return l.run, ErrLost
		case <-limit:
			l.flying = 0
		}
	}
	d := engine.Decide(l.Rules, l.Clock.Now(), l.World, l.run, l.in)
	if len(d.Actions) == 0 { // an action that is not carried out must not be recorded
		l.run = d.Run
	}
	return l.run, l.save(ctx)
}

// keepEvents is how much of the log a snapshot carries.
const keepEvents = 1000

func (l *Loop) publish() {
	if l.Publish == nil {
		return
	}
	if n := len(l.log); n > 2*keepEvents {
		l.log = append([]engine.Event(nil), l.log[n-keepEvents:]...)
	}
	s := engine.View(l.Rules, l.Clock.Now(), l.World, l.run, l.snapshot)
	s.Cluster, s.Skew, s.Events = l.Cluster, l.Clock.Skew(), l.log[:len(l.log):len(l.log)]
	l.snapshot = s
	l.Publish(s)
}
