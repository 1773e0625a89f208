package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/watch"
)

func (a *app) watchCmd() *cobra.Command {
	var where backend.Where
	var f console.Face
	var format string
	cmd := &cobra.Command{
		Use:   "watch [GROUP]",
		Short: "Watch a group and its run, driven on any machine; read-only",
		Long: "A read-only dashboard of a group and its run, driven on any machine. It shows a run as soon as it starts,\n" +
			"and how it ends. It sends read requests only; q quits at any time. Without GROUP it lets you pick one.\n\n" +
			"With --plain the output is plain lines: the state of the group, then its events, until ctrl-c. An empty line lists what\n" +
			"can be shown. Plain lines are also used with TERM=dumb, or when input or output is not a terminal; the watch continues\n" +
			"after the end of an input that is not a terminal.\n\n" +
			"An update of an EKS managed node group is followed, whichever tool started it. With --auto it is followed to its end: one line per\n" +
			"event (-o json: one object), and the exit code says how it ended:\n" +
			"  0 EKS reports success        1 failed, or cancelled       4 PodEvictionFailure\n" +
			"  5 NodeCreationFailure        8 nodes that were to be replaced are still there\n" +
			"  9 no update began, or the watch was ended first; EKS continues\n" +
			"  2, 10, 11 as of upgrade",
		Args: someGroup,
		RunE: func(cmd *cobra.Command, args []string) error {
			if where.CloudOnly {
				return exitcode.Usage(fmt.Errorf("watch --cloudonly: a run without Kubernetes is recorded on the disk of the machine that drives it, and cannot be watched; run drainboard status --cloudonly there"))
			}
			asJSON, err := output(format)
			if err != nil {
				return err
			}
			switch {
			case asJSON && !f.Auto:
				return exitcode.Usage(fmt.Errorf("-o json and -o yaml require --auto: a dashboard has neither"))
			case f.Auto && f.Plain:
				return exitcode.Usage(fmt.Errorf("--auto ends with the update, --plain does not: choose one"))
			case f.Auto && len(args) == 0:
				return exitcode.Usage(fmt.Errorf("watch --auto does not ask for a group: name a GROUP"))
			}
			ctx, stop := console.UntilSignalled(cmd.Context())
			defer stop()
			board := &watch.Watch{Console: a.Console, Face: f.ReadOnly(), Options: a.Options, Where: where, JSON: asJSON}
			if len(args) > 0 {
				board.Group = args[0]
			}
			return board.Run(ctx)
		},
	}
	flags.AddWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(flags.ByKopsName)
	cmd.Flags().BoolVar(&f.Auto, "auto", false, "follow an update of an EKS managed node group to its end: one line per event, exit code by result")
	cmd.Flags().StringVarP(&format, "output", "o", "text", "events of --auto as text, json or yaml")
	cmd.Flags().BoolVar(&f.Plain, "plain", false, console.PlainHelp)
	a.themeFlag(cmd)
	return cmd
}
