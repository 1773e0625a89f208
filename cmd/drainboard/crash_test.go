//go:build unix

package main

import (
	"context"
	"os"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
)

// crashingDemo is a demo that panics when it is told to by SIGUSR1: in the loop, or
// in the goroutine of a feed.
func crashingDemo(mode string) error {
	script, wall, ordered, err := tour()
	if err != nil {
		return err
	}
	plan := script.Plan("demo-tour")
	rules, err := strategy.Named(plan.Strategy)
	if err != nil {
		return err
	}
	feeds := []live.Feed{wall}
	from := &seat{clock: wall, signals: make(chan os.Signal), err: os.Stderr, screen: ui.Options{Speed: 20}}
	if mode == "crash in a feed" {
		feeds = append(feeds, orderedFeed{ordered, func(func(live.Change)) error { panic("as ordered") }})
	} else {
		from.beside = func(*engine.Snapshot) {
			select {
			case <-ordered:
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
	loop := &live.Loop{Rules: rules, Cluster: "demo", World: w, Queue: intake, Executor: wall, Store: wall, Lock: wall, Clock: wall}
	run, _ := begin(plan, wall.Now())
	_, err = from.interactive(ctx, loop, run)
	if err != nil {
		return exitcode.With(exitcode.Failed, err)
	}
	return nil
}
