package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/driver"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/engine/live"
)

func (a *app) upgradeCmd() *cobra.Command {
	var u upgradeFlags
	cmd := &cobra.Command{
		Use:   "upgrade GROUP...",
		Short: "Plan an upgrade, then run it; resumes the group's unfinished run if there is one",
		Long: "Plan an upgrade of a group, then run it. An unfinished run of the group is resumed. Several groups, or --all, are rolled one\n" +
			"after another, in their provider's order.\n\n" + console.PlainLong + "\n\n" + exitCodes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := u.scope.Take(args); err != nil {
				return err
			}
			return a.upgrade(cmd, &u)
		},
	}
	flags.AddScope(cmd, &u.scope)
	fl := cmd.Flags()
	fl.BoolVar(&u.Auto, "auto", false, "headless: no prompts, one line per event, exit code by result")
	fl.BoolVar(&u.Plain, "plain", false, console.PlainHelp)
	fl.BoolVarP(&u.yes, "yes", "y", false, "do not prompt at the start")
	fl.BoolVar(&u.dryRun, "dry-run", false, "the same as plan")
	fl.StringVarP(&u.output, "output", "o", "text", "events of --auto as text, json or yaml")
	fl.StringVar(&u.record, "record", "", recordHelp)
	a.themeFlag(cmd)
	fl.DurationVar(&u.recordLimit, "record-timeout", live.RecordLimit, "time the run record may be unwritable before the run pauses")
	fl.StringVar(&u.metrics, "metrics", "", "serve Prometheus metrics at /metrics while the run is driven: a port (of this machine only) or HOST:PORT")
	fl.StringVar(&u.metricsPush, "metrics-push", "", "URL of a Pushgateway that gets the metrics when the process ends")
	fl.StringVar(&u.metricsFile, "metrics-file", "", "file.prom that gets the metrics when the process ends, for the node exporter's textfile collector")
	u.Add(cmd)
	return cmd
}

const recordHelp = "how to handle an unfinished run whose record is damaged or no longer matches the group: fitting or discard (docs/guide/resume.md)"

// minRecordLimit is long enough to tell a record that cannot be written from one failed write.
const minRecordLimit = 5 * time.Second

// upgradeFlags are the flags of `drainboard upgrade`.
type upgradeFlags struct {
	flags.Roll
	console.Face
	scope       planner.Scope
	yes, dryRun bool
	output      string
	recordLimit time.Duration // see live.Loop
	metrics     string        // address, "" for none
	metricsPush string        // a Pushgateway, "" for none
	metricsFile string        // "" for none
	record      string        // see driver.CheckRecordChoice
}

// upgrade checks the flags as far as possible without a cluster, and drives.
func (a *app) upgrade(cmd *cobra.Command, u *upgradeFlags) error {
	var ofPlans []string
	if u.dryRun {
		ofPlans = []string{"wide"}
	}
	asJSON, err := output(u.output, ofPlans...)
	if err != nil {
		return err
	}
	if u.dryRun {
		u.Wide = u.output == "wide"
		return a.plan(cmd, &u.scope, &u.Roll, u.Auto, asJSON)
	}
	if u.Face, err = u.Fit(asJSON); err != nil {
		return err
	}
	if err := driver.CheckRecordChoice(u.record); err != nil {
		return err
	}
	if u.recordLimit < minRecordLimit {
		return exitcode.Usage(fmt.Errorf("--record-timeout: %s is less than %s", u.recordLimit, minRecordLimit))
	}
	if u.scope.IsRoll() {
		if err := u.FitsSeveral(cmd); err != nil {
			return err
		}
	}
	if err := a.CheckTheme(); err != nil {
		return err
	}
	if err := u.Check(); err != nil {
		return exitcode.Usage(err)
	}
	_, settings, err := u.Rules(cmd, u.Auto)
	if err != nil {
		return exitcode.Usage(err)
	}
	return a.driven(cmd, u, asJSON).Run(cmd.Context(), settings)
}

// driven returns the upgrade that the flags ask for.
func (a *app) driven(cmd *cobra.Command, u *upgradeFlags, asJSON bool) *driver.Upgrade {
	d := &driver.Upgrade{
		Console: a.Console, Face: u.Face, Request: u.Request(cmd, u.Auto), Options: a.Options, Scope: u.scope, Where: u.Where, Given: flags.Given(cmd),
		Yes: u.yes, JSON: asJSON, RecordLimit: u.recordLimit, RecordChoice: u.record, Metrics: u.metrics, MetricsPush: u.metricsPush, MetricsFile: u.metricsFile,
	}
	if !u.scope.IsRoll() {
		d.Vary = func(at backend.Group) ([]planner.Variation, error) { return u.Variations(cmd, at) }
		d.Group = u.scope.Named[0]
	}
	return d
}
