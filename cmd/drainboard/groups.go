package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) groupsCmd() *cobra.Command {
	var o string
	var where backend.Where
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "List the groups, one per line",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			rows, err := a.groups(cmd.Context(), where)
			if err != nil {
				return err
			}
			if asJSON {
				return present.JSON(a.Out, present.GroupsOf(rows))
			}
			return present.WriteGroups(a.Out, rows)
		},
	}
	addWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

func (a *app) groups(ctx context.Context, where backend.Where) ([]present.GroupRow, error) {
	s, err := a.Open(ctx, where, kube.ReadRights(a.Namespace), true)
	if err != nil {
		return nil, err
	}
	return s.List(ctx)
}
