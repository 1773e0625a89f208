package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

// paceFlags are the flags that set the pace of a group's own controller.
var paceFlags = []string{"--max-surge", "--max-unavailable"}

// asksForPace reports whether a resumed run is to have another pace: the one setting that flags
// change in an unfinished run, for it is how a roll under way is slowed down.
func (d *driver) asksForPace(run record.Run) bool {
	return d.Abort == nil && run.State != record.Ending && run.Strategy == (strategy.GardenerFollow{}).Name() &&
		slices.ContainsFunc(d.Given, func(flag string) bool { return slices.Contains(paceFlags, flag) })
}

// repaced is a run with the pace that the flags ask for.
func (d *driver) repaced(ctx context.Context, run record.Run) (record.Run, error) {
	if d.asksForPace(run) {
		if err := d.settle(ctx); err != nil {
			return run, err
		}
		run.Settings.Pace, run.PaceOver = d.terms.Settings.Pace, false
	}
	if d.Abort != nil || run.Settings.Pace == nil && run.Pace == nil {
		return run, nil // an abort names what it may not restore
	}
	p := snapshot.Plan{Run: run}
	p.Rights = d.at.Rights(ctx, d.rules, d.view.World, &p)
	return run, cannotStart(p, d.Auto)
}

// agreesToPace asks whether the Shoot may be changed, unless nobody is to be asked or a run changes
// nothing there.
func (d *driver) agreesToPace(ctx context.Context, run record.Run) error {
	change := present.PaceChange(run, d.view.World.Group.Pool)
	if d.Auto || d.Yes || d.Abort != nil || change == "" || d.Ask(ctx, d.Marked(d.session.Context(), fmt.Sprintf("%s until the run ends? [y/N] ", change))) {
		return nil
	}
	return exitcode.With(exitcode.Aborted, errors.New("not started: the Shoot was not changed"))
}
