package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) statusCmd() *cobra.Command {
	var o string
	var where whereFlags
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
			if where.cloudOnly {
				return a.statusAlone(cmd.Context(), where, group, asJSON)
			}
			return a.status(cmd.Context(), where, group, asJSON)
		},
	}
	where.add(cmd.Flags())
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

func (a *app) status(ctx context.Context, where whereFlags, group string, asJSON bool) error {
	if _, err := where.fill(); err != nil {
		return usage(err)
	}
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
	if group != "" {
		group = recorded(records, group)
	}
	list := []runStatus{}
	pool := false
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
				driver, _, err := k.Driver(ctx, a.namespace, r.Run.Group)
				unknown := ""
				if err != nil {
					unknown = err.Error()
				}
				of.drivenBy(driver, unknown, k.Clock().Now())
			}
			list, pool = append(list, of), r.Run.Provider == gardenerPools
		}
	}
	if group != "" {
		past, err := k.Past(ctx, a.namespace, kube.RecordName(group))
		if err != nil {
			return usage(err)
		}
		if len(list) == 0 { // whoever edited it may have taken off the marks that records are found by
			if _, found, err := k.Record(a.namespace, group).Load(ctx); found && err != nil {
				return unreadable(err, command(nil, "upgrade", group))
			}
		} else {
			list[0].Past = pastOf(past)
		}
	}
	if group != "" && len(list) == 0 {
		return a.noRunYet(ctx, where, group, asJSON)
	}
	var look *poolLook
	if group != "" && pool {
		look = a.lookBeside(ctx, where, &list[0])
	}
	if asJSON {
		if group != "" {
			return indented(a.out, list[0])
		}
		return indented(a.out, list)
	}
	if len(list) == 0 {
		fmt.Fprintln(a.out, "No run yet.")
	}
	for _, s := range list {
		writeStatus(a.out, s, k.Clock().Now())
	}
	if look != nil {
		writePool(a.out, *look)
	}
	if group == "" {
		writeElsewhere(a.out, elsewhere(records, nodes))
	}
	if group == "" && damaged != nil {
		return usage(damaged)
	}
	return nil
}

// lookBeside has how a worker pool stands put beside its run, or why that is not known; then it
// is nil.
func (a *app) lookBeside(ctx context.Context, where whereFlags, of *runStatus) *poolLook {
	look, err := func() (look poolLook, err error) {
		s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
		if err != nil {
			return look, err
		}
		at, err := s.find(ctx, of.Group, where)
		if err != nil {
			return look, err
		}
		return s.lookAtPool(ctx, at)
	}()
	if err != nil {
		of.PoolUnknown = err.Error()
		return nil
	}
	stands := look.status()
	of.Pool = &stands
	look.others = nil // they are the run's to tell
	return &look
}

// noRunYet is the answer for a group without a run: null in JSON, and of a worker pool, which
// Gardener rolls, how it stands. A group that there is not is wrong use.
func (a *app) noRunYet(ctx context.Context, where whereFlags, group string, asJSON bool) error {
	s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
	var rows []groupRow
	if err == nil {
		rows, err = s.groups(ctx, where)
	}
	if err != nil {
		return usage(fmt.Errorf("group %s has no run, and whether there is such a group cannot be told: %w", group, err))
	}
	at := slices.IndexFunc(rows, func(g groupRow) bool { return g.Name == group || g.called() == group })
	if at < 0 {
		return usage(fmt.Errorf("there is no group %s; drainboard groups lists the groups", group))
	}
	switch pool := rows[at].Pool != nil; {
	case pool:
		look, err := s.lookAtPool(ctx, place{name: rows[at].Name, pool: rows[at].Pool})
		if err != nil {
			return err
		}
		if asJSON {
			return indented(a.out, look.status())
		}
		writePool(a.out, look)
		fmt.Fprintf(a.out, "  drainboard watch %s follows it\n", group)
	case asJSON:
		fmt.Fprintln(a.out, "null")
	default:
		fmt.Fprintf(a.out, "%s: no run yet; drainboard plan %s shows what one would do\n", group, group)
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
