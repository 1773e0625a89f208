package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/watch"
	"github.com/drainboard/drainboard/engine/live"
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
  8 nodes left by choice            9 paused, resumable
  10 not reachable or throttled: try again              11 credentials or rights missing`

// startLimit is how long what a command reads at its start is tried again by default.
const startLimit = 60 * time.Second

func newRoot(in io.Reader, out, errOut io.Writer) *cobra.Command {
	a := &app{Console: console.NewConsole(in, out, errOut), Options: session.Options{Version: version}}
	var f console.Face
	patience := &live.Patience{Tell: a.TellRetry}
	var showVersion bool
	root := &cobra.Command{
		Use:   "drainboard",
		Short: "Roll the nodes of a Kubernetes cluster, and see what blocks them",
		Long: "Drainboard rolls the nodes of a Kubernetes cluster: it shows every node, pod and PodDisruptionBudget (PDB) live,\n" +
			"and lets you approve batches, force evictions, pause and abort. Without a subcommand it lets you pick a group to upgrade.\n\n" + exitCodes,
		Args:          noSuchCommand,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetContext(live.WithPatience(cmd.Context(), patience))
			return checkShared(patience.Limit, a.Namespace)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				return a.version(false)
			}
			return a.pickGroup(cmd, f)
		},
	}
	root.Flags().BoolVar(&f.Plain, "plain", false, console.PlainHelp)
	root.Flags().BoolVar(&showVersion, "version", false, "the same as drainboard version")
	root.SetIn(in)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	a.clusterFlags(root.PersistentFlags())
	root.PersistentFlags().StringVar(&a.Namespace, "record-namespace", kube.Namespace, "namespace of the run records and locks; commands to runs are in NAMESPACE-commands")
	root.PersistentFlags().DurationVar(&patience.Limit, "start-timeout", startLimit, "time to retry the first reads while cluster or cloud is unreachable or throttles")
	a.themeFlag(root)
	root.AddCommand(a.sendCmds()...)
	root.AddCommand(a.upgradeCmd(), a.retireCmd(), a.planCmd(), a.watchCmd(), a.groupsCmd(), a.statusCmd(), a.reportCmd(), a.demoCmd(), a.versionCmd(), completionCmd(), manCmd())
	addHelp(root)
	a.addCompletion(root)
	a.addYAML(root)
	markWrongUse(root)
	return root
}

// markWrongUse marks what a program and its commands refuse in their arguments as wrong use.
func markWrongUse(root *cobra.Command) {
	for _, cmd := range append(root.Commands(), root) {
		if refuses := cmd.Args; refuses != nil {
			cmd.Args = func(cmd *cobra.Command, args []string) error { return exitcode.Usage(refuses(cmd, args)) }
		}
	}
}

// checkShared refuses values of the flags that all commands have.
func checkShared(patience time.Duration, namespace string) error {
	if patience < 0 {
		return exitcode.Usage(fmt.Errorf("--start-timeout: %s is negative", patience))
	}
	if wrong := validation.IsDNS1123Label(kube.CommandsNamespace(namespace)); len(wrong) > 0 {
		return exitcode.Usage(fmt.Errorf("--record-namespace: %q is not a valid namespace name: use lower-case letters, digits and -, short enough for %s", namespace, kube.CommandsNamespace("NAMESPACE")))
	}
	return nil
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

// output reads -o; yaml, which addYAML takes, is among what it names.
func output(o string, also ...string) (asJSON bool, err error) {
	switch o {
	case "", "text":
		return false, nil
	case "json":
		return true, nil
	}
	if slices.Contains(also, o) {
		return false, nil
	}
	return false, exitcode.Usage(fmt.Errorf("-o: %q is not one of %s", o, strings.Join(slices.Concat([]string{"text", "json", "yaml"}, also), ", ")))
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

// someGroup takes the name of a group, or nothing.
func someGroup(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("one GROUP at a time, not %d", len(args))
	}
	return nil
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, so %q is one too many; %[1]s --help tells its flags", cmd.CommandPath(), args[0])
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

// clusterFlags has the flags that choose a cluster: kubectl's.
func (a *app) clusterFlags(fl *pflag.FlagSet) {
	fl.StringVar(&a.Flags.Kubeconfig, "kubeconfig", "", "kubeconfig file (default: what $KUBECONFIG lists, else ~/.kube/config)")
	fl.StringVar(&a.Flags.Context, "context", "", "context of the kubeconfig (default: its current one)")
	fl.StringVar(&a.Flags.Cluster, "cluster", "", "cluster of the kubeconfig, in place of the context's")
}
