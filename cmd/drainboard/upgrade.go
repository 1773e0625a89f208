package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) upgradeCmd() *cobra.Command {
	var u upgrade
	cmd := &cobra.Command{
		Use:   "upgrade GROUP",
		Short: "Plan an upgrade, then run it; goes on with the group's unfinished run if there is one",
		Long:  "Plan an upgrade of a group, then run it. An unfinished run of the group is resumed.\n\n" + plainLong + "\n\n" + exitCodes,
		Args:  oneGroup,
		RunE: func(cmd *cobra.Command, args []string) error {
			u.app, u.group, u.given = a, args[0], given(cmd)
			return u.run(cmd)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&u.auto, "auto", false, "headless: no question, one line an event, an exit code that tells what happened")
	fl.BoolVar(&u.plain, "plain", false, plainHelp)
	fl.BoolVar(&u.yes, "yes", false, "no question at the start")
	fl.BoolVar(&u.dryRun, "dry-run", false, "the same as plan")
	fl.StringVarP(&u.output, "output", "o", "text", "events of --auto as text or json")
	fl.StringVar(&u.record, "record", "", recordHelp)
	a.themeFlag(cmd)
	fl.StringVar(&u.metrics, "metrics", "", "serve Prometheus metrics at /metrics while the run is driven: a port (of this machine only) or HOST:PORT")
	u.add(cmd)
	return cmd
}

// upgrade is one call of `drainboard upgrade`.
type upgrade struct {
	rollFlags
	face
	app         *app
	group       string
	given       []string // flags that make settings and target
	yes, dryRun bool
	output      string
	metrics     string         // address, "" for none
	serving     *metricsServer // nil: none
	record      string         // see checkRecord
	json        bool
	abort       *engine.Command // end the unfinished run, and start none; nil to go on with it
	signals     chan os.Signal
	driving     chan struct{} // closed when the run is under way: signals are its business
}

func (u *upgrade) run(cmd *cobra.Command) (err error) {
	if u.json, err = output(u.output); err != nil {
		return err
	}
	if u.dryRun {
		return u.app.plan(cmd, u.group, &u.rollFlags, u.auto, u.json)
	}
	if u.face, err = u.face.fit(u.json); err != nil {
		return err
	}
	if err := u.checkRecord(); err != nil {
		return err
	}
	if err := u.app.checkTheme(); err != nil {
		return err
	}
	rules, settings, err := u.rules(cmd, u.auto)
	if err != nil {
		return usage(err)
	}
	if u.metrics != "" {
		if u.serving, err = serveMetrics(u.metrics); err != nil {
			return usage(err)
		}
		defer u.serving.close()
	}
	return u.listening(cmd.Context(), rules, settings)
}

// listening prepares and drives, with an ear for signals.
func (u *upgrade) listening(ctx context.Context, rules engine.Strategy, settings engine.Settings) error {
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
		return &exitError{exitAbort, errors.New("interrupted; this process changed nothing")}
	default:
		return err
	}
}

// prepare connects, plans, takes the lock, and drives the run.
func (u *upgrade) prepare(ctx context.Context, rules engine.Strategy, settings engine.Settings) error {
	rights := append(kube.ReadRights(u.app.namespace), kube.WriteRights(u.app.namespace)...)
	if settings.OnDrainTimeout == engine.TimeoutForce {
		rights = append(rights, kube.ForceRights()...)
	}
	s, err := connect(ctx, u.app.flags, u.app.namespace, rights, false)
	if err != nil {
		return err
	}
	if err := u.readHooks(u.app, s.kube.ContextName(), &settings); err != nil {
		return usage(err)
	}
	v, err := s.look(ctx, u.group, nil)
	if err != nil {
		return err
	}
	defer v.intake.Close()
	w := v.world

	lock := s.kube.Lock(u.app.namespace, w.Group.Provider, u.group)
	lock.Waiting = func(holder string, until time.Time) {
		fmt.Fprintf(u.app.err, "drainboard: %s has the lock of this group; waiting until %s at most to see whether it is alive\n", holder, until.Local().Format("15:04:05"))
	}
	record := s.kube.Record(u.app.namespace, w.Group.Provider, u.group)
	if run, found, err := record.Load(ctx); u.abort == nil && (u.record == recordDiscard || err == nil && !(found && run.State != engine.Finished)) {
		// A new run: settle that it can start before anything is written.
		if p, err := s.makePlan(ctx, rules, settings, &u.rollFlags, w); err != nil {
			return err
		} else if err := refuse(p); err != nil {
			return err
		}
	}
	held := &tenure{lock: lock, record: record}
	if err := held.acquire(ctx); err != nil {
		var other *kube.HeldError
		if errors.As(err, &other) {
			return u.held(err)
		}
		return usage(err)
	}
	defer held.release()

	d := &driver{upgrade: u, session: s, rules: rules, tenure: held, view: v}
	if u.auto {
		d.listeners = append(d.listeners, (&printer{w: u.app.out, json: u.json}).events)
	}
	d.accompany()
	defer d.close()
	run, found, err := record.Load(ctx)
	unfinished := err == nil && found && run.State != engine.Finished
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
		return unreadable(err, u.group)
	case unfinished:
		return d.resume(ctx, run)
	case found && u.abort == nil:
		if _, err := record.Keep(ctx, ""); err != nil { // of the run before this one
			return usage(err)
		}
	}
	if u.abort != nil {
		return usage(fmt.Errorf("no run is under way in group %s any more", u.group))
	}
	p, err := s.makePlan(ctx, rules, settings, &u.rollFlags, w)
	if err != nil {
		return err
	}
	return d.start(ctx, p)
}

