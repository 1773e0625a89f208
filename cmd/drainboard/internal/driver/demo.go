package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/forecast"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// DemoContext is the kubeconfig context by which config.yaml matches the demo.
const DemoContext = "demo"

// Demo drives a run in a simulated cluster.
type Demo struct {
	console.Console
	console.Face
	Speed float64 // simulated seconds per real second
	JSON  bool    // events of --auto
	Tour  bool    // the dashboard is explained
}

// Drive runs the engine's loop on the simulated world, as upgrade does on a real one.
func (d *Demo) Drive(ctx context.Context, plan snapshot.Plan, wall *realtime.World) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	rules, err := strategy.Named(plan.Strategy)
	if err != nil {
		return err
	}
	loop := &live.Loop{Rules: rules, Cluster: fmt.Sprintf("demo, %g times as fast", d.Speed), Foresee: forecast.By(rules)}
	var others []record.Event // changes of other users, on the loop's goroutine
	wall.Heard = func(at time.Time, what string) {
		e := record.Event{Time: at, Run: plan.Run.ID, Group: plan.Group, Type: record.Warning, Reason: "not by us", Message: what}
		others = append(others, e)
		if loop.Events != nil {
			loop.Events([]record.Event{e})
		}
	}
	addOthers := func(s *snapshot.Snapshot) {
		s.Events = slices.Concat(s.Events, others)
		slices.SortStableFunc(s.Events, func(a, b record.Event) int { return a.Time.Compare(b.Time) })
	}
	queue := live.Open(ctx, wall)
	defer queue.Close()
	w := world.New()
	if err := queue.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop.World, loop.Queue = w, queue
	loop.Executor, loop.Store, loop.Lock, loop.Clock = wall, wall, wall, wall
	from := &operator{clock: wall, signals: signals, err: d.Err, see: addOthers}
	run, events := begin(plan, wall.Now())
	if d.Auto {
		p := present.NewPrinter(d.Out, d.JSON, false)
		p.Events(events)
		loop.Events = p.Events
		run, err = from.headless(ctx, loop, run)
	} else {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		from.screen = d.Screen(ctx, DemoContext)
		from.screen.Speed, from.screen.KeepsNothing, from.screen.Tour = d.Speed, true, d.Tour && !d.Plain
		from.screen.Log = wall.Log
		from.screen.Scale = func(b *blockers.Blocker) string { return scale(wall, b) }
		if d.Plain {
			from.plainly(&d.Console)
		}
		run, err = from.interactive(ctx, loop, run)
	}
	switch {
	case err != nil:
		return exitcode.With(exitcode.Failed, err)
	case run.State == record.Finished:
		return result(d.Err, run, d.Plain)
	case d.Auto:
		return exitcode.With(exitcode.Aborted, errors.New("the demo ended before its run did"))
	}
	return nil
}

// scale is what another user does about a blocked pod: scales up its workload, so that
// its budget opens; or scales it to 0, where its pods only return to the node.
func scale(wall *realtime.World, b *blockers.Blocker) string {
	to := func(replicas int) int { return replicas + 1 }
	if b.Kind == blockers.BlockedByReturn {
		to = func(int) int { return 0 }
	}
	n, err := wall.Scale(b.Owner, to)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("another user scales %s to %d", b.Owner, n)
}
