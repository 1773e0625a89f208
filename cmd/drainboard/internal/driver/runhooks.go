package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/providers/hooks"
)

// lastCalls is how long the end of the process waits for pending hook calls.
const lastCalls = 30 * time.Second

// patience is how long it does so without a message.
const patience = 2 * time.Second

// runHooks accompanies a run without ever delaying it: hooks that are notified of it, and its
// metrics.
type runHooks struct {
	hooks    *config.Hooks
	notifier *hooks.Notifier
	runner   *hooks.Runner
	metrics  *metricsServer // nil: none are served
	notices  notices
}

// accompany starts to notify hooks of the driver's events.
func (d *driver) accompany() {
	cluster := d.session.Cluster()
	b := &runHooks{hooks: &d.Hooks, metrics: d.metrics}
	b.notifier = hooks.NewNotifier(d.List, cluster, func(reason, message string) {
		b.notices.add(record.Event{Type: record.Warning, Reason: reason, Message: message})
	})
	b.runner = &hooks.Runner{Hooks: d.List, Cluster: cluster, Now: d.session.Clock().Now}
	d.listeners = append(d.listeners, b.notifier.Events)
	if b.metrics != nil {
		b.metrics.SetClock(d.session.Clock().Now)
		d.listeners = append(d.listeners, b.metrics.Events)
	}
	if d.trace != nil {
		d.trace.SetCluster(cluster)
		d.listeners = append(d.listeners, d.trace.Events)
	}
	d.hooks = b
}

// attend makes the loop of a run carry out the hooks around nodes, and measures it. It
// returns a reader of each snapshot, or nil.
func (b *runHooks) attend(loop *live.Loop, run record.Run) func(*snapshot.Snapshot) {
	b.runner.Run = run.ID
	loop.Executor = withHooks{loop.Executor, b.runner}
	b.notices.to(loop.Tell)
	see := func(s *snapshot.Snapshot) { b.notifier.See(s) }
	if m := b.metrics; m != nil {
		loop.Executor, loop.Took = m.Executor(loop.Executor), m.Took
		see = func(s *snapshot.Snapshot) {
			b.notifier.See(s)
			m.See(s)
		}
	} else if !waitsForBlocked(b.hooks.List) {
		return nil
	}
	return see
}

func waitsForBlocked(list []hooks.Hook) bool {
	for i := range list {
		if list[i].Wants(hooks.Blocked) {
			return true
		}
	}
	return false
}

// over notes that the loop has ended and sends no more events.
func (b *runHooks) over() { b.notices.hold() }

// close waits a while for pending calls; a signal ends that.
func (d *driver) close() {
	d.hooks.notices.to(func(e record.Event) bool {
		fmt.Fprintln(d.Err, "drainboard: "+e.Message)
		return true
	})
	ctx, cancel := context.WithTimeout(context.Background(), lastCalls)
	defer cancel()
	told := time.AfterFunc(patience, func() {
		fmt.Fprintf(d.Err, "drainboard: waiting for pending hook calls, at most %s; ctrl-c skips them\n", lastCalls)
	})
	defer told.Stop()
	go func() {
		select {
		case <-d.signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	d.hooks.notifier.Close(ctx)
}

// withHooks carries out hooks, and passes on all other actions.
type withHooks struct {
	live.Executor
	hooks *hooks.Runner
}

func (e withHooks) Do(ctx context.Context, a record.Action) record.Outcome {
	if a.Kind == record.RunHook {
		return e.hooks.Do(ctx, a)
	}
	return e.Executor.Do(ctx, a)
}
