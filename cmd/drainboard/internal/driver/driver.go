package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/forecast"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/text/systems"
)

// driver drives one run in this process.
type driver struct {
	*Upgrade
	session *session.Session
	at      backend.Group
	terms   planner.Terms // of a new run, once they are known
	rules   engine.Strategy
	lease   *session.Lease
	view    session.View
	// listeners receive events in order, before the loop continues: they must be
	// quick.
	listeners []func([]record.Event)
	before    []record.Event // what the log of a dashboard begins with
	roll      string         // the id of the roll that the run belongs to, "" for none
	journal   *runJournal    // once there is a run
	hooks     *runHooks
	hearing   func() // stops listening to commands from elsewhere
}

// find resolves the group, with the provider of its unfinished run, and the terms of a new run
// if one starts.
func (d *driver) find(ctx context.Context) error {
	at, err := d.session.Find(ctx, d.Group)
	if err != nil {
		return err
	}
	d.Group = at.Name()
	run, going := d.session.Unfinished(ctx, d.Group)
	if going {
		if at, err = d.session.AsBegun(ctx, at, run); err != nil {
			return exitcode.Usage(err)
		}
	}
	if d.at = at; going && d.RecordChoice != RecordDiscard {
		return nil // the run has its own settings, whatever the state store has now
	}
	return d.settle(ctx)
}

// settle determines the terms of a new run, once. An abort starts none.
func (d *driver) settle(ctx context.Context) (err error) {
	if d.Abort == nil && !d.Retire && d.terms.Rules == nil {
		d.terms, err = d.TermsFor(ctx, d.at)
		if err == nil && d.terms.Settings.OnDrainTimeout == record.TimeoutForce && d.mayBeManaged() && !d.managed() {
			err = d.session.MayForce(ctx)
		}
		if err == nil && d.terms.Settings.Singles && !d.managed() {
			err = d.session.MayScale(ctx)
		}
	}
	return exitcode.Usage(err)
}

// plan plans a new run.
func (d *driver) plan(ctx context.Context) (snapshot.Plan, error) {
	if err := d.settle(ctx); err != nil {
		return snapshot.Plan{}, err
	}
	return planner.Planner{Session: d.session, Request: &d.Request}.Plan(ctx, d.terms, d.at, d.view.World)
}

// couldStart returns why a new run, if there is to be one, could not start: it is asked before
// anything is written.
func (d *driver) couldStart(ctx context.Context) error {
	run, found, err := d.lease.Record.Load(ctx)
	if unfinished := found && run.State != record.Finished; d.Abort != nil || d.Retire || d.RecordChoice != RecordDiscard && (err != nil || unfinished) {
		return nil
	}
	if d.managed() {
		_, err := d.planManaged(ctx)
		return err
	}
	p, err := d.plan(ctx)
	if err != nil {
		return err
	}
	return cannotStart(p, d.Auto)
}

// cannotStart says why a plan cannot be started, nil if it can. Settings that would take the
// majority of a control plane away are refused where nobody is asked; who is asked reads in the
// plan that fewer nodes go at once.
func cannotStart(p snapshot.Plan, auto bool) error {
	if auto && p.QuorumLost != "" {
		return exitcode.Usage(errors.New("nothing was started: " + p.QuorumLost))
	}
	return present.CannotStart(p)
}

// fromRecord resumes the run in the record, or starts a new one.
func (d *driver) fromRecord(ctx context.Context) error {
	run, found, err := d.lease.Record.Load(ctx)
	unfinished := err == nil && found && run.State != record.Finished
	switch discards := d.RecordChoice == RecordDiscard && found; {
	case discards && err != nil:
		err = d.discard(ctx, nil, err.Error())
	case discards && unfinished:
		err = d.discard(ctx, &run, "the unfinished run "+run.ID)
	case err != nil:
		return exitcode.Usage(session.Unreadable(err, d.Line.Command("upgrade", d.Group)))
	case unfinished && d.Retire && !run.OnlyRetires():
		return exitcode.Usage(fmt.Errorf("the run %s of group %s has not ended: %s ends it and retires its surplus nodes", run.ID, d.Group, d.Line.Command("abort", d.Group)+" --retire"))
	case unfinished:
		return d.resume(ctx, run)
	case d.Retire:
		return d.retire(ctx, run)
	case found && d.Abort == nil: // the previous run's
		_, err = d.keepRecord(ctx, "")
	}
	if err != nil {
		return err
	}
	if d.Abort != nil {
		return exitcode.Usage(fmt.Errorf("no run in progress in group %s any more", d.Group))
	}
	if d.managed() {
		return d.startManaged(ctx)
	}
	p, err := d.plan(ctx)
	if err != nil {
		return err
	}
	d.rules = d.terms.Rules
	return d.start(ctx, p)
}

