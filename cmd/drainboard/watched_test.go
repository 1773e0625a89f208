//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
)

// watchedDemo watches the demo's group, or picks it. SIGUSR1 has the watch panic, or
// fail.
func watchedDemo(mode string) error {
	_, wall, ordered, err := tour()
	if err != nil {
		return err
	}
	order := orderedFeed{ordered, func(post func(live.Change)) error {
		post(func(*world.World) { panic("as ordered") })
		return nil
	}}
	if mode == "failure of the watch" {
		order.do = func(func(live.Change)) error { return errors.New("failed as ordered") }
	}
	ctx, stop := untilSignalled(context.Background())
	defer stop()
	if mode == "picker" {
		_, _, err := ui.PickGroup(ctx, []ui.GroupRow{{Name: "ng-web", Provider: "asg"}}, nil, ui.Options{Environ: os.Environ()})
		return left(ctx, err)
	}
	w := &live.Watch{World: world.New(), Clock: wall, Rules: strategy.Named, Idle: strategy.EKS{}, Cluster: "demo"}
	return watchOn(ctx, w, func(ctx context.Context) error {
		if mode == "no such group" {
			<-ordered
			return usage(errors.New("there is no such group"))
		}
		w.Intake = live.Open(ctx, wall, order)
		return w.Intake.Fill(ctx, w.World, time.Minute, world.Cluster, world.Cloud)
	}, ui.Options{ReadOnly: true, Environ: os.Environ()})
}

// A watch that panics or fails says so on the screen, leaves the last picture there, and
// the terminal as it was once the user has left.
func TestAWatchThatFailsSaysSo(t *testing.T) {
	for mode, says := range map[string]string{"crash in the watch": "internal error: as ordered", "failure of the watch": "failed as ordered"} {
		t.Run(mode, func(t *testing.T) {
			r := openRaw(t, mode)
			r.shows("outdated")
			if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			r.shows("the watch stopped: " + says)
			r.shows("sends no more news")
			if _, err := r.control.WriteString("q"); err != nil {
				t.Fatal(err)
			}
			r.exits(exitUsage)
			r.asItWas()
		})
	}
}

// What cannot be read closes the screen that says so, and is told below it.
func TestAWatchThatCannotReadLeaves(t *testing.T) {
	r := openRaw(t, "no such group")
	r.shows("reading the cluster and the group")
	if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	r.shows("\x1b[?1049l")
	r.shows("there is no such group")
	r.exits(exitUsage)
	r.asItWas()
}

// SIGINT, which somebody else sends where ctrl-c is a key, ends a screen that only
// shows, and the terminal is as it was.
func TestSIGINTRestoresTheTerminalOfWhoLooks(t *testing.T) {
	for mode, seen := range map[string]string{"watch": "outdated", "picker": "ng-web"} {
		t.Run(mode, func(t *testing.T) {
			r := openRaw(t, mode)
			r.shows(seen)
			if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			r.exits(0)
			r.cooked()
			r.shows("\x1b[?1049l")
		})
	}
}
