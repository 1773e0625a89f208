package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) upgradeCmd() *cobra.Command {
	var u upgrade
	cmd := &cobra.Command{
		Use:   "upgrade GROUP...",
		Short: "Plan an upgrade, then run it; goes on with the group's unfinished run if there is one",
		Long: "Plan an upgrade of a group, then run it. An unfinished run of the group is resumed. Several groups, or --all, are rolled one\n" +
			"after the other, in their provider's order.\n\n" + console.PlainLong + "\n\n" + exitCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := u.take(args); err != nil {
				return err
			}
			u.app, u.cmd, u.line, u.given = a, cmd, commandLine(cmd), given(cmd)
			if !u.isRoll() {
				u.group = u.named[0]
			}
			return u.run(cmd)
		},
	}
	u.addScope(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&u.Auto, "auto", false, "headless: no question, one line an event, an exit code that tells what happened")
	fl.BoolVar(&u.Plain, "plain", false, console.PlainHelp)
	fl.BoolVarP(&u.yes, "yes", "y", false, "no question at the start")
	fl.BoolVar(&u.dryRun, "dry-run", false, "the same as plan")
	fl.StringVarP(&u.output, "output", "o", "text", "events of --auto as text or json")
	fl.StringVar(&u.record, "record", "", recordHelp)
	a.themeFlag(cmd)
	fl.DurationVar(&u.recordLimit, "record-timeout", live.RecordLimit, "time for which the run record may not be writable before the run pauses")
	fl.StringVar(&u.metrics, "metrics", "", "serve Prometheus metrics at /metrics while the run is driven: a port (of this machine only) or HOST:PORT")
	u.add(cmd)
	return cmd
}

// minRecordLimit is what it takes to tell a record that cannot be written from a write that
// failed once.
const minRecordLimit = 5 * time.Second

// upgrade is one call of `drainboard upgrade`.
type upgrade struct {
	rollFlags
	console.Face
	scope
	app         *app
	cmd         *cobra.Command // whose flags they are; nil for who only ends a run
	line        present.CommandLine
	group       string   // "" if there are several
	part        *member  // of a roll; nil for a run of its own
	given       []string // flags that make settings and target
	yes, dryRun bool
	output      string
	recordLimit time.Duration  // see live.Loop
	metrics     string         // address, "" for none
	serving     *metricsServer // nil: none
	record      string         // see checkRecord
	json        bool
	abort       *record.Command // end the unfinished run, and start none; nil to go on with it
	signals     chan os.Signal
	driving     chan struct{} // closed when the run is under way: signals are its business
}

func (u *upgrade) run(cmd *cobra.Command) (err error) {
	if u.json, err = output(u.output); err != nil {
		return err
	}
	if u.dryRun {
		return u.app.plan(cmd, &u.scope, &u.rollFlags, u.Auto, u.json)
	}
	if u.Face, err = u.Face.Fit(u.json); err != nil {
		return err
	}
	if err := u.checkRecord(); err != nil {
		return err
	}
	if u.recordLimit < minRecordLimit {
		return exitcode.Usage(fmt.Errorf("--record-timeout: %s is less than %s", u.recordLimit, minRecordLimit))
	}
	if u.isRoll() {
		if err := u.fitsSeveral(cmd); err != nil {
			return err
		}
	}
	if err := u.app.CheckTheme(); err != nil {
		return err
	}
	rules, settings, err := u.rules(cmd, u.Auto)
	if err != nil {
		return exitcode.Usage(err)
	}
	if u.metrics != "" {
		if u.serving, err = serveMetrics(u.metrics); err != nil {
			return exitcode.Usage(err)
		}
		defer u.serving.close()
	}
	return u.listening(cmd.Context(), rules, settings)
}

