//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
)

// crashingDemo is a demo that panics when it is told to by SIGUSR1: in the loop, or
// in the goroutine of a feed.
func crashingDemo(mode string) error {
	now := make(chan os.Signal, 1)
	signal.Notify(now, syscall.SIGUSR1)
	s, err := sim.Named("tour")
	if err != nil {
		return err
	}
	script, err := s.Open(1, false)
	if err != nil {
		return err
	}
	plan, wall := script.Plan("demo-tour"), sim.NewWall(script.Sim, 20)
	rules, err := strategy.Named(plan.Strategy)
	if err != nil {
		return err
	}
	feeds := []live.Feed{wall}
	from := &seat{clock: wall, signals: make(chan os.Signal), err: os.Stderr, screen: ui.Options{Speed: 20}}
	if mode == "crash in a feed" {
		feeds = append(feeds, crashingFeed(now))
	} else {
		from.beside = func(*engine.Snapshot) {
			select {
			case <-now:
				panic("as ordered")
			default:
			}
		}
	}
	ctx := context.Background()
	intake := live.Open(ctx, feeds...)
	defer intake.Close()
	w := world.New()
	if err := intake.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop := &live.Loop{Rules: rules, Cluster: "demo", World: w, Intake: intake, Executor: wall, Store: wall, Lock: wall, Clock: wall}
	run, _ := begin(plan, wall.Now())
	_, err = from.interactive(ctx, loop, run)
	if err != nil {
		return &exitError{exitFailed, err}
	}
	return nil
}

type crashingFeed chan os.Signal

func (f crashingFeed) Run(ctx context.Context, _ func(live.Change)) error {
	select {
	case <-f:
		panic("as ordered")
	case <-ctx.Done():
		return nil
	}
}