// start starts a planned run, after a prompt unless --auto or --yes.
func (d *driver) start(ctx context.Context, p snapshot.Plan) error {
	if err := cannotStart(p, d.Auto); err != nil {
		return err
	}
	p.Run.Roll = d.roll
	p.Warnings = append(slices.Clone(p.Warnings), planner.ShootSays(d.view.World)...)
	unproven := planner.Unproven(&p, d.view.World)
	if !p.HasWork() && !unproven {
		d.nothingToDo(p)
		return nil
	}
	if err := d.asks(ctx, &p, unproven); err != nil {
		return err
	}
	if p.Run.Settings.CloudOnly && !d.Auto && d.roll == "" && !d.consents(ctx, d.session.Context(), cmp.Or(d.at.Alias(), d.Group)) {
		return exitcode.With(exitcode.Aborted, errors.New("not started"))
	}
	if err := d.agreesToPace(ctx, p.Run); err != nil {
		return err
	}
	p.Rights = d.at.Prove(ctx, p.Rights)
	if err := cannotStart(p, d.Auto); err != nil {
		return err
	}
	run, events := begin(p, d.session.Clock().Now()) // now: the user may have taken time to answer
	d.keep(run, &p)
	d.events(events...)
	return d.drive(ctx, run, nil)
}

// nothingToDo tells that a plan has no work.
func (d *driver) nothingToDo(p snapshot.Plan) {
	now := d.session.Clock().Now()
	code := 0
	message := d.Group + ": " + present.NothingToDo(p)
	if !d.Auto {
		fmt.Fprintln(d.Out, message)
		present.List(d.Out, "Note:", p.Warnings)
	}
	for _, warning := range p.Warnings {
		d.events(record.Event{Time: now, Run: p.Run.ID, Group: d.Group, Type: record.Warning, Reason: "foreseen", Message: warning})
	}
	d.events(record.Event{Time: now, Run: p.Run.ID, Group: d.Group, Type: record.RunFinished, Result: string(record.Succeeded), ExitCode: &code, Message: message})
}

// asks shows a plan, or why it has no nodes, and asks whether to start; not with --auto and --yes.
func (d *driver) asks(ctx context.Context, p *snapshot.Plan, unproven bool) error {
	if d.Auto || d.Yes {
		return nil
	}
	declined := exitcode.With(exitcode.Aborted, errors.New("not started"))
	question := "Start this upgrade? [y/N] "
	switch noNodes := len(p.Nodes) == 0 && !p.WarmAlone; {
	case unproven:
		question, declined = "Wait for an update that is not visible yet, and follow it? [y/N] ", exitcode.With(exitcode.Paused, errors.New("whether an update is due is not known"))
		fmt.Fprintf(d.Out, "%s: %s\n", d.Group, present.NothingToDo(*p))
		present.List(d.Out, "Note:", p.Warnings)
	case noNodes && len(p.Awaited) == 0:
		question = "Take it back? [y/N] "
		fmt.Fprintf(d.Out, "%s: %s\n", d.Group, present.NothingToDo(*p))
		present.List(d.Out, "Note:", p.Warnings)
	case noNodes:
		question = "Wait for Gardener and follow the update? [y/N] "
		fmt.Fprintf(d.Out, "%s: %s\n", d.Group, present.NotYet(*p))
	default:
		planner.Foresee(ctx, d.rules, p, d.view.World)
		if !d.Plain && !d.Scripted && !p.WarmAlone {
			return d.reviews(ctx, p)
		}
		present.WriteForApproval(d.Out, *p)
	}
	if !d.Ask(ctx, d.Marked(d.session.Context(), question)) {
		return declined
	}
	return nil
}

