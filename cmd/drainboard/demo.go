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

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// fastest is as much as --speed takes: beyond it the engine is all that counts.
const fastest = 1000

// demoContext is the kubeconfig context that the demo is in as far as config.yaml
// is concerned.
const demoContext = "demo"

// demo is one call of `drainboard demo`.
type demo struct {
	console.Face
	app      *app
	provider string
	scenario string // "" is the provider's own
	speed    float64
	seed     uint64
	output   string
}

func (a *app) demoCmd() *cobra.Command {
	d := demo{app: a}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The dashboard on a simulated cluster: no Kubernetes, no cloud",
		Long: "An upgrade of a simulated cluster, by the very engine that rolls real ones, in a time that runs faster.\n" +
			"Nothing is read, changed or kept; q ends it. What others do to the cluster is in the log; w has somebody\n" +
			"scale what a budget blocks.\n\nScenarios:\n" + scenarios() + "\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&d.provider, "provider", "asg", "whose group it is, and so by which rules it is rolled: asg or kops")
	fl.StringVar(&d.scenario, "scenario", "", "the cluster and what happens to it (default tour; with --provider kops: kops); list: the names of all")
	fl.Float64Var(&d.speed, "speed", 20, "seconds that pass in the cluster in one of yours")
	fl.Uint64Var(&d.seed, "seed", 1, "seed of all that is random, the order of the nodes included")
	fl.BoolVar(&d.Auto, "auto", false, "headless: no question, one line an event, an exit code that tells what happened")
	fl.BoolVar(&d.Plain, "plain", false, console.PlainHelp)
	fl.StringVarP(&d.output, "output", "o", "text", "events of --auto as text or json")
	a.themeFlag(cmd)
	return cmd
}

// scenarios lists the built-in worlds, a line each.
func scenarios() string {
	var out strings.Builder
	for _, s := range sim.Scenarios() {
		fmt.Fprintf(&out, "  %-8s %s\n", s.Name, s.About)
	}
	return out.String()
}

func (d *demo) run(ctx context.Context) error {
	if d.scenario == "list" {
		_, err := fmt.Fprint(d.app.Out, scenarios())
		return err
	}
	asJSON, err := output(d.output)
	if err != nil {
		return err
	}
	if d.speed <= 0 || d.speed > fastest {
		return exitcode.Usage(fmt.Errorf("--speed: %g is out of range, more than 0 and at most %d", d.speed, fastest))
	}
	s, err := d.named()
	if err != nil {
		return exitcode.Usage(err)
	}
	if d.Face, err = d.Fit(asJSON); err != nil {
		return err
	}
	if err := d.app.CheckTheme(); err != nil {
		return err
	}
	script, err := s.Open(d.seed, d.Auto)
	if err != nil {
		return err
	}
	plan := script.Plan("demo-" + s.Name)
	if err := present.CannotStart(plan); err != nil {
		return err
	}
	return d.drive(ctx, plan, sim.NewRealTime(script.Sim, d.speed), asJSON)
}

// named is the scenario that is asked for.
func (d *demo) named() (sim.Scenario, error) {
	own := map[string]string{"asg": "tour", "kops": "kops"}[d.provider]
	if own == "" {
		return sim.Scenario{}, fmt.Errorf("--provider: %q is not offered; choose asg or kops", d.provider)
	}
	s, err := sim.Named(cmp.Or(d.scenario, own))
	switch {
	case err != nil:
		return s, fmt.Errorf("--scenario: %w", err)
	case d.scenario != "" && d.scenario != own && d.provider == "kops":
		return s, fmt.Errorf("--scenario %s: it is no cluster of kops; leave --provider out", d.scenario)
	}
	return s, nil
}

// drive runs the engine's loop on the simulated world, as upgrade does on a real one.
func (d *demo) drive(ctx context.Context, plan engine.Plan, wall *sim.RealTime, asJSON bool) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	rules, err := strategy.Named(plan.Strategy)
	if err != nil {
		return err
	}
	loop := &live.Loop{Rules: rules, Cluster: fmt.Sprintf("demo, %g times as fast", d.speed), Rehearse: rehearsing(rules)}
	var others []record.Event // what was heard, on the loop's goroutine
	wall.Heard = func(at time.Time, what string) {
		e := record.Event{Time: at, Run: plan.Run.ID, Group: plan.Group, Type: record.Warning, Reason: "not by us", Message: what}
		others = append(others, e)
		if loop.Events != nil {
			loop.Events([]record.Event{e})
		}
	}
	beside := func(s *engine.Snapshot) {
		s.Events = slices.Concat(s.Events, others)
		slices.SortStableFunc(s.Events, func(a, b record.Event) int { return a.Time.Compare(b.Time) })
	}
	intake := live.Open(ctx, wall)
	defer intake.Close()
	w := world.New()
	if err := intake.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop.World, loop.Queue = w, intake
	loop.Executor, loop.Store, loop.Lock, loop.Clock = wall, wall, wall, wall
	from := &seat{clock: wall, signals: signals, err: d.app.Err, beside: beside}
	run, events := begin(plan, wall.Now())
	if d.Auto {
		p := present.NewPrinter(d.app.Out, asJSON, false)
		p.Events(events)
		loop.Events = p.Events
		run, err = from.headless(ctx, loop, run)
	} else {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		from.screen = d.app.Screen(ctx, demoContext)
		from.screen.Speed, from.screen.KeepsNothing = d.speed, true
		from.screen.Scale = func(b *engine.Blocker) string { return scale(wall, b) }
		if d.Plain {
			from.plainly(&d.app.Console)
		}
		run, err = from.interactive(ctx, loop, run)
	}
	switch {
	case err != nil:
		return exitcode.With(exitcode.Failed, err)
	case run.State == record.Finished:
		return d.app.result(run, d.Plain)
	case d.Auto:
		return exitcode.With(exitcode.Aborted, errors.New("the demo ended before its run did"))
	}
	return nil
}

// scale is what somebody else does about a blocked pod: one more of its kind, so
// that its budget opens; or none, where they only come back to the node.
func scale(wall *sim.RealTime, b *engine.Blocker) string {
	to := func(replicas int) int { return replicas + 1 }
	if b.Kind == engine.BlockedByReturn {
		to = func(int) int { return 0 }
	}
	n, err := wall.Scale(b.Owner, to)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("somebody scales %s to %d", b.Owner, n)
}
