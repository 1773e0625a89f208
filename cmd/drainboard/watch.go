package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/watch"
)

func (a *app) watchCmd() *cobra.Command {
	var where backend.Where
	var f console.Face
	cmd := &cobra.Command{
		Use:   "watch [GROUP]",
		Short: "Look at a group and at the run in it, wherever that is driven; changes nothing",
		Long: "The dashboard, to look at: a group as it is, and the run in it, wherever that is driven. It shows a run as soon as it\n" +
			"starts and how it ends, and sends nothing but reads, so q leaves at any moment. Without GROUP it lets you pick one.\n\n" +
			"With --plain everything is told in lines: how the group stands, then what comes, until ctrl-c. An empty line tells what\n" +
			"can be looked at. Lines are also what you get with TERM=dumb, or when the input or the output is no terminal; an input\n" +
			"that is none may end, and the watch goes on.",
		Args: someGroup,
		RunE: func(cmd *cobra.Command, args []string) error {
			if where.CloudOnly {
				return exitcode.Usage(fmt.Errorf("watch --cloudonly: a run without Kubernetes has its record on the disk of the machine that drives it, and cannot be watched from elsewhere; drainboard status --cloudonly takes one look there"))
			}
			ctx, stop := console.UntilSignalled(cmd.Context())
			defer stop()
			look := &watch.Watch{Console: a.Console, Face: f.Looking(), Options: a.Options, Where: where}
			if len(args) > 0 {
				look.Group = args[0]
			}
			return look.Run(ctx)
		},
	}
	addWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().BoolVar(&f.Plain, "plain", false, console.PlainHelp)
	a.themeFlag(cmd)
	return cmd
}