// begin starts a planned run, and returns its plan as events.
func begin(p snapshot.Plan, now time.Time) (run record.Run, events []record.Event) {
	tell := func(t record.EventType, reason, message string) {
		events = append(events, record.Event{Time: now, Run: p.Run.ID, Group: p.Group, Type: t, Reason: reason, Message: message})
	}
	planned := fmt.Sprintf("%d nodes, %s, at most %d at once, seed %d", len(p.Nodes), present.FromTo(p), p.Limit, p.Run.Seed)
	switch h := p.Run.UpdateConfig; {
	case p.Run.Target.Update != nil && p.Run.Target.Update.OnlyRestores && h != nil:
		planned = systems.ConfigRestores(h.Set.String(), h.Was.String())
	case p.Run.Target.Update != nil:
		planned = fmt.Sprintf("%d nodes, %s, at most %d at once: %s", len(p.Nodes), present.FromTo(p), p.Limit, p.Run.Target.Update.Command(p.Group))
	case p.WarmAlone:
		planned = present.WarmAlone(p)
	case len(p.Nodes) == 0 && len(p.Awaited) == 0:
		planned = present.NothingToDo(p)
	case len(p.Nodes) == 0:
		planned = present.NotYet(p)
	}
	tell(record.RunPlanned, "", planned)
	for _, warning := range slices.Concat(p.Warnings, present.CloudText(p), present.Foreseen(p), present.RightsDenied(p)) {
		tell(record.Warning, "foreseen", warning)
	}
	if len(p.Nodes) > 0 && p.Nodes[0].NotEvaluated != "" {
		tell(record.Warning, "not evaluated", "blockers not evaluated: "+p.Nodes[0].NotEvaluated)
	}
	for _, open := range present.RightsOpen(p) {
		if strings.HasSuffix(open, plans.RightLeftToAWS) {
			continue // that is so in every run
		}
		tell(record.Warning, "not evaluated", "IAM rights not checked: "+open)
	}
	run = engine.Start(p.Run, now, session.User())
	tell(record.RunStarted, run.By, "started by "+run.By)
	return run, events
}

// keepRecord puts the record as it is beside those of earlier runs, and returns where that is.
func (d *driver) keepRecord(ctx context.Context, discarded string) (name string, err error) {
	name, err = live.Retried(ctx, func(ctx context.Context) (string, error) { return d.lease.Record.Keep(ctx, discarded) })
	return name, exitcode.Usage(err)
}

