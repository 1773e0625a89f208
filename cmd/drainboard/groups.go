package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kops"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/picker"
)

func (a *app) groupsCmd() *cobra.Command {
	var o string
	var where whereFlags
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "List the groups, one line each",
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
	where.add(cmd.Flags())
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

func (a *app) groups(ctx context.Context, where whereFlags) ([]present.GroupRow, error) {
	s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
	if err != nil {
		return nil, err
	}
	return s.groups(ctx, where)
}

// groups lists the groups that own the machines of the cluster's nodes, and those that
// kops made for the cluster: these first, in the order in which they are rolled.
func (s *session) groups(ctx context.Context, where whereFlags) ([]present.GroupRow, error) {
	if err := s.lacks(); err != nil {
		return nil, err
	}
	if s.alone != nil {
		return s.groupsAlone(ctx)
	}
	nodes, err := s.kube.Nodes(ctx)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	machines, on := map[string]bool{}, map[string]*world.Node{}
	for _, n := range nodes {
		if n.Machine != "" {
			machines[n.Machine], on[n.Machine] = true, n
		}
	}
	var rows []present.GroupRow
	if s.pools != nil {
		rows, err = s.poolRows(ctx, nodes)
	} else {
		rows, err = s.cloudRows(ctx, where, machines)
	}
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	runs, err := s.runs(ctx)
	if err != nil {
		return nil, err
	}
	for i, g := range rows {
		run := runs[g.Name]
		if run.State != engine.Finished {
			rows[i].Running = string(run.State)
		}
		var members []*world.Node
		for _, id := range g.Members {
			if n := on[id]; n != nil {
				members = append(members, n)
			}
		}
		rows[i].Others = present.Others(members, run)
	}
	return rows, nil
}

// cloudRows are the groups that the cloud knows.
func (s *session) cloudRows(ctx context.Context, where whereFlags, machines map[string]bool) ([]present.GroupRow, error) {
	list, err := s.aws.Groups(ctx, machines, s.cluster())
	if err != nil {
		return nil, err
	}
	return s.groupsOf(ctx, where, list, machines)
}

// groupsOf puts the groups that kops made for the cluster before the others.
func (s *session) groupsOf(ctx context.Context, where whereFlags, list []asg.Summary, machines map[string]bool) (rows []present.GroupRow, err error) {
	if where, err = where.fill(); err != nil {
		return nil, err
	}
	tagged := slices.ContainsFunc(list, func(g asg.Summary) bool { return g.Tags[kopsGroupTag] != "" })
	if where.provider == kopsGroups || where.provider == anyProvider && tagged {
		err := s.openKops(ctx, where, machines)
		switch {
		case errors.Is(err, kops.ErrNoCluster) && where.provider == anyProvider:
		case err != nil:
			return nil, err
		default:
			groups, err := s.kops.Groups(ctx)
			if err != nil {
				return nil, err
			}
			for _, g := range groups {
				rows = append(rows, present.GroupRow{Summary: g.Summary, InstanceGroup: g.InstanceGroup})
			}
		}
	}
	for _, g := range list {
		known := slices.ContainsFunc(rows, func(r present.GroupRow) bool { return r.Name == g.Name })
		if !known && where.provider != kopsGroups {
			rows = append(rows, present.GroupRow{Summary: g})
		}
	}
	return rows, nil
}

// pickGroup lets the user pick a group and upgrades it.
func (a *app) pickGroup(cmd *cobra.Command, f console.Face) error {
	f, err := f.Fit(false)
	if err != nil {
		return exitcode.Usage(errors.New("this is not a terminal: name a subcommand (drainboard --help lists them), or answer in lines with --plain"))
	}
	if err := a.CheckTheme(); err != nil {
		return err
	}
	ctx, stop := cmd.Context(), context.CancelFunc(func() {})
	if !f.Plain { // where no screen is up a signal ends the process: nothing has begun
		ctx, stop = untilSignalled(ctx)
	}
	defer stop()
	s, err := connect(ctx, a.flags, a.namespace, whereFlags{}, kube.ReadRights(a.namespace), true)
	if err != nil {
		return left(ctx, err)
	}
	var o ui.Options
	if f.Plain {
		o = a.Plainly(o)
	} else {
		o = a.Screen(ctx, s.context())
	}
	name, err := pickFrom(ctx, f, s, whereFlags{}, o)
	if ctx.Err() != nil || err != nil || name == "" {
		return left(ctx, err)
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

// pickFrom lets the user pick a group, "" if none.
func pickFrom(ctx context.Context, f console.Face, s *session, where whereFlags, o ui.Options) (name string, err error) {
	read := func(ctx context.Context) ([]picker.Group, error) { return s.groupRows(ctx, where) }
	rows, err := read(ctx)
	if err != nil {
		return "", err
	}
	if f.Plain {
		name, _, err = picker.PickFromLines(ctx, rows, picking(o, s.cluster()))
	} else {
		name, _, err = picker.Pick(ctx, rows, read, picking(o, s.cluster()))
	}
	return name, err
}

// picking are the options of a picker in a cluster, with the terminal and the look of a
// dashboard.
func picking(o ui.Options, cluster string) picker.Options {
	return picker.Options{
		Cluster: cluster, ReadOnly: o.ReadOnly,
		Appearance: ui.Appearance{Theme: o.Theme, Mark: o.Mark, Silent: o.Silent}, Appearances: o.Appearances,
		Input: o.Input, Output: o.Output, Environ: o.Environ,
	}
}

// groupRows are the groups as the screen lists them.
func (s *session) groupRows(ctx context.Context, where whereFlags) ([]picker.Group, error) {
	rows, err := s.groups(ctx, where)
	if err != nil {
		return nil, err
	}
	list := make([]picker.Group, len(rows))
	for i, g := range rows {
		list[i] = picker.Group{Name: g.Called(), Provider: g.Provider, Role: string(g.Role), Version: present.TemplateText(g), Nodes: g.Machines, Outdated: g.Outdated, Running: g.Running, Others: present.WhoElse(present.AtWork(g.Others)), Refused: present.Refused(g)}
	}
	return list, nil
}
