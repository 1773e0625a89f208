package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/diff"
	"github.com/drainboard/drainboard/engine/strategy"
)

// resume resumes a run that another process left.
func (d *driver) resume(ctx context.Context, run record.Run) error {
	run, err := d.mayResume(ctx, run)
	if err != nil {
		return err
	}
	ignored := d.Given
	if d.asksForPace(run) {
		ignored = slices.DeleteFunc(slices.Clone(ignored), func(flag string) bool { return slices.Contains(paceFlags, flag) })
	}
	found := present.Standing(run, d.session.Clock().Now(), ignored, d.Auto && d.Abort == nil)
	if !d.Auto {
		fmt.Fprintf(d.Out, "%s / %s: the unfinished run %s\n  %s\n", d.session.Cluster(), d.Group, run.ID, strings.Join(found, "\n  "))
	}
	if !d.Auto && !d.Yes && !d.Ask(ctx, d.Marked(d.session.Context(), "Resume? [y/N] ")) {
		return exitcode.With(exitcode.Aborted, fmt.Errorf("nothing was done; %s aborts the run, %s shows it", d.Line.Command("abort", d.Group), d.Line.Command(d.session.Shows(), d.Group)))
	}
	if d.asksForPace(run) {
		if err := d.agreesToPace(ctx, run); err != nil {
			return err
		}
	}
	now := d.session.Clock().Now() // the user may have taken time to answer
	history := diff.Between(record.Run{}, run)
	if run.State == record.Planned {
		run = engine.Start(run, now, session.User())
	}
	d.keep(run, nil)
	going := record.Event{Time: now, Run: run.ID, Group: d.Group, Type: record.RunStarted, Reason: "resumed", Message: resumed(found)}
	d.events(going)
	if !d.Plain { // plain lines have shown it before the answer
		d.before = append(history, going)
	}
	run, first := d.firstCommands(run)
	return d.drive(ctx, engine.TakeOver(run, now), first)
}

// mayResume returns the run as this process may resume it, or why it may not.
func (d *driver) mayResume(ctx context.Context, run record.Run) (record.Run, error) {
	rules, err := strategy.Named(run.Strategy)
	if err != nil {
		return run, exitcode.Usage(fmt.Errorf("the unfinished run %s cannot be resumed: %w", run.ID, err))
	}
	d.rules = rules
	if err := d.at.Fits(rules); err != nil {
		return run, exitcode.Usage(fmt.Errorf("the unfinished run %s cannot be resumed with these flags: %w", run.ID, err))
	}
	if flag := d.Contradicts(run.Target); flag != "" {
		return run, exitcode.Usage(fmt.Errorf("the unfinished run %s keeps its own settings, which %s contradicts: omit the flag to resume", run.ID, flag))
	}
	if run.Settings.OnDrainTimeout == record.TimeoutForce && run.State != record.Ending && d.Abort == nil { // the user who started it may have had other rights
		if err := d.session.MayForce(ctx); err != nil {
			return run, exitcode.Usage(fmt.Errorf("the unfinished run %s forces pods past the drain timeout: %w", run.ID, err))
		}
	}
	if err := d.Adopt(&run); err != nil && d.Abort == nil { // nothing new starts in an ending run
		return run, exitcode.Usage(err)
	}
	if run, err = d.fit(ctx, run); err != nil {
		return run, err
	}
	if run, err = d.repaced(ctx, run); err != nil {
		return run, err
	}
	if d.roll == "" {
		d.roll = run.Roll
	}
	run.Roll = d.roll
	return d.managedTerms(run), nil
}

// firstCommands returns the first commands for a resumed run: an abort, or a resume of a paused
// run, unless a canary's trouble holds it, and the approval of a waiting batch where this process does not prompt for it.
func (d *driver) firstCommands(run record.Run) (record.Run, []record.Command) {
	var first []record.Command
	switch {
	case d.Abort != nil && run.State != record.Ending:
		return run, []record.Command{*d.Abort}
	case run.State == record.Paused && !run.Canary.Holds():
		first = append(first, record.Command{Kind: record.CmdResume})
	}
	if d.Auto {
		run.Settings.Approve = record.ApproveNone
		if b, waiting := run.Waiting(); waiting {
			first = append(first, record.Command{Kind: record.CmdApprove, Batch: b.ID, Hash: b.Hash})
		}
	}
	return run, first
}

// resumed returns who resumed the run, and its state.
func resumed(found []string) string {
	return "resumed by " + session.User() + ": " + strings.Join(found, "; ")
}