// drive runs the loop to the end, with or without a dashboard.
func (d *driver) drive(ctx context.Context, run record.Run, first []record.Command) error {
	ctx = live.WithPatience(ctx, nil) // from here on the loop decides what is tried again, and when
	var err error                     // of the loop
	defer func() { d.journal.close(run, err) }()
	clock := d.session.Clock()
	cloud := d.at.Executor(d.view.Cloud.Poke)
	loop := &live.Loop{
		Rules: d.rules, World: d.view.World, Queue: d.view.Queue,
		Executor: executor{d.session.Executor(), cloud},
		Store:    d.lease, Clock: clock, Cluster: d.session.Cluster(), Lock: d.lease,
		Before: slices.Concat(d.part.before, d.before), Foresee: forecast.By(d.rules), RecordLimit: d.RecordLimit, ReadCloud: d.view.Cloud.ReadNow,
	}
	loop.Events = func(list []record.Event) { d.events(list...) }
	measure := d.hooks.attend(loop, run)
	d.journal.attend(loop)
	d.lease.Drives(run)
	over := func() { // the group is free, even while the dashboard stays open and hooks still run
		d.view.Queue.Close()
		d.hearing()
		d.lease.Release()
		d.hooks.over()
	}
	from := &operator{clock: clock, signals: d.signals, err: d.Err, over: over, see: measure}
	for _, c := range first {
		from.send(loop, c)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !d.part.begin() {
		return context.Canceled
	}
	close(d.driving)
	d.hearing = d.session.Listen(ctx, loop, d.Group)
	defer d.hearing()
	switch {
	case d.Auto:
		run, err = from.headless(ctx, loop, run)
		over()
	case d.part.shared != nil:
		run, err = d.part.shared(ctx, loop, run, from)
		over()
	default:
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		from.screen = d.Screen(ctx, d.session.Context())
		from.screen.Log = d.session.Log()
		from.screen.Again = d.Line.Command("upgrade", d.Group)
		if d.Plain {
			from.plainly(&d.Console)
		}
		run, err = from.interactive(ctx, loop, run)
	}
	d.part.last = run
	if err != nil {
		d.sayLeft(run)
	}
	if errors.Is(err, live.ErrLost) {
		follow := d.session.Follow() + d.Line.Command(d.session.Shows(), d.Group)
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; this process has stopped acting\n%s", d.Group, err, follow))
	}
	if err != nil {
		return broken(run, err, d.Line.Command("upgrade", d.Group), d.Line.Command("abort", d.Group))
	}
	return d.conclude(run)
}

// broken returns the exit of a process that could not continue to drive a run; again is the
// command that resumes it, abort the one that aborts it. An abort by the operator takes
// precedence over the error.
func broken(run record.Run, err error, again, abort string) error {
	var unwritten *live.UnwrittenError
	switch {
	case run.Result == record.Aborted && errors.As(err, &unwritten): // the record may not know of the abort
		return exitcode.With(exitcode.Aborted, fmt.Errorf("%s: stopped before everything was restored: %w; once it can be written, %s restores the rest", run.ID, err, abort))
	case run.Result == record.Aborted:
		return exitcode.With(exitcode.Aborted, fmt.Errorf("%s: stopped before everything was restored: %w; %s resumes", run.ID, err, again))
	case errors.As(err, &unwritten):
		return exitcode.With(exitcode.Paused, fmt.Errorf("%s: paused: %w; %s resumes from the last record", run.ID, err, again))
	}
	return exitcode.With(exitcode.Failed, err)
}

// conclude turns a run's end into the process's last output and exit code.
func (d *driver) conclude(run record.Run) error {
	if run.State != record.Finished {
		sayBlockingPods(d.Err, run)
		d.sayLeft(run)
		code, what := exitcode.Paused, "paused"
		if run.Why != "" {
			what += ": " + run.Why
		}
		if run.State == record.Ending {
			code, what = exitcode.Aborted, "stopped before everything was restored"
		}
		return exitcode.With(code, fmt.Errorf("%s: %s; %s resumes", run.ID, what, d.Line.Command("upgrade", run.Group)))
	}
	again := d.Line.Repeat(run.Group)
	if d.Abort != nil { // its flags are not those of an upgrade
		again = d.Line.Command("upgrade", run.Group)
	}
	next := present.WhatNext(run, again)
	if err := result(d.Err, run, d.Plain); err != nil {
		var e *exitcode.Error
		if errors.As(err, &e) {
			e.Err = fmt.Errorf("%w\n%s", e.Err, next)
		}
		return err
	}
	fmt.Fprintln(d.Err, next)
	return nil
}

// result returns the exit code of a finished run, and writes how it ended, unless that was
// shown already.
func result(errOut io.Writer, run record.Run, told bool) error {
	if !told {
		sayBlockingPods(errOut, run)
		present.List(errOut, "Not restored:", run.Unrestored)
		present.List(errOut, "Note:", run.Notes)
	}
	if code := run.ExitCode(); code != 0 {
		why := strings.TrimPrefix(run.Why, string(run.Result)+": ")
		return exitcode.Told(code, fmt.Errorf("%s: %s", run.Result, why)) // by run.finished
	}
	return nil
}

// sayBlockingPods lists the pods that blocked nodes.
func sayBlockingPods(errOut io.Writer, run record.Run) {
	present.List(errOut, "Blocking pods:", run.BlockingPods)
}

// sayLeft lists what an unfinished run has changed and not restored.
func (d *driver) sayLeft(run record.Run) {
	left := run.Outstanding()
	present.List(d.Err, present.NotRestored, left)
}

// events passes events to the listeners.
func (d *driver) events(list ...record.Event) {
	if d.roll != "" {
		list = slices.Clone(list) // the caller shares it
		for i := range list {
			list[i].Roll = d.roll
		}
	}
	for _, hear := range d.listeners {
		hear(list)
	}
}

// consents asks the operator to type the name of the group or cluster of a run without
// Kubernetes, and reports whether the answer is right.
func (u *Upgrade) consents(ctx context.Context, mark, name string) bool {
	question := u.Marked(mark, fmt.Sprintf("No node is drained, pods end with their instances. Type %s to continue: ", name))
	return u.Answer(ctx, question) == name
}
