package driver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/strategy"
)

// retire drives a run that retires what the last run of the group, which has ended, left of its
// surge.
func (d *driver) retire(ctx context.Context, ended record.Run) error {
	rules, err := strategy.Named(ended.Strategy)
	if err != nil && ended.ID != "" {
		return exitcode.Usage(err)
	}
	run, some := record.Run{}, false
	if ended.ID != "" && check.OtherGroup(&ended, d.view.World) == "" {
		run, some = engine.PlanRetirement(rules, ended, d.view.World, session.RunID(d.Group, d.session.Clock().Now()), rand.Uint64())
	}
	if !some {
		fmt.Fprintf(d.Err, "%s: no run has left the group larger, nothing to retire\n", d.Group)
		return nil
	}
	run.Cluster = ended.Cluster
	if !d.Auto && !d.Yes {
		sizes := d.view.World.Group.Sizes
		what, _ := run.RaiseText(run.Inherited)
		fmt.Fprintf(d.Out, "%s: %s.\n", d.Group, what)
		if n := run.Excess(sizes.Min); n > 0 {
			fmt.Fprintf(d.Out, "New nodes beyond it are drained under all rules, %d at once, and terminated; desired %d → %d.\n", run.Limit, sizes.Desired, sizes.Desired-n)
		}
		if !d.Ask(ctx, d.Marked(d.session.Context(), "Take it back? [y/N] ")) {
			return exitcode.With(exitcode.Aborted, errors.New("not started"))
		}
	}
	if _, err := d.lease.Record.Keep(ctx, ""); err != nil {
		return exitcode.Usage(err)
	}
	d.rules = rules
	now := d.session.Clock().Now() // the answer may have taken its time
	run = engine.Start(run, now, session.User())
	d.keep(run, nil)
	d.events(record.Event{Time: now, Run: run.ID, Group: d.Group, Type: record.RunStarted, Reason: run.By, Message: "started by " + run.By})
	return d.drive(ctx, run, nil)
}
