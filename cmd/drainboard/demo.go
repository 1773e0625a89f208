package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
)

// fastest is as much as --speed takes: beyond it the engine is all that counts.
const fastest = 1000

// demo is one call of `drainboard demo`.
type demo struct {
	app      *app
	scenario string
	speed    float64
	seed     uint64
	auto     bool
	output   string
}

func (a *app) demoCmd() *cobra.Command {
	d := demo{app: a}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The dashboard on a simulated cluster: no Kubernetes, no cloud",
		Long: "An upgrade of a simulated cluster, by the very engine that rolls real ones, in a time that runs faster.\n" +
			"Nothing is read, changed or kept; q ends it.\n\n" + exitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&d.scenario, "scenario", "tour", "the cluster and what happens to it; list: the names of all")
	fl.Float64Var(&d.speed, "speed", 20, "seconds that pass in the cluster in one of yours")
	fl.Uint64Var(&d.seed, "seed", 1, "seed of all that is random, the order of the nodes included")
	fl.BoolVar(&d.auto, "auto", false, "headless: no question, one line an event, an exit code that tells what happened")
	fl.StringVarP(&d.output, "output", "o", "text", "events of --auto as text or json")
	return cmd
}

func (d *demo) run(ctx context.Context) error {
	if d.scenario == "list" {
		for _, s := range sim.Scenarios() {
			fmt.Fprintf(d.app.out, "%-8s %s\n", s.Name, s.About)
		}
		return nil
	}
	asJSON, err := output(d.output)
	if err != nil {
		return err
	}
	if d.speed <= 0 || d.speed > fastest {
		return usage(fmt.Errorf("--speed: %g is out of range, more than 0 and at most %d", d.speed, fastest))
	}
	s, err := sim.Named(d.scenario)
	if err != nil {
		return usage(fmt.Errorf("--scenario: %w", err))
	}
	if err := fit(d.auto, asJSON); err != nil {
		return err
	}
	script, err := s.Open(d.seed, d.auto)
	if err != nil {
		return err
	}
	plan := script.Plan("demo-" + s.Name)
	if err := refuse(plan); err != nil {
		return err
	}
	return d.drive(ctx, plan, sim.NewWall(script.Sim, d.speed), asJSON)
}

// drive runs the engine's loop on the simulated world, as upgrade does on a real one.
func (d *demo) drive(ctx context.Context, plan engine.Plan, wall *sim.Wall, asJSON bool) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	intake := live.Open(ctx, wall)
	defer intake.Close()
	w := world.New()
	if err := intake.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop := &live.Loop{
		Rules: strategy.EKS{}, World: w, Intake: intake,
		Executor: wall, Store: wall, Lock: wall, Clock: wall,
		Cluster: fmt.Sprintf("demo, %g times as fast", d.speed),
	}
	from := &seat{clock: wall, signals: signals, err: d.app.err, screen: ui.Options{Speed: d.speed, KeepsNothing: true}}
	run, events := begin(plan, wall.Now())
	var err error
	if d.auto {
		p := printer{w: d.app.out, json: asJSON}
		p.events(events)
		loop.Events = p.events
		run, err = from.headless(ctx, loop, run)
	} else {
		run, err = from.dashboard(ctx, loop, run)
	}
	switch {
	case err != nil:
		return &exitError{exitFailed, err}
	case run.State == engine.Finished:
		return d.app.result(run)
	case d.auto:
		return &exitError{exitAbort, errors.New("the demo ended before its run did")}
	}
	return nil
}