// listening prepares and drives, with an ear for signals.
func (u *upgrade) listening(ctx context.Context, rules engine.Strategy, settings record.Settings) error {
	u.signals = make(chan os.Signal, 4)
	signal.Notify(u.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(u.signals)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u.driving = make(chan struct{})
	interrupted := make(chan struct{})
	go func() { // until the run is driven, a signal ends the process with nothing changed
		select {
		case <-u.signals:
			close(interrupted)
			cancel()
		case <-u.driving:
		case <-ctx.Done():
		}
	}()
	err := u.prepare(ctx, rules, settings)
	select {
	case <-interrupted:
		return exitcode.With(exitcode.Aborted, errors.New("interrupted; this process changed nothing"))
	default:
		return err
	}
}

// prepare connects, and drives the run or the roll.
func (u *upgrade) prepare(ctx context.Context, rules engine.Strategy, settings record.Settings) error {
	rights := append(kube.ReadRights(u.app.namespace), kube.WriteRights(u.app.namespace)...)
	if settings.OnDrainTimeout == record.TimeoutForce {
		rights = append(rights, kube.ForceRights()...)
	}
	s, err := u.app.open(ctx, u.where, rights, false)
	if err != nil {
		return err
	}
	if err := u.Hooks.Settle(config.ConfigDir(os.Getenv), s.Context(), &settings); err != nil {
		return exitcode.Usage(err)
	}
	if u.isRoll() {
		if err := s.groups.Several(); err != nil {
			return exitcode.Usage(err)
		}
		return u.rollThrough(ctx, s)
	}
	return u.onGroup(ctx, s, rules, settings)
}

// onGroup plans the group's run or finds its unfinished one, takes the lock, and drives it.
// Rules and settings are for who only ends a run; else they are those of the group.
func (u *upgrade) onGroup(ctx context.Context, s *session, rules engine.Strategy, settings record.Settings) error {
	at, err := s.find(ctx, u.group)
	if err != nil {
		return err
	}
	u.group = at.Name()
	begun, going := s.unfinished(ctx, at.Name())
	if going {
		if at, err = s.asBegun(ctx, at, begun); err != nil {
			return exitcode.Usage(err)
		}
	}
	settled := u.abort != nil
	settle := func() error { // not for a run that goes on: its own settings count, whatever the state store says by now
		if settled {
			return nil
		}
		settled = true
		if rules, settings, err = u.rulesAt(ctx, u.cmd, u.Auto, &at); err != nil {
			return exitcode.Usage(err)
		}
		u.Into(&settings)
		return nil
	}
	if !going || u.record == recordDiscard {
		if err := settle(); err != nil {
			return err
		}
	}
	v, err := s.look(ctx, at, nil)
	if err != nil {
		return err
	}
	defer v.intake.Close()
	w := v.world
	if err := s.Free(&w.Group); err != nil {
		return err
	}

	held := s.Lease(u.group, func(holder string, until time.Time) {
		fmt.Fprintf(u.app.Err, "drainboard: %s has the lock of this group; waiting until %s at most to see whether it is alive\n", holder, until.Local().Format("15:04:05"))
	})
	rec := held.record
	if run, found, err := rec.Load(ctx); u.abort == nil && (u.record == recordDiscard || err == nil && !(found && run.State != record.Finished)) {
		// A new run: settle that it can start before anything is written.
		if err := settle(); err != nil {
			return err
		}
		if p, err := s.makePlan(ctx, rules, settings, &u.rollFlags, at, w); err != nil {
			return err
		} else if err := present.CannotStart(p); err != nil {
			return err
		}
	}
	if err := held.acquire(ctx); err != nil {
		var other *live.HeldError
		if errors.As(err, &other) {
			return u.held(err)
		}
		return exitcode.Usage(err)
	}
	defer held.release()

	d := &driver{upgrade: u, session: s, at: at, rules: rules, lease: held, view: v}
	switch {
	case u.Auto && u.part != nil:
		d.listeners = append(d.listeners, u.part.tell)
	case u.Auto:
		d.listeners = append(d.listeners, present.NewPrinter(u.app.Out, u.json, false).Events)
	}
	if u.part != nil {
		d.roll = u.part.roll
	}
	d.accompany()
	defer d.close()
	run, found, err := rec.Load(ctx)
	unfinished := err == nil && found && run.State != record.Finished
	switch {
	case u.record == recordDiscard && found && (err != nil || unfinished):
		why, readable := fmt.Sprintf("the unfinished run %s", run.ID), &run
		if err != nil {
			why, readable = err.Error(), nil
		}
		if err := d.discard(ctx, readable, why); err != nil {
			return err
		}
	case err != nil:
		return unreadable(err, u.line.Command("upgrade", u.group))
	case unfinished:
		return d.resume(ctx, run)
	case found && u.abort == nil:
		if _, err := rec.Keep(ctx, ""); err != nil { // of the run before this one
			return exitcode.Usage(err)
		}
	}
	if u.abort != nil {
		return exitcode.Usage(fmt.Errorf("no run is under way in group %s any more", u.group))
	}
	if err := settle(); err != nil {
		return err
	}
	d.rules = rules
	p, err := s.makePlan(ctx, rules, settings, &u.rollFlags, at, w)
	if err != nil {
		return err
	}
	return d.start(ctx, p)
}

// held is the error for a group that another process drives.
func (u *upgrade) held(err error) error {
	if u.where.CloudOnly {
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; it hears no commands from elsewhere: look at it and end it there", u.group, err))
	}
	return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w\nfollow it with: %s; end it with: %s", u.group, err, u.line.Command("watch", u.group), u.line.Command("abort", u.group)))
}

// driver drives one run in this process.
type driver struct {
	*upgrade
	session *session
	at      place
	rules   engine.Strategy
	lease   *lease
	view    view
	// listeners are told what happens, in order, each before the loop goes on: they
	// must be quick.
	listeners []func([]record.Event)
	before    []record.Event // what the log of a dashboard begins with
	roll      string         // the id of the roll that the run belongs to, "" for none
	audit     *audit         // once there is a run
	beside    *beside
	hearing   func() // stops listening to commands from elsewhere
}

// start begins a planned run, after a question if there may be one.
func (d *driver) start(ctx context.Context, p engine.Plan) error {
	if err := present.CannotStart(p); err != nil {
		return err
	}
	p.Run.Roll = d.roll
	if len(p.Nodes) == 0 && len(p.Awaited) == 0 {
		p.Warnings = append(slices.Clone(p.Warnings), unseen(d.view.world)...)
		now := d.session.Clock().Now()
		code := 0
		message := d.group + ": " + present.NothingToDo(p)
		if !d.Auto {
			fmt.Fprintln(d.app.Out, message)
			present.List(d.app.Out, "Note:", p.Warnings)
		}
		for _, warning := range p.Warnings {
			d.events(record.Event{Time: now, Run: p.Run.ID, Group: d.group, Type: record.Warning, Reason: "foreseen", Message: warning})
		}
		d.events(record.Event{Time: now, Run: p.Run.ID, Group: d.group, Type: record.RunFinished, Result: string(record.Succeeded), ExitCode: &code, Message: message})
		return nil
	}
	switch {
	case d.Auto || d.yes:
	case len(p.Nodes) == 0:
		fmt.Fprintf(d.app.Out, "%s: %s\n", d.group, present.NotYet(p))
		if !d.app.Ask(ctx, d.app.Marked(d.session.Context(), "Wait for Gardener, and follow the update? [y/N] ")) {
			return exitcode.With(exitcode.Aborted, errors.New("not started"))
		}
	default:
		rehearse(ctx, d.rules, &p, d.view.world)
		present.WriteForApproval(d.app.Out, p)
		if !d.app.Ask(ctx, d.app.Marked(d.session.Context(), "Start this upgrade? [y/N] ")) {
			return exitcode.With(exitcode.Aborted, errors.New("not started"))
		}
	}
	if p.Run.Settings.CloudOnly && !d.Auto && d.part == nil && !consents(ctx, d.app, d.session.Context(), cmp.Or(d.at.Alias(), d.group)) {
		return exitcode.With(exitcode.Aborted, errors.New("not started"))
	}
	run, events := begin(p, d.session.Clock().Now()) // now: the answer may have taken its time
	d.keep(run, &p)
	d.events(events...)
	return d.drive(ctx, run, nil)
}

// begin starts a planned run, and tells its plan as events.
func begin(p engine.Plan, now time.Time) (run record.Run, events []record.Event) {
	tell := func(t record.EventType, reason, message string) {
		events = append(events, record.Event{Time: now, Run: p.Run.ID, Group: p.Group, Type: t, Reason: reason, Message: message})
	}
	planned := fmt.Sprintf("%d nodes, %s, at most %d at once, seed %d", len(p.Nodes), present.FromTo(p), p.Limit, p.Run.Seed)
	if len(p.Nodes) == 0 {
		planned = present.NotYet(p)
	}
	tell(record.RunPlanned, "", planned)
	for _, warning := range slices.Concat(p.Warnings, present.CloudText(p), present.Foreseen(p)) {
		tell(record.Warning, "foreseen", warning)
	}
	if len(p.Nodes) > 0 && p.Nodes[0].NotEvaluated != "" {
		tell(record.Warning, "not evaluated", "nothing could be foreseen: "+p.Nodes[0].NotEvaluated)
	}
	run = engine.Start(p.Run, now, who())
	tell(record.RunStarted, run.By, "started by "+run.By)
	return run, events
}

// drive runs the loop with a dashboard or without one, to the end.
func (d *driver) drive(ctx context.Context, run record.Run, first []record.Command) error {
	var err error // of the loop
	defer func() { d.audit.close(run, err) }()
	clock := d.session.Clock()
	cloud := d.at.Executor(d.view.cloud.Poke)
	loop := &live.Loop{
		Rules: d.rules, World: d.view.world, Queue: d.view.intake,
		Executor: executor{d.session.Executor(), cloud},
		Store:    d.lease, Clock: clock, Cluster: d.session.Cluster(), Lock: d.lease,
		Before: slices.Concat(d.part.history(), d.before), Rehearse: rehearsing(d.rules), RecordLimit: d.recordLimit,
	}
	loop.Events = func(list []record.Event) { d.events(list...) }
	look := d.beside.attend(loop, run)
	d.audit.attend(loop)
	d.lease.run = run
	over := func() { // whatever stays on the screen, and whoever is still told, the group is free
		d.view.intake.Close()
		d.hearing()
		d.lease.release()
		d.beside.over()
	}
	from := &seat{clock: clock, signals: d.signals, err: d.app.Err, over: over, beside: look}
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
	d.hearing = d.session.Listen(ctx, loop, d.group)
	defer d.hearing()
	switch {
	case d.Auto:
		run, err = from.headless(ctx, loop, run)
		over()
	case d.part != nil:
		run, err = d.part.sit(ctx, loop, run, from)
		over()
	default:
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		from.screen = d.app.Screen(ctx, d.session.Context())
		from.screen.Again = d.line.Command("upgrade", d.group)
		if d.Plain {
			from.plainly(&d.app.Console)
		}
		run, err = from.interactive(ctx, loop, run)
	}
	if d.part != nil {
		d.part.last = run
	}
	if err != nil {
		d.sayLeft(run)
	}
	if errors.Is(err, live.ErrLost) {
		follow := d.session.Follow() + d.line.Command(d.session.Shows(), d.group)
		return exitcode.With(exitcode.Held, fmt.Errorf("group %s: %w; this process has stopped acting\n%s", d.group, err, follow))
	}
	if err != nil {
		return broken(run, err, d.line.Command("upgrade", d.group), d.line.Command("abort", d.group))
	}
	return d.conclude(run)
}

// broken is the exit of a process that could not drive a run on, which again does. What the
// operator said of it counts for more than what went wrong; abort ends it later.
func broken(run record.Run, err error, again, abort string) error {
	var unwritten *live.UnwrittenError
	switch {
	case run.Result == record.Aborted && errors.As(err, &unwritten): // the record may not know of the abort
		return exitcode.With(exitcode.Aborted, fmt.Errorf("%s: stopped before everything was put back: %w; once it can be written, %s puts it back", run.ID, err, abort))
	case run.Result == record.Aborted:
		return exitcode.With(exitcode.Aborted, fmt.Errorf("%s: stopped before everything was put back: %w; %s goes on", run.ID, err, again))
	case errors.As(err, &unwritten):
		return exitcode.With(exitcode.Paused, fmt.Errorf("%s: paused: %w; %s goes on from the last record", run.ID, err, again))
	}
	return exitcode.With(exitcode.Failed, err)
}

// conclude turns a run's end into what the process says and exits with.
func (d *driver) conclude(run record.Run) error {
	if run.State != record.Finished {
		d.app.sayCulprits(run)
		d.sayLeft(run)
		code, what := exitcode.Paused, "paused"
		if run.Why != "" {
			what += ": " + run.Why
		}
		if run.State == record.Ending {
			code, what = exitcode.Aborted, "stopped before everything was put back"
		}
		return exitcode.With(code, fmt.Errorf("%s: %s; %s goes on", run.ID, what, d.line.Command("upgrade", run.Group)))
	}
	again := d.line.Repeat(run.Group)
	if d.abort != nil { // its flags are no upgrade's
		again = d.line.Command("upgrade", run.Group)
	}
	next := present.WhatNext(run, again)
	if err := d.app.result(run, d.Plain); err != nil {
		var e *exitcode.Error
		if errors.As(err, &e) {
			e.Err = fmt.Errorf("%w\n%s", e.Err, next)
		}
		return err
	}
	fmt.Fprintln(d.app.Err, next)
	return nil
}

// result says how a finished run ended, unless its details were told already, and is
// its exit code.
func (a *app) result(run record.Run, told bool) error {
	if !told {
		a.sayCulprits(run)
		present.List(a.Err, "Left behind:", run.Unrestored)
		present.List(a.Err, "Note:", run.Notes)
	}
	if code := run.ExitCode(); code != 0 {
		why := strings.TrimPrefix(run.Why, string(run.Result)+": ")
		return exitcode.With(code, fmt.Errorf("%s: %s", run.Result, why))
	}
	return nil
}

// sayCulprits lists what kept nodes.
func (a *app) sayCulprits(run record.Run) {
	present.List(a.Err, "What kept nodes:", run.BlockingPods)
}

// sayLeft lists what an unfinished run has changed and not put back.
func (d *driver) sayLeft(run record.Run) {
	left := run.Outstanding()
	present.List(d.app.Err, present.NotPutBack, left)
}

// events tells the listeners what happened.
func (d *driver) events(list ...record.Event) {
	if d.roll != "" {
		list = slices.Clone(list) // others have it, too
		for i := range list {
			list[i].Roll = d.roll
		}
	}
	for _, hear := range d.listeners {
		hear(list)
	}
}

// consents has the operator type what a run without Kubernetes is for, and reports whether
// he did.
func consents(ctx context.Context, a *app, mark, name string) bool {
	question := a.Marked(mark, fmt.Sprintf("Nothing will be drained, and pods die with their machines. Type %s to go on all the same: ", name))
	return a.Answer(ctx, question) == name
}
