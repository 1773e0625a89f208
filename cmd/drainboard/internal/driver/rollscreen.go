package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/lines"
)

// errUnseen: the roll ended before any of its runs could be shown.
var errUnseen = errors.New("the roll ended before there was anything to show")

// interactive drives the roll behind one dashboard for all groups, or behind prompts in plain
// lines. Leaving it, or SIGHUP, pauses the runs in progress and holds the roll; an abort,
// SIGTERM and SIGINT end it with the run in progress.
func (r *rollDriver) interactive(ctx context.Context) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	screen, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	from := &operator{screen: r.Screen(ctx, r.context)}
	if r.session != nil {
		from.screen.Log = r.session.Log()
	}
	if r.Plain {
		from.plainly(&r.Console)
	}
	r.screen = newSharedScreen(r.value)
	var signalled atomic.Bool
	ended := make(chan error, 1)
	go func() {
		err := live.Caught(func() error { r.through(ctx); return nil })
		r.screen.close()
		switch {
		case signalled.Load():
			leave(errAgain) // there may be no user to press a key
		case !r.screen.saw():
			leave(errUnseen)
		}
		ended <- err
	}()
	go live.Guarded(func() { r.heed(screen, leave, &signalled) }, nil)()
	options := from.screen
	options.Snapshots, options.Look, options.Send = r.screen.snapshots, r.screen.look, r.send
	if r.sideBySide() {
		options.Turn = r.screen.turn
	}
	show := ui.Run
	if r.Plain {
		show = lines.Run
	}
	exit, err := show(screen, options)
	leave(nil)
	failed := err != nil && !errors.Is(err, errHangup) && !errors.Is(err, errAgain) && !errors.Is(err, errUnseen)
	switch {
	case failed:
		r.hold("the dashboard failed")
	case exit == ui.Interrupted, errors.Is(err, errAgain): // it ends at once
	case exit != ui.Finished:
		r.hold("the dashboard was left")
	}
	if exit != ui.Finished {
		done()
	}
	if crash := <-ended; crash != nil {
		return exitcode.With(exitcode.Failed, crash)
	}
	concluded := r.conclude()
	if failed && !errors.Is(err, syscall.EIO) {
		return exitcode.With(exitcode.Failed, err)
	}
	return concluded
}

// heed gives signals the same meaning as for a single run.
func (r *rollDriver) heed(screen context.Context, leave func(error), signalled *atomic.Bool) {
	aborted := false
	for {
		select {
		case s := <-r.signals:
			switch {
			case s == syscall.SIGHUP:
				r.hold("the terminal was closed")
				leave(errHangup)
			case aborted:
				leave(errAgain)
			default:
				aborted = true
				signalled.Store(true)
				r.sayOfSignal(s)
				r.send(record.Command{Kind: record.CmdAbort, Reason: s.String()})
				if bounded(s) {
					time.AfterFunc(termLimit, func() { leave(errAgain) })
				}
			}
		case <-screen.Done():
			return
		}
	}
}

// sayOfSignal writes what a signal does in plain lines; a dashboard has no place for it.
func (r *rollDriver) sayOfSignal(s os.Signal) {
	if r.Plain {
		fmt.Fprintf(r.Err, "drainboard: %s: aborting; once more stops at once\n", s)
	}
}

// send applies a command of the operator. An abort is for the whole roll.
func (r *rollDriver) send(c record.Command) {
	abort := c.Kind == record.CmdAbort
	r.screen.send(c, abort)
	if abort {
		r.stop("aborted by "+session.User(), exitcode.Aborted)
	}
}

// hold pauses the runs in progress, and starts nothing else.
func (r *rollDriver) hold(reason string) {
	r.screen.pause(reason)
	r.stop("held: "+reason, exitcode.Paused)
}

// sideBySide reports whether several of its groups may be in progress together.
func (r *rollDriver) sideBySide() bool {
	for _, s := range r.rules.Steps {
		if s.AtOnce > 1 {
			return true
		}
	}
	return false
}
