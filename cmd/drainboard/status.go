package main

import (
	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/status"
)

func (a *app) statusCmd() *cobra.Command {
	var o string
	var where backend.Where
	cmd := &cobra.Command{
		Use:   "status [GROUP]",
		Short: "Show the state of a group's run, or of all runs, once",
		Args:  someGroup,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			once := &status.Status{Out: a.Out, Options: a.Options, Where: where, JSON: asJSON}
			if len(args) > 0 {
				once.Group = args[0]
			}
			return once.Run(cmd.Context())
		},
	}
	flags.AddWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(flags.ByKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text, json or yaml")
	return cmd
}
