package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui"
)

// termLimit bounds the abort after SIGTERM, after which the process stops at once. A first SIGINT
// is not bounded: a user who pressed ctrl-c can press it again.
const termLimit = 5 * time.Minute

// bounded reports whether a signal's abort is bounded by termLimit.
func bounded(s os.Signal) bool { return s != os.Interrupt }

// operator drives a run: a dashboard, prompts in plain lines, or a script that reads
// events and may send signals.
type operator struct {
	clock   live.Clock
	signals <-chan os.Signal
	err     io.Writer
	plain   bool                     // no dashboard: lines
	screen  ui.Options               // of a dashboard or lines; Snapshots, Send and Look are filled in
	see     func(*snapshot.Snapshot) // reads each snapshot before it is shown, and may add to it; may be nil
	over    func()                   // called when the loop has ended, while the dashboard may stay; may be nil
}

// send sends a command with its sender and time.
func (o *operator) send(loop *live.Loop, c record.Command) {
	c.By, c.At = session.User(), o.clock.Now()
	if !loop.Send(c) {
		fmt.Fprintf(console.Stderr(), "%s was not received, the run is busy: repeat it\n", c.Kind)
	}
}

// headless drives a run without a dashboard. The first SIGINT, SIGTERM or SIGHUP
// aborts cleanly, the second stops at once. A run that pauses itself ends the process;
// one that another process paused waits.
func (o *operator) headless(ctx context.Context, loop *live.Loop, run record.Run) (record.Run, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	events, ending := loop.Events, notingEnd(loop, run)
	loop.Publish = o.see
	loop.Events = func(list []record.Event) {
		events(list)
		for _, e := range list {
			switch {
			case holdsRun(e): // also on stderr, in case only events are read from stdout
				fmt.Fprintln(o.err, "drainboard: "+e.Message)
			case e.Type == record.RunPaused && e.Remote: // resumed from where it was paused
				fmt.Fprintf(o.err, "drainboard: paused by another process: drainboard resume %s resumes it, ctrl-c aborts\n", e.Group)
			case e.Type == record.RunPaused: // there is no operator to resume it
				stop()
			}
		}
	}
	go func() {
		var late <-chan time.Time
		aborting := false
		for {
			select {
			case s := <-o.signals:
				if aborting {
					fmt.Fprintln(o.err, "drainboard: second signal: stopping at once")
					stop()
					return
				}
				o.abort(loop, s, ending.Load(), true)
				aborting = true
				if bounded(s) {
					late = time.After(termLimit)
				}
			case <-late:
				fmt.Fprintf(o.err, "drainboard: not everything was restored within %s: stopping\n", termLimit)
				stop()
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return loop.Run(ctx, run)
}

// holdsRun reports whether an event is about what holds the whole run: a run record that cannot
// be written, or can again, and a cluster that is not seen since the run ended a machine.
func holdsRun(e record.Event) bool {
	return e.Type == record.Warning && (e.Reason == record.ReasonUnwritten || e.Reason == record.ReasonWritten || e.Reason == record.ReasonBlind)
}

// notingEnd returns a flag that is true while the run restores its changes.
func notingEnd(loop *live.Loop, run record.Run) *atomic.Bool {
	ending, decided := new(atomic.Bool), loop.Decided
	ending.Store(run.State == record.Ending)
	loop.Decided = func(before record.Run, dec engine.Decision) {
		ending.Store(dec.Run.State == record.Ending)
		if decided != nil {
			decided(before, dec)
		}
	}
	return ending
}

// abort aborts the run on a signal. A run that is already ending continues to do so, and
// keeps its result.
func (o *operator) abort(loop *live.Loop, s os.Signal, ending, say bool) {
	does := "aborting"
	if ending {
		does = "already restoring"
	} else {
		o.send(loop, record.Command{Kind: record.CmdAbort, Reason: s.String()})
	}
	if say {
		fmt.Fprintf(o.err, "drainboard: %s: %s; once more stops at once\n", s, does)
	}
}

// plainly shows the run in plain lines.
func (o *operator) plainly(c *console.Console) {
	signal.Ignore(syscall.SIGPIPE) // a closed output must not stop the run
	o.plain, o.screen = true, c.Plainly(o.screen)
}

// interactive drives a run behind the dashboard, or behind prompts in plain lines. Leaving
// it pauses the run and saves; so does SIGHUP. SIGTERM aborts, and so does SIGINT,
// which is a key on the dashboard; once more stops at once.
func (o *operator) interactive(ctx context.Context, loop *live.Loop, run record.Run) (record.Run, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ending := notingEnd(loop, run)
	snapshots := make(chan *snapshot.Snapshot, 1)
	loop.Publish = func(s *snapshot.Snapshot) {
		if o.see != nil {
			o.see(s)
		}
		select {
		case <-snapshots: // the newest only
		default:
		}
		snapshots <- s
	}
	type end struct {
		run record.Run
		err error
	}
	ended := make(chan end, 1)
	screen, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	var signalled atomic.Bool
	go func() {
		r, err := loop.Run(ctx, run)
		if err != nil && screen.Err() == nil && !o.plain { // the log shows it
			fmt.Fprintln(console.Stderr(), "the run stopped:", err)
		}
		if o.over != nil {
			o.over()
		}
		close(snapshots)
		ended <- end{r, err}
		if signalled.Load() {
			leave(errAgain) // there may be no user to press a key
		}
	}()
	go o.heed(loop, ending, screen, leave, &signalled)
	options := o.screen
	options.Snapshots, options.Look = snapshots, loop.Look
	options.Send = func(c record.Command) { o.send(loop, c) }
	exit, err := console.Face{Plain: o.plain}.Show(screen, options)
	leave(nil)
	if err != nil && !errors.Is(err, errHangup) && !errors.Is(err, errAgain) {
		o.send(loop, record.Command{Kind: record.CmdPause, Reason: "the dashboard failed"})
		stop()
		e := <-ended
		if errors.Is(err, syscall.EIO) || errors.Is(err, io.EOF) { // the terminal was closed, and its signal comes too late
			return e.run, e.err
		}
		return e.run, err
	}
	if exit != ui.Finished {
		stop()
	}
	e := <-ended
	return e.run, e.err
}

// heed applies signals to a run behind a dashboard, until that is left.
func (o *operator) heed(loop *live.Loop, ending *atomic.Bool, screen context.Context, leave func(error), signalled *atomic.Bool) {
	aborted := false
	for {
		select {
		case s := <-o.signals:
			switch {
			case s == syscall.SIGHUP:
				o.send(loop, record.Command{Kind: record.CmdPause, Reason: "the terminal was closed"})
				leave(errHangup)
			case aborted:
				if o.plain {
					fmt.Fprintln(o.err, "drainboard: stopping at once")
				}
				leave(errAgain)
			default:
				aborted = true
				signalled.Store(true)
				o.abort(loop, s, ending.Load(), o.plain)
				if bounded(s) {
					time.AfterFunc(termLimit, func() { leave(errAgain) })
				}
			}
		case <-screen.Done():
			return
		}
	}
}

var (
	errHangup = errors.New("the terminal was closed")
	errAgain  = errors.New("stopped at once by a second signal")
)
