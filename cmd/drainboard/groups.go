package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) groupsCmd() *cobra.Command {
	var o string
	var noHeaders bool
	var where backend.Where
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "List the groups, one per line",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := output(o, "wide", "name")
			if err != nil {
				return err
			}
			s, err := a.Open(cmd.Context(), where, kube.ReadRights(a.Namespace), true)
			if err != nil {
				return err
			}
			rows, err := s.List(cmd.Context())
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				return present.JSON(a.Out, present.GroupsOf(rows))
			case o == "name":
				return present.WriteGroupNames(a.Out, rows)
			case len(rows) == 0:
				return a.noGroups(cmd.Context(), s)
			}
			return present.WriteGroups(a.Out, rows, !noHeaders)
		},
	}
	flags.AddWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(flags.ByKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text (wide is the same), name, json or yaml")
	cmd.Flags().BoolVar(&noHeaders, "no-headers", false, "omit the header line")
	return cmd
}

// noGroups says why there is no group: that the cluster has no nodes, or that nobody's group
// owns one.
func (a *app) noGroups(ctx context.Context, s *session.Session) error {
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return exitcode.Usage(err)
	}
	_, err = fmt.Fprintln(a.Err, present.NoGroups(len(nodes), s.Groups.Region(), backend.RegionOf(nodes)))
	return err
}
