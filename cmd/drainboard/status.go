package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) statusCmd() *cobra.Command {
	var o string
	cmd := &cobra.Command{
		Use:   "status [GROUP]",
		Short: "Take one look at the run of a group, or at all runs",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			group := ""
			if len(args) > 0 {
				group = args[0]
			}
			return a.status(cmd.Context(), group, asJSON)
		},
	}
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

func (a *app) status(ctx context.Context, group string, asJSON bool) error {
	k, err := kube.ConnectReadOnly(ctx, a.flags, version)
	if err != nil {
		return usage(err)
	}
	records, err := k.Records(ctx, a.namespace)
	if err != nil {
		return usage(err)
	}
	nodes, err := k.Nodes(ctx)
	if err != nil {
		return usage(err)
	}
	list := []runStatus{}
	var damaged error
	for _, r := range records {
		if r.Err != nil {
			damaged = errors.Join(damaged, r.Err)
			continue
		}
		if group == "" || r.Run.Group == group {
			of := statusOf(r.Run)
			of.Others = others(nodesOf(r.Run, nodes), r.Run)
			if of.State != engine.Finished {
				var err error
				if of.Driver, _, err = k.Driver(ctx, a.namespace, r.Run.Provider, r.Run.Group); err != nil {
					of.DriverUnknown = err.Error()
				}
			}
			list = append(list, of)
		}
	}
	if group != "" {
		past, err := k.Past(ctx, a.namespace, kube.RecordName(asg.Provider, group))
		if err != nil {
			return usage(err)
		}
		if len(list) == 0 { // whoever edited it may have taken off the marks that records are found by
			if _, found, err := k.Record(a.namespace, asg.Provider, group).Load(ctx); found && err != nil {
				return unreadable(err, group)
			}
		} else {
			list[0].Past = pastOf(past)
		}
	}
	if group != "" && len(list) == 0 {
		return a.noRunYet(ctx, group, asJSON)
	}
	if asJSON {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		if group != "" {
			return enc.Encode(list[0])
		}
		return enc.Encode(list)
	}
	if len(list) == 0 {
		fmt.Fprintln(a.out, "No run yet.")
	}
	for _, s := range list {
		writeStatus(a.out, s, k.Clock().Now())
	}
	if group == "" {
		writeElsewhere(a.out, elsewhere(records, nodes))
	}
	if group == "" && damaged != nil {
		return usage(damaged)
	}
	return nil
}

// noRunYet is the answer for a group without a run: null in JSON. A group that there is
// not is wrong use.
func (a *app) noRunYet(ctx context.Context, group string, asJSON bool) error {
	rows, err := a.groups(ctx)
	if err != nil {
		return usage(fmt.Errorf("group %s has no run, and whether there is such a group cannot be told: %w", group, err))
	}
	if !slices.ContainsFunc(rows, func(g groupRow) bool { return g.Name == group }) {
		return usage(fmt.Errorf("there is no group %s; drainboard groups lists the groups", group))
	}
	if asJSON {
		fmt.Fprintln(a.out, "null")
		return nil
	}
	fmt.Fprintf(a.out, "%s: no run yet; drainboard plan %s shows what one would do\n", group, group)
	return nil
}

// runs are the runs of the groups that have one, as far as their records can be read.
func (s *session) runs(ctx context.Context) (map[string]engine.Run, error) {
	records, err := s.kube.Records(ctx, s.namespace)
	if err != nil {
		return nil, usage(err)
	}
	out := map[string]engine.Run{}
	for _, r := range records {
		if r.Err == nil {
			out[r.Run.Group] = r.Run
		}
	}
	return out, nil
}