// held is the error for a group that another process drives.
func (u *upgrade) held(err error) error {
	return &exitError{exitHeld, fmt.Errorf("group %s: %w\nfollow it with: drainboard watch %s; end it with: drainboard abort %s", u.group, err, u.group, u.group)}
}

// driver drives one run in this process.
type driver struct {
	*upgrade
	session *session
	rules   engine.Strategy
	tenure  *tenure
	view    view
	// listeners are told what happens, in order, each before the loop goes on: they
	// must be quick.
	listeners []func([]engine.Event)
	before    []engine.Event // what the log of a dashboard begins with
	audit     *audit         // once there is a run
	beside    *beside
	hearing   func() // stops listening to commands from elsewhere
}

// start begins a planned run, after a question if there may be one.
func (d *driver) start(ctx context.Context, p engine.Plan) error {
	if err := refuse(p); err != nil {
		return err
	}
	if len(p.Nodes) == 0 {
		now := d.session.kube.Clock().Now()
		code := 0
		message := d.group + ": " + nothingToDo(p)
		if !d.auto {
			fmt.Fprintln(d.app.out, message)
			list(d.app.out, "Note:", p.Warnings)
		}
		for _, warning := range p.Warnings {
			d.events(engine.Event{Time: now, Run: p.Run.ID, Group: d.group, Type: engine.Warning, Reason: "foreseen", Message: warning})
		}
		d.events(engine.Event{Time: now, Run: p.Run.ID, Group: d.group, Type: engine.RunFinished, Result: string(engine.Succeeded), ExitCode: &code, Message: message})
		return nil
	}
	if !d.auto && !d.yes {
		askPlan(d.app.out, p)
		if !ask(ctx, d.app.in, d.app.out, d.app.marked(d.session.kube.ContextName(), "Start this upgrade? [y/N] ")) {
			return &exitError{exitAbort, errors.New("not started")}
		}
	}
	run, events := begin(p, d.session.kube.Clock().Now()) // now: the answer may have taken its time
	d.keep(run, &p)
	d.events(events...)
	return d.drive(ctx, run, nil)
}

// begin starts a planned run, and tells its plan as events.
func begin(p engine.Plan, now time.Time) (run engine.Run, events []engine.Event) {
	tell := func(t engine.EventType, reason, message string) {
		events = append(events, engine.Event{Time: now, Run: p.Run.ID, Group: p.Group, Type: t, Reason: reason, Message: message})
	}
	tell(engine.RunPlanned, "", fmt.Sprintf("%d nodes, %s → %s, at most %d at once, seed %d", len(p.Nodes), p.From, p.To, p.Limit, p.Run.Seed))
	for _, warning := range slices.Concat(p.Warnings, cloudText(p), foreseen(p)) {
		tell(engine.Warning, "foreseen", warning)
	}
	if len(p.Nodes) > 0 && p.Nodes[0].NotEvaluated != "" {
		tell(engine.Warning, "not evaluated", "nothing could be foreseen: "+p.Nodes[0].NotEvaluated)
	}
	run = engine.Start(p.Run, now, who())
	tell(engine.RunStarted, run.By, "started by "+run.By)
	return run, events
}

