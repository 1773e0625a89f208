package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/utils/ptr"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/watch"
	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/ui"
)

// app has what all subcommands share.
type app struct {
	console.Console
	session.Options
}

const exitCodes = `Exit codes:
  0 done, nothing to do included    1 failed              2 wrong use or configuration
  3 aborted by the operator         4 PodEvictionFailure  5 NodeCreationFailure
  6 another run holds the group     7 ClusterValidationFailure
  8 nodes left by choice            9 paused, resumable`

func newRoot(in io.Reader, out, errOut io.Writer) *cobra.Command {
	flags := &genericclioptions.ConfigFlags{
		KubeConfig:  ptr.To(""),
		Context:     ptr.To(""),
		ClusterName: ptr.To(""),
	}
	a := &app{Console: console.NewConsole(in, out, errOut), Options: session.Options{Flags: flags, Version: version}}
	var f console.Face
	root := &cobra.Command{
		Use:   "drainboard",
		Short: "Roll the nodes of a Kubernetes cluster, and see what blocks them",
		Long: "Drainboard rolls the nodes of a Kubernetes cluster: it shows every node, pod and PodDisruptionBudget (PDB) live,\n" +
			"and lets you approve batches, force evictions, pause and abort. Without a subcommand it lets you pick a group to upgrade.\n\n" + exitCodes,
		Args:          noSuchCommand,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.pickGroup(cmd, f) },
	}
	root.Flags().BoolVar(&f.Plain, "plain", false, console.PlainHelp)
	root.SetIn(in)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	flags.AddFlags(root.PersistentFlags())
	root.PersistentFlags().StringVar(&a.Namespace, "record-namespace", kube.Namespace, "namespace of the run records and locks; commands to runs are in NAMESPACE-commands")
	a.themeFlag(root)
	root.AddCommand(a.sendCmds()...)
	root.AddCommand(a.upgradeCmd(), a.planCmd(), a.watchCmd(), a.groupsCmd(), a.statusCmd(), a.reportCmd(), a.demoCmd(), a.versionCmd())
	return root
}

// pickGroup lets the user pick a group and upgrades it.
func (a *app) pickGroup(cmd *cobra.Command, f console.Face) error {
	f, err := f.Fit(false)
	if err != nil {
		return exitcode.Usage(errors.New("not a terminal: name a subcommand (drainboard --help lists them), or use --plain"))
	}
	if err := a.CheckTheme(); err != nil {
		return err
	}
	ctx, stop := cmd.Context(), context.CancelFunc(func() {})
	if !f.Plain { // before the dashboard is drawn a signal ends the process: nothing has started
		ctx, stop = console.UntilSignalled(ctx)
	}
	defer stop()
	s, _, err := a.Connect(ctx, backend.Where{}, kube.ReadRights(a.Namespace), true)
	if err != nil {
		return console.Left(ctx, err)
	}
	var o ui.Options
	if f.Plain {
		o = a.Plainly(o)
	} else {
		o = a.Screen(ctx, s.Context())
	}
	name, err := watch.PickGroup(ctx, f, s, o)
	if ctx.Err() != nil || err != nil || name == "" {
		return console.Left(ctx, err)
	}
	stop()
	upgrade := a.upgradeCmd()
	upgrade.SetContext(cmd.Context())
	if f.Plain {
		if err := upgrade.Flags().Set("plain", "true"); err != nil {
			return err
		}
	}
	return upgrade.RunE(upgrade, []string{name})
}

func (a *app) versionCmd() *cobra.Command {
	var o string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			if asJSON {
				return present.JSON(a.Out, api.Version{Version: version})
			}
			_, err = fmt.Fprintln(a.Out, "drainboard "+version)
			return err
		},
	}
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// output reads -o.
func output(o string) (asJSON bool, err error) {
	switch o {
	case "", "text":
		return false, nil
	case "json":
		return true, nil
	}
	return false, exitcode.Usage(fmt.Errorf("-o: %q is not one of text, json", o))
}

// oneGroup takes one argument, the name of a group.
func oneGroup(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("name a GROUP (drainboard groups lists them)")
	case len(args) > 1:
		return fmt.Errorf("one GROUP at a time, not %d", len(args))
	}
	return nil
}

// oneRun takes one argument: a run, a group, or a file.
func oneRun(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("name a RUN, or a GROUP for its last run (drainboard groups lists the groups)")
	}
	return nil
}

// noSuchCommand refuses arguments of the program itself, which were meant as subcommands.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	why := fmt.Sprintf("unknown subcommand %q", args[0])
	if cmd.SuggestionsMinimumDistance == 0 {
		cmd.SuggestionsMinimumDistance = 2
	}
	if meant := cmd.SuggestionsFor(args[0]); len(meant) > 0 {
		return fmt.Errorf("%s; did you mean %s?", why, strings.Join(meant, " or "))
	}
	return fmt.Errorf("%s; drainboard --help lists them", why)
}
