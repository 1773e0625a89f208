package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/driver"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/sim/script"
)

// fastest is the largest --speed: above it the engine's own speed is the limit.
const fastest = 1000

// demo is one call of `drainboard demo`.
type demo struct {
	console.Face
	app      *app
	provider string
	scenario string // "" is the provider's own
	speed    float64
	seed     uint64
	tour     bool
	output   string
}

func (a *app) demoCmd() *cobra.Command {
	d := demo{app: a}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The dashboard on a simulated cluster: no Kubernetes, no cloud",
		Long: "An upgrade of a simulated cluster, by the same engine that rolls real ones, in accelerated time.\n" +
			"Nothing is read, changed or saved; q quits. The log shows what other users do to the cluster; w makes one of\n" +
			"them scale up the workload that a PDB blocks.\n\nScenarios:\n" + scenarios() + "\n" + exitCodes,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&d.provider, "provider", "asg", "provider of the group, which decides its rules: asg or kops")
	fl.StringVar(&d.scenario, "scenario", "", "the cluster and what happens to it (default prod; with --provider kops: kops); list: the names of all")
	fl.Float64Var(&d.speed, "speed", 20, "simulated seconds per real second")
	fl.Uint64Var(&d.seed, "seed", 1, "seed of all random choices, including the order of the nodes")
	fl.BoolVar(&d.tour, "tour", false, "explain the screen in six steps")
	fl.BoolVar(&d.Auto, "auto", false, "headless: no prompts, one line per event, exit code by result")
	fl.BoolVar(&d.Plain, "plain", false, console.PlainHelp)
	fl.StringVarP(&d.output, "output", "o", "text", "events of --auto as text, json or yaml")
	a.themeFlag(cmd)
	return cmd
}

// scenarios lists the built-in scenarios, one line each.
func scenarios() string {
	var out strings.Builder
	for _, s := range script.Scenarios() {
		fmt.Fprintf(&out, "  %-8s %s\n", s.Name, s.About)
	}
	return out.String()
}

func (d *demo) run(ctx context.Context) error {
	if d.scenario == "list" {
		_, err := fmt.Fprint(d.app.Out, scenarios())
		return err
	}
	asJSON, err := output(d.output)
	if err != nil {
		return err
	}
	if d.speed <= 0 || d.speed > fastest {
		return exitcode.Usage(fmt.Errorf("--speed: %g is out of range: more than 0, at most %d", d.speed, fastest))
	}
	s, err := d.named()
	if err != nil {
		return exitcode.Usage(err)
	}
	if d.tour && (d.Auto || d.Plain) {
		return exitcode.Usage(fmt.Errorf("--tour explains the dashboard; omit --auto and --plain"))
	}
	if d.Face, err = d.Fit(asJSON); err != nil {
		return err
	}
	if err := d.app.CheckTheme(); err != nil {
		return err
	}
	script, err := s.Open(d.seed, d.Auto)
	if err != nil {
		return err
	}
	plan := script.Plan("demo-" + s.Name)
	if err := present.CannotStart(plan); err != nil {
		return err
	}
	drive := driver.Demo{Console: d.app.Console, Face: d.Face, Speed: d.speed, JSON: asJSON, Tour: d.tour}
	return drive.Drive(ctx, plan, realtime.New(script.Sim, d.speed))
}

// named returns the requested scenario.
func (d *demo) named() (script.Scenario, error) {
	own := map[string]string{"asg": "prod", "kops": "kops"}[d.provider]
	if own == "" {
		return script.Scenario{}, fmt.Errorf("--provider: %q is not supported; choose asg or kops", d.provider)
	}
	s, err := script.Named(cmp.Or(d.scenario, own))
	switch {
	case err != nil:
		return s, fmt.Errorf("--scenario: %w", err)
	case d.scenario != "" && d.scenario != own && d.provider == "kops":
		return s, fmt.Errorf("--scenario %s: not a kops cluster; omit --provider", d.scenario)
	}
	return s, nil
}
