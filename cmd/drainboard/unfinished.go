package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
)

// resume goes on with a run that another process left.
func (d *driver) resume(ctx context.Context, run record.Run) error {
	rules, err := strategy.Named(run.Strategy)
	if err != nil {
		return exitcode.Usage(fmt.Errorf("the unfinished run %s cannot be resumed: %w", run.ID, err))
	}
	d.rules = rules
	if err := d.at.Fits(rules); err != nil {
		return exitcode.Usage(fmt.Errorf("the unfinished run %s does not go on here: %w", run.ID, err))
	}
	if flag := d.contradicts(run.Target); flag != "" {
		return exitcode.Usage(fmt.Errorf("the unfinished run %s goes on as it was started, and %s says something else: leave it out to go on", run.ID, flag))
	}
	if run.Settings.OnDrainTimeout == record.TimeoutForce && run.State != record.Ending && d.abort == nil { // whoever began it may have had other rights
		if err := d.session.MayForce(ctx); err != nil {
			return exitcode.Usage(fmt.Errorf("the unfinished run %s forces what keeps a node past its deadline: %w", run.ID, err))
		}
	}
	if err := d.Adopt(&run); err != nil && d.abort == nil { // nothing new starts in a run that ends
		return exitcode.Usage(err)
	}
	run, err = d.fit(ctx, run)
	if err != nil {
		return err
	}
	if d.roll == "" {
		d.roll = run.Roll
	}
	run.Roll = d.roll
	found := present.Standing(run, d.session.Clock().Now(), d.given, d.Auto && d.abort == nil)
	if !d.Auto {
		fmt.Fprintf(d.app.Out, "%s / %s: the unfinished run %s\n  %s\n", d.session.Cluster(), d.group, run.ID, strings.Join(found, "\n  "))
	}
	if !d.Auto && !d.yes && !d.app.Ask(ctx, d.app.Marked(d.session.Context(), "Go on? [y/N] ")) {
		return exitcode.With(exitcode.Aborted, fmt.Errorf("nothing was done; %s puts the run back, %s shows it", d.line.Command("abort", d.group), d.line.Command(d.session.Shows(), d.group)))
	}
	now := d.session.Clock().Now() // the answer may have taken its time
	history := record.RecordDiff(record.Run{}, run)
	if run.State == record.Planned {
		run = engine.Start(run, now, who())
	}
	d.keep(run, nil)
	going := record.Event{Time: now, Run: run.ID, Group: d.group, Type: record.RunStarted, Reason: "resumed", Message: resumed(found)}
	d.events(going)
	if !d.Plain { // lines stay, and were read before the answer
		d.before = append(history, going)
	}
	var first []record.Command
	switch {
	case d.abort != nil && run.State != record.Ending:
		return d.drive(ctx, engine.TakeOver(run, now), []record.Command{*d.abort})
	case run.State == record.Paused:
		first = append(first, record.Command{Kind: record.CmdResume})
	}
	if d.Auto {
		run.Settings.Approve = record.ApproveNone
		if b, waiting := run.Waiting(); waiting {
			first = append(first, record.Command{Kind: record.CmdApprove, Batch: b.ID, Hash: b.Hash})
		}
	}
	return d.drive(ctx, engine.TakeOver(run, now), first)
}

// resumed says who goes on with what.
func resumed(found []string) string {
	return "resumed by " + who() + ": " + strings.Join(found, "; ")
}

// given are the flags on the command line that make a run's settings and target.
func given(cmd *cobra.Command) (names []string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !slices.Contains(slices.Concat(hookFlagNames, scopeFlagNames, []string{"auto", "plain", "yes", "dry-run", "output", "theme", "metrics", "record", "provider", "cluster-name", "state", "cloudonly", "garden-kubeconfig", "shoot", "control-kubeconfig", "control-namespace"}), f.Name) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// contradicts names the flag that asks for other nodes, or to make something else
// of them, than an unfinished run does; "" if none. The same command line as before
// goes on with its run; $Latest and $Default may have meant another version then.
func (f *rollFlags) contradicts(t record.Target) string {
	var only []string // as makePlan keeps them
	for _, name := range f.only {
		if name = strings.TrimSpace(name); !slices.Contains(only, name) {
			only = append(only, name)
		}
	}
	version, err := strconv.ParseInt(f.templateVersion, 10, 64)
	switch {
	case len(only) > 0 && !slices.Equal(slices.Sorted(slices.Values(only)), slices.Sorted(slices.Values(t.Only))):
		return "--only " + strings.Join(only, ",")
	case f.ami != "" && f.ami != t.Image:
		return "--ami " + f.ami
	case err == nil && (len(t.Templates) == 0 || t.Templates[0].Version != version):
		return "--launch-template-version " + f.templateVersion
	}
	return ""
}