// drive runs the loop with a dashboard or without one, to the end.
func (d *driver) drive(ctx context.Context, run engine.Run, first []engine.Command) error {
	var err error // of the loop
	defer func() { d.audit.close(run, err) }()
	clock := d.session.kube.Clock()
	cloud := d.session.aws.Executor(asg.ExecutorOptions{Now: clock.Now, Changed: d.view.cloud.Poke})
	loop := &live.Loop{
		Rules: d.rules, World: d.view.world, Intake: d.view.intake,
		Executor: executor{d.session.kube.Executor(), cloud},
		Store:    d.tenure, Clock: clock, Cluster: d.session.kube.ClusterName(), Lock: d.tenure,
		Before: d.before,
	}
	loop.Events = func(list []engine.Event) { d.events(list...) }
	look := d.beside.attend(loop, run)
	d.audit.attend(loop)
	d.tenure.run = run
	over := func() { // whatever stays on the screen, and whoever is still told, the group is free
		d.view.intake.Close()
		d.hearing()
		d.tenure.release()
		d.beside.over()
	}
	from := &seat{clock: clock, signals: d.signals, err: d.app.err, over: over, beside: look}
	for _, c := range first {
		from.send(loop, c)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	close(d.driving)
	d.hearing = d.listen(ctx, loop)
	defer d.hearing()
	if d.auto {
		run, err = from.headless(ctx, loop, run)
		over()
	} else {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		from.screen = d.app.screen(ctx, d.session.kube.ContextName())
		if d.plain {
			from.plainly(d.app)
		}
		run, err = from.interactive(ctx, loop, run)
	}
	if err != nil {
		d.sayLeft(run)
	}
	if errors.Is(err, live.ErrLost) {
		return &exitError{exitHeld, fmt.Errorf("group %s: %w; this process has stopped acting\nfollow the run with: drainboard watch %s", d.group, err, d.group)}
	}
	if err != nil {
		return &exitError{exitFailed, err}
	}
	return d.conclude(run)
}

// conclude turns a run's end into what the process says and exits with.
func (d *driver) conclude(run engine.Run) error {
	if run.State != engine.Finished {
		d.app.sayCulprits(run)
		d.sayLeft(run)
		code, what := exitPaused, "paused"
		if run.State == engine.Ending {
			code, what = exitAbort, "stopped before everything was put back"
		}
		return &exitError{code, fmt.Errorf("%s: %s; drainboard upgrade %s goes on", run.ID, what, run.Group)}
	}
	if err := d.app.result(run, d.plain); err != nil {
		var e *exitError
		if errors.As(err, &e) {
			e.err = fmt.Errorf("%w\n%s", e.err, whatNext(run))
		}
		return err
	}
	fmt.Fprintln(d.app.err, whatNext(run))
	return nil
}

// whatNext says what one does after a run that has ended.
func whatNext(run engine.Run) string {
	next := "What happened: drainboard report " + run.Group
	if run.Result == engine.EvictionFail {
		next += "\nTo go on: free the pods, then drainboard upgrade " + run.Group
	}
	return next
}

// result says how a finished run ended, unless its details were told already, and is
// its exit code.
func (a *app) result(run engine.Run, told bool) error {
	if !told {
		a.sayCulprits(run)
		list(a.err, "Left behind:", run.Left)
		list(a.err, "Note:", run.Notes)
	}
	if code := run.Result.ExitCode(); code != 0 {
		why := strings.TrimPrefix(run.Why, string(run.Result)+": ")
		return &exitError{code, fmt.Errorf("%s: %s", run.Result, why)}
	}
	return nil
}

// sayCulprits lists what kept nodes.
func (a *app) sayCulprits(run engine.Run) {
	list(a.err, "What kept nodes:", run.Culprits)
}

// sayLeft lists what an unfinished run has changed and not put back.
func (d *driver) sayLeft(run engine.Run) {
	left := run.Outstanding()
	list(d.app.err, notPutBack, left)
}

// events tells the listeners what happened.
func (d *driver) events(list ...engine.Event) {
	for _, hear := range d.listeners {
		hear(list)
	}
}

// ask reads a yes or no; anything but y or yes is no, and so is the end of ctx.
func ask(ctx context.Context, in *bufio.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	answered := make(chan string, 1)
	go func() {
		line, _ := in.ReadString('\n')
		answered <- line
	}()
	select {
	case line := <-answered:
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes"
	case <-ctx.Done():
		fmt.Fprintln(out)
		return false
	}
}
