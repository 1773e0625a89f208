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

// termLimit bounds what SIGTERM waits for before the process stops at once. A first SIGINT
// waits for as long as it takes: whoever presses ctrl-c is there, and can press it again.
const termLimit = 5 * time.Minute

// bounded reports whether what a signal begins is bounded by termLimit.
func bounded(s os.Signal) bool { return s != os.Interrupt }

// operator is where a run is driven from: a dashboard, questions in lines, or a script
// that reads events and may send signals.
type operator struct {
	clock   live.Clock
	signals <-chan os.Signal
	err     io.Writer
	plain   bool                     // no dashboard: lines
	screen  ui.Options               // of a dashboard or lines; Snapshots, Send and Look are filled in
	see     func(*snapshot.Snapshot) // adds to each snapshot before it is shown, or looks at it; may be nil
	over    func()                   // called when the loop has ended, while the screen may stay; may be nil
}

// send gives a command its sender and time.
func (o *operator) send(loop *live.Loop, c record.Command) {
	c.By, c.At = session.User(), o.clock.Now()
	if !loop.Send(c) {
		fmt.Fprintf(console.Stderr(), "the run did not hear %s: it is too busy; give it again\n", c.Kind)
	}
}

// headless drives a run without a dashboard. The first SIGINT, SIGTERM or SIGHUP
// aborts cleanly, the second stops at once. A run that pauses itself ends the process;
// one that is paused from elsewhere waits.
func (o *operator) headless(ctx context.Context, loop *live.Loop, run record.Run) (record.Run, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	events, ending := loop.Events, notingEnd(loop, run)
	loop.Publish = o.see
	loop.Events = func(list []record.Event) {
		events(list)
		for _, e := range list {
			switch {
			case recordTrouble(e): // where only events are read from stdout
				fmt.Fprintln(o.err, "drainboard: "+e.Message)
			case e.Type == record.RunPaused && e.Remote: // who paused it resumes it
				fmt.Fprintf(o.err, "drainboard: paused from elsewhere: drainboard resume %s goes on, ctrl-c aborts\n", e.Group)
			case e.Type == record.RunPaused: // nobody is there to resume it
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
				fmt.Fprintf(o.err, "drainboard: not everything was put back within %s: stopping\n", termLimit)
				stop()
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return loop.Run(ctx, run)
}

// recordTrouble reports whether an event says that the run record cannot be written, or that it
// can again.
func recordTrouble(e record.Event) bool {
	return e.Type == record.Warning && (e.Reason == record.ReasonUnwritten || e.Reason == record.ReasonWritten)
}

// notingEnd tells, at any time from now on, whether the run puts things back.
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

// abort aborts the run as a signal asks for. One that puts things back already goes on with
// that, and its end stays what it is: the first one counts.
func (o *operator) abort(loop *live.Loop, s os.Signal, ending, say bool) {
	does := "aborting"
	if ending {
		does = "already putting back"
	} else {
		o.send(loop, record.Command{Kind: record.CmdAbort, Reason: s.String()})
	}
	if say {
		fmt.Fprintf(o.err, "drainboard: %s: %s; once more stops at once\n", s, does)
	}
}

// plainly has the run told in lines.
func (o *operator) plainly(c *console.Console) {
	signal.Ignore(syscall.SIGPIPE) // whoever reads may go: it is no order to leave the nodes as they are
	o.plain, o.screen = true, c.Plainly(o.screen)
}

// interactive drives a run behind the dashboard, or behind questions in lines. Leaving
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
			leave(errAgain) // nobody may be there to press a key
		}
	}()
	go o.heed(loop, ending, screen, leave, &signalled)
	options := o.screen
	options.Snapshots, options.Look = snapshots, loop.Look
	options.Send = func(c record.Command) { o.send(loop, c) }
	exit, err := console.Face{Plain: o.plain}.Show(screen, options)
	leave(nil)
	if err != nil && !errors.Is(err, errHangup) && !errors.Is(err, errAgain) {
		o.send(loop, record.Command{Kind: record.CmdPause, Reason: "the screen failed"})
		stop()
		e := <-ended
		if errors.Is(err, syscall.EIO) || errors.Is(err, io.EOF) { // the terminal went away, and its signal comes too late
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

// heed has signals act on a run behind a screen, until that is left.
func (o *operator) heed(loop *live.Loop, ending *atomic.Bool, screen context.Context, leave func(error), signalled *atomic.Bool) {
	aborted := false
	for {
		select {
		case s := <-o.signals:
			switch {
			case s == syscall.SIGHUP:
				o.send(loop, record.Command{Kind: record.CmdPause, Reason: "the terminal went away"})
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
	errHangup = errors.New("the terminal went away")
	errAgain  = errors.New("told to stop at once")
)
