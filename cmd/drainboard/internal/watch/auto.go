package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// startLimit is how long an update is waited for that has not begun.
const startLimit = engine.WaitForStart

// auto follows an update of a managed node group to its end, and returns how that was. Its events
// are lines or JSON.
func (a *Watch) auto(ctx context.Context, s *session.Session, cluster *session.InCluster) error {
	at, err := s.Find(ctx, a.Group)
	if err != nil {
		return err
	}
	w := a.watching(s)
	w.Events = present.NewPrinter(a.Out, a.JSON, false).Events
	kept := a.keep(w, s.Clock())
	defer kept.close()
	feed := cluster.NodesFirst()
	feed.Begin(ctx)
	v, err := s.Read(ctx, at, w)
	if err != nil {
		return err
	}
	defer v.Queue.Close()
	w.World, w.Queue = v.World, v.Queue
	m := v.World.Group.Managed
	switch {
	case m == nil:
		return exitcode.Usage(fmt.Errorf("watch --auto follows updates of EKS managed node groups, and %s is none: drainboard upgrade %s --auto drives a run, drainboard status %s tells of one", a.Group, a.Group, a.Group))
	case !m.UpdatesKnown && m.UpdatesDenied:
		return exitcode.With(exitcode.Denied, fmt.Errorf("EKS managed node group %s: %s", a.Group, m.UpdatesUnread))
	}
	return a.toTheEnd(ctx, w)
}

// errNoUpdate is how a watch ends for which nothing began.
var errNoUpdate = errors.New("no update has begun")

// toTheEnd runs a watch until what it follows is over.
func (a *Watch) toTheEnd(ctx context.Context, w *live.Watch) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	late := time.AfterFunc(startLimit, func() { stop(errNoUpdate) })
	defer late.Stop()
	waits := true
	w.Publish = func(v *snapshot.Snapshot) {
		switch {
		case v.Strategy == w.Follow.Name() && v.State == record.Finished:
			stop(nil)
		case v.Strategy == w.Follow.Name():
			late.Stop()
		case waits && !v.Partial && w.World.Group.Managed.UpdatesKnown:
			waits = false
			fmt.Fprintf(a.Err, "drainboard: no update of %s is under way; waiting for one, %s at most\n", a.Group, startLimit)
		}
	}
	err := live.Caught(func() error { return w.Run(ctx) })
	run := w.Followed()
	switch {
	case run.State == record.Finished:
		return ended(run)
	case errors.Is(context.Cause(ctx), errNoUpdate) && !w.World.Group.Managed.UpdatesKnown:
		return exitcode.With(exitcode.Unreachable, fmt.Errorf("whether an update of %s is under way could not be read within %s: %s", a.Group, startLimit, w.World.Group.Managed.UpdatesUnread))
	case errors.Is(context.Cause(ctx), errNoUpdate):
		return exitcode.With(exitcode.Paused, fmt.Errorf("no update of %s has begun within %s", a.Group, startLimit))
	case err != nil:
		return exitcode.With(exitcode.Failed, err)
	}
	return exitcode.With(exitcode.Paused, errors.New("the watch was ended before the update was; EKS continues"))
}

// ended is how an update ended, as the exit codes of runs have it.
func ended(run record.Run) error {
	if code := run.ExitCode(); code != 0 {
		return exitcode.Told(code, fmt.Errorf("%s: %s", run.Result, strings.TrimPrefix(run.Why, string(run.Result)+": ")))
	}
	return nil
}
