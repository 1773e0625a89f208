package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
				return indented(a.out, groupsForPrograms(rows))
			}
			return a.writeGroups(rows)
		},
	}
	where.add(cmd.Flags())
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// groupRow is a group and what is running on it.
type groupRow struct {
	asg.Summary
	// InstanceGroup is what kops calls it, "" for a group that is none of kops's.
	InstanceGroup string
	// Running is the state of the group's unfinished run, "" if it has none.
	Running string
	// Others are who else moves its nodes, as far as the marks on them tell.
	Others []engine.MoverView
	// Worker is what a worker pool of Gardener's has beyond other groups.
	Worker *poolJSON
}

// called is what people call the group.
func (g groupRow) called() string { return cmp.Or(g.InstanceGroup, g.Name) }

func (a *app) groups(ctx context.Context, where whereFlags) ([]groupRow, error) {
	s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
	if err != nil {
		return nil, err
	}
	return s.groups(ctx, where)
}

// groups lists the groups that own the machines of the cluster's nodes, and those that
// kops made for the cluster: these first, in the order in which they are rolled.
func (s *session) groups(ctx context.Context, where whereFlags) ([]groupRow, error) {
	if err := s.lacks(); err != nil {
		return nil, err
	}
	if s.alone != nil {
		return s.groupsAlone(ctx)
	}
	nodes, err := s.kube.Nodes(ctx)
	if err != nil {
		return nil, usage(err)
	}
	machines, on := map[string]bool{}, map[string]*world.Node{}
	for _, n := range nodes {
		if n.Machine != "" {
			machines[n.Machine], on[n.Machine] = true, n
		}
	}
	var rows []groupRow
	if s.pools != nil {
		rows, err = s.poolRows(ctx, nodes)
	} else {
		rows, err = s.cloudRows(ctx, where, machines)
	}
	if err != nil {
		return nil, usage(err)
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
		rows[i].Others = others(members, run)
	}
	return rows, nil
}

// cloudRows are the groups that the cloud knows.
func (s *session) cloudRows(ctx context.Context, where whereFlags, machines map[string]bool) ([]groupRow, error) {
	list, err := s.aws.Groups(ctx, machines, s.cluster())
	if err != nil {
		return nil, err
	}
	return s.groupsOf(ctx, where, list, machines)
}

// groupsOf puts the groups that kops made for the cluster before the others.
func (s *session) groupsOf(ctx context.Context, where whereFlags, list []asg.Summary, machines map[string]bool) (rows []groupRow, err error) {
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
				rows = append(rows, groupRow{Summary: g.Summary, InstanceGroup: g.InstanceGroup})
			}
		}
	}
	for _, g := range list {
		known := slices.ContainsFunc(rows, func(r groupRow) bool { return r.Name == g.Name })
		if !known && where.provider != kopsGroups {
			rows = append(rows, groupRow{Summary: g})
		}
	}
	return rows, nil
}

func (a *app) writeGroups(rows []groupRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No Auto Scaling group owns a node of this cluster, nor is one of a worker pool of Gardener's.")
		return err
	}
	t := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	roles := slices.ContainsFunc(rows, func(g groupRow) bool { return g.Role != "" })
	role := func(text string) string {
		if !roles {
			return ""
		}
		return text + "\t"
	}
	fmt.Fprintln(t, "GROUP\tPROVIDER\t"+role("ROLE")+"NODES\tOUTDATED\tTEMPLATE\tMIN\tMAX\tDESIRED\tRUN\tOTHERS\tNOTE")
	for _, g := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s%d\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", g.called(), g.Provider, role(dash(string(g.Role))), g.Machines, g.Outdated, template(g), g.bound(g.Sizes.Min), g.bound(g.Sizes.Max), g.Sizes.Desired, dash(g.Running), dash(whoElse(g.Others)), refused(g))
	}
	return t.Flush()
}

// bounded reports whether the group's least and greatest sizes are known.
func (g groupRow) bounded() bool { return g.Pool == nil || g.Pool.Shoot != "" }

// bound is the least or the greatest size, "-" where it is not known.
func (g groupRow) bound(n int) string {
	if !g.bounded() {
		return "-"
	}
	return strconv.Itoa(n)
}

// template is what a group launches from, for people: of a pool, the version of Kubernetes
// that it is to have.
func template(g groupRow) string {
	if g.Pool != nil {
		return dash(g.Pool.Version)
	}
	name := cmp.Or(g.TemplateName, g.Template.ID)
	if name == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d", name, g.Template.Version)
}

// others are who else moves nodes of a group. An unfinished run's marks are not among
// them; what a finished one has left behind is.
func others(nodes []*world.Node, run engine.Run) []engine.MoverView {
	all := engine.Movers(nodes, run.Marks)
	if run.State == engine.Finished || run.ID == "" {
		return all
	}
	return slices.DeleteFunc(all, func(m engine.MoverView) bool { return m.By == world.MoverDrainboard })
}

// whoElse names who else moves nodes, "" if nobody does.
func whoElse(movers []engine.MoverView) string {
	names := make([]string, len(movers))
	for i, m := range movers {
		names[i] = string(m.By)
	}
	return strings.Join(names, ", ")
}

// atWork are those that do more than announce that they may do something.
func atWork(movers []engine.MoverView) []engine.MoverView {
	return slices.DeleteFunc(slices.Clone(movers), func(m engine.MoverView) bool { return !m.Roll && m.Working == 0 })
}

// refused says why no run can start on a group now, "" if one can.
func refused(g groupRow) string { return cmp.Or(g.Refused, g.Refresh.Sentence(g.Name)) }

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// pickGroup lets the user pick a group and upgrades it.
func (a *app) pickGroup(cmd *cobra.Command, f face) error {
	f, err := f.fit(false)
	if err != nil {
		return usage(errors.New("this is not a terminal: name a subcommand (drainboard --help lists them), or answer in lines with --plain"))
	}
	if err := a.checkTheme(); err != nil {
		return err
	}
	ctx, stop := cmd.Context(), context.CancelFunc(func() {})
	if !f.plain { // where no screen is up a signal ends the process: nothing has begun
		ctx, stop = untilSignalled(ctx)
	}
	defer stop()
	s, err := connect(ctx, a.flags, a.namespace, whereFlags{}, kube.ReadRights(a.namespace), true)
	if err != nil {
		return left(ctx, err)
	}
	var o ui.Options
	if f.plain {
		o = a.plainly(o)
	} else {
		o = a.screen(ctx, s.context())
	}
	name, err := f.pickFrom(ctx, s, whereFlags{}, o)
	if ctx.Err() != nil || err != nil || name == "" {
		return left(ctx, err)
	}
	stop()
	upgrade := a.upgradeCmd()
	upgrade.SetContext(cmd.Context())
	if f.plain {
		if err := upgrade.Flags().Set("plain", "true"); err != nil {
			return err
		}
	}
	return upgrade.RunE(upgrade, []string{name})
}

// pickFrom lets the user pick a group, "" if none.
func (f face) pickFrom(ctx context.Context, s *session, where whereFlags, o ui.Options) (name string, err error) {
	read := func(ctx context.Context) ([]picker.Group, error) { return s.groupRows(ctx, where) }
	rows, err := read(ctx)
	if err != nil {
		return "", err
	}
	if f.plain {
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
		list[i] = picker.Group{Name: g.called(), Provider: g.Provider, Role: string(g.Role), Version: template(g), Nodes: g.Machines, Outdated: g.Outdated, Running: g.Running, Others: whoElse(atWork(g.Others)), Refused: refused(g)}
	}
	return list, nil
}
