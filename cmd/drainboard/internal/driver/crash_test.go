//go:build unix

package driver

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui"
)

// crashingDemo is a demo that panics when it is told to by SIGUSR1: in the loop, or
// in the goroutine of a feed.
func crashingDemo(mode string) error {
	script, wall, ordered, err := clitest.Tour()
	if err != nil {
		return err
	}
	plan := script.Plan("demo-tour")
	rules, err := strategy.Named(plan.Strategy)
	if err != nil {
		return err
	}
	feeds := []live.Feed{wall}
	from := &operator{clock: wall, signals: make(chan os.Signal), err: os.Stderr, screen: ui.Options{Speed: 20}}
	if mode == "crash in a feed" {
		feeds = append(feeds, clitest.OrderedFeed{Ordered: ordered, Do: func(func(live.Change)) error { panic("as ordered") }})
	} else {
		from.see = func(*snapshot.Snapshot) {
			select {
			case <-ordered:
				panic("as ordered")
			default:
			}
		}
	}
	ctx := context.Background()
	queue := live.Open(ctx, feeds...)
	defer queue.Close()
	w := world.New()
	if err := queue.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop := &live.Loop{Rules: rules, Cluster: "demo", World: w, Queue: queue, Executor: wall, Store: wall, Lock: wall, Clock: wall}
	run, _ := begin(plan, wall.Now())
	_, err = from.interactive(ctx, loop, run)
	if err != nil {
		return exitcode.With(exitcode.Failed, err)
	}
	return nil
}

func TestMain(m *testing.M) {
	if mode := os.Getenv(clitest.HelperEnv); mode != "" {
		os.Exit(console.Report(os.Stderr, crashingDemo(mode)))
	}
	os.Exit(m.Run())
}

// A panic in a goroutine that is not Bubble Tea's does not leave the terminal in the
// dashboard's modes, and can be read.
func TestAPanicAnywhereRestoresTheTerminal(t *testing.T) {
	for _, mode := range []string{"crash in the loop", "crash in a feed"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := clitest.OpenRaw(t, mode)
			r.Shows("\x1b]9;4;1;")
			r.Shows("scale up")
			if err := r.Cmd.Process.Signal(syscall.SIGUSR1); err != nil {
				t.Fatal(err)
			}
			r.Shows("internal error: as ordered") // in the log
			if _, err := r.Control.WriteString("q"); err != nil {
				t.Fatal(err)
			}
			r.Exits(exitcode.Failed)
			r.AsItWas()
			r.Until("the trace", func(out string) bool {
				_, after, _ := strings.Cut(out, "\x1b[?1049l")
				return strings.Contains(after, "drainboard: internal error: as ordered") && strings.Contains(after, "crash_test.go")
			})
		})
	}
}
