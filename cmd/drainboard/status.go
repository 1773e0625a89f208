package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) statusCmd() *cobra.Command {
	var o string
	var where backend.Where
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
			if where.CloudOnly {
				return a.statusCloudOnly(cmd.Context(), where, group, asJSON)
			}
			return a.status(cmd.Context(), where, group, asJSON)
		},
	}
	addWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

func (a *app) status(ctx context.Context, where backend.Where, group string, asJSON bool) error {
	if _, err := where.Fill(); err != nil {
		return exitcode.Usage(err)
	}
	k, err := kube.ConnectReadOnly(ctx, a.flags, version)
	if err != nil {
		return exitcode.Usage(err)
	}
	records, err := k.Records(ctx, a.namespace)
	if err != nil {
		return exitcode.Usage(err)
	}
	nodes, err := k.Nodes(ctx)
	if err != nil {
		return exitcode.Usage(err)
	}
	if group != "" {
		group = recorded(records, group)
	}
	list := []present.Status{}
	pool := false
	var damaged error
	for _, r := range records {
		if r.Err != nil {
			damaged = errors.Join(damaged, r.Err)
			continue
		}
		if group == "" || r.Run.Group == group {
			of := present.StatusOf(r.Run)
			of.Others = present.Others(present.NodesOf(r.Run, nodes), r.Run)
			if of.State != record.Finished {
				driver, _, err := k.Driver(ctx, a.namespace, r.Run.Group)
				unknown := ""
				if err != nil {
					unknown = err.Error()
				}
				of.DrivenBy(driver, unknown, k.Clock().Now())
			}
			list, pool = append(list, of), r.Run.Provider == backend.Gardener
		}
	}
	if group != "" {
		past, err := k.Past(ctx, a.namespace, kube.RecordName(group))
		if err != nil {
			return exitcode.Usage(err)
		}
		if len(list) == 0 { // whoever edited it may have taken off the marks that records are found by
			if _, found, err := k.Record(a.namespace, group).Load(ctx); found && err != nil {
				return unreadable(err, present.CommandLine{}.Command("upgrade", group))
			}
		} else {
			list[0].Past = present.PastOf(past)
		}
	}
	if group != "" && len(list) == 0 {
		return a.noRunYet(ctx, where, group, asJSON)
	}
	var look *present.PoolLook
	if group != "" && pool {
		look = a.lookBeside(ctx, where, &list[0])
	}
	if asJSON {
		if group != "" {
			return present.JSON(a.Out, list[0].JSON())
		}
		return present.JSON(a.Out, present.StatusList(list))
	}
	if len(list) == 0 {
		fmt.Fprintln(a.Out, "No run yet.")
	}
	for _, s := range list {
		present.WriteStatus(a.Out, s, k.Clock().Now())
	}
	if look != nil {
		present.WritePool(a.Out, *look)
	}
	if group == "" {
		present.WriteUnclaimed(a.Out, present.Unclaimed(records, nodes))
	}
	if group == "" && damaged != nil {
		return exitcode.Usage(damaged)
	}
	return nil
}

// lookBeside has how a worker pool stands put beside its run, or why that is not known; then it
// is nil.
func (a *app) lookBeside(ctx context.Context, where backend.Where, of *present.Status) *present.PoolLook {
	look, err := func() (look present.PoolLook, err error) {
		s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
		if err != nil {
			return look, err
		}
		at, err := s.find(ctx, of.Group)
		if err != nil {
			return look, err
		}
		return s.lookAtPool(ctx, at)
	}()
	if err != nil {
		of.PoolUnknown = err.Error()
		return nil
	}
	stands := look.Status()
	of.Pool = &stands
	look.Others = nil // they are the run's to tell
	return &look
}

// noRunYet is the answer for a group without a run; of a worker pool, which Gardener rolls, how
// it stands. A group that there is not is wrong use.
func (a *app) noRunYet(ctx context.Context, where backend.Where, group string, asJSON bool) error {
	s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
	var rows []present.GroupRow
	if err == nil {
		rows, err = s.list(ctx)
	}
	if err != nil {
		return exitcode.Usage(fmt.Errorf("group %s has no run, and whether there is such a group cannot be told: %w", group, err))
	}
	at := slices.IndexFunc(rows, func(g present.GroupRow) bool { return g.Name == group || g.Called() == group })
	if at < 0 {
		return exitcode.Usage(fmt.Errorf("there is no group %s; drainboard groups lists the groups", group))
	}
	switch pool := rows[at].Pool != nil; {
	case pool:
		found, err := s.find(ctx, rows[at].Name)
		if err != nil {
			return err
		}
		look, err := s.lookAtPool(ctx, found)
		if err != nil {
			return err
		}
		if asJSON {
			return present.JSON(a.Out, look.GroupStatus())
		}
		present.WritePool(a.Out, look)
		fmt.Fprintf(a.Out, "  drainboard watch %s follows it\n", group)
	case asJSON:
		return present.JSON(a.Out, present.NoRunOf(rows[at]))
	default:
		fmt.Fprintf(a.Out, "%s: no run yet; drainboard plan %s shows what one would do\n", group, group)
	}
	return nil
}

// recorded is the name that records are kept by of the group that people call so.
func recorded(records []live.Stored, group string) string {
	for _, r := range records {
		if r.Err == nil && r.Run.Alias == group {
			return r.Run.Group
		}
	}
	return group
}
