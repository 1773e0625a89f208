package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/ui"
)

func (a *app) groupsCmd() *cobra.Command {
	var o string
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "List the groups, one line each",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			rows, err := a.groups(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(a.out)
				enc.SetIndent("", "  ")
				return enc.Encode(rows)
			}
			return a.writeGroups(rows)
		},
	}
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// groupRow is a group and what is running on it.
type groupRow struct {
	asg.Summary
	// Running is the state of the group's unfinished run, "" if it has none.
	Running string `json:"running,omitempty"`
	// Others are who else moves its nodes, as far as the marks on them tell.
	Others []engine.MoverView `json:"others,omitempty"`
}

func (a *app) groups(ctx context.Context) ([]groupRow, error) {
	s, err := connect(ctx, a.flags, a.namespace, kube.ReadRights(a.namespace), true)
	if err != nil {
		return nil, err
	}
	return s.groups(ctx)
}

// groups lists the groups that own the machines of the cluster's nodes.
func (s *session) groups(ctx context.Context) ([]groupRow, error) {
	if err := s.lacks(); err != nil {
		return nil, err
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
	list, err := s.aws.Groups(ctx, machines, s.kube.ClusterName())
	if err != nil {
		return nil, usage(err)
	}
	runs, err := s.runs(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]groupRow, len(list))
	for i, g := range list {
		run := runs[g.Name]
		rows[i] = groupRow{Summary: g}
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

func (a *app) writeGroups(rows []groupRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No Auto Scaling group owns a node of this cluster.")
		return err
	}
	t := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "GROUP\tPROVIDER\tNODES\tOUTDATED\tTEMPLATE\tMIN\tMAX\tDESIRED\tRUN\tOTHERS\tNOTE")
	for _, g := range rows {
		fmt.Fprintf(t, "%s\tasg\t%d\t%d\t%s\t%d\t%d\t%d\t%s\t%s\t%s\n", g.Name, g.Machines, g.Outdated, template(g), g.Sizes.Min, g.Sizes.Max, g.Sizes.Desired, dash(g.Running), dash(whoElse(g.Others)), refused(g))
	}
	return t.Flush()
}

// template is what a group launches from, for people.
func template(g groupRow) string {
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
	s, err := connect(ctx, a.flags, a.namespace, kube.ReadRights(a.namespace), true)
	if err != nil {
		return left(ctx, err)
	}
	var name string
	if f.plain {
		var rows []ui.GroupRow
		if rows, err = s.groupRows(ctx); err == nil {
			name, _, err = ui.PlainPickGroup(ctx, rows, a.plainly(ui.Options{Cluster: s.kube.ClusterName()}))
		}
	} else {
		name, err = a.pickFrom(ctx, s, a.screen(ctx, s.kube.ContextName()))
	}
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

// pickFrom lets the user pick a group on the screen, "" if none.
func (a *app) pickFrom(ctx context.Context, s *session, o ui.Options) (string, error) {
	rows, err := s.groupRows(ctx)
	if err != nil {
		return "", err
	}
	o.Cluster = s.kube.ClusterName()
	name, _, err := ui.PickGroup(ctx, rows, s.groupRows, o)
	return name, err
}

// groupRows are the groups as the screen lists them.
func (s *session) groupRows(ctx context.Context) ([]ui.GroupRow, error) {
	rows, err := s.groups(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]ui.GroupRow, len(rows))
	for i, g := range rows {
		list[i] = ui.GroupRow{Name: g.Name, Provider: "asg", Version: template(g), Nodes: g.Machines, Outdated: g.Outdated, Running: g.Running, Others: whoElse(atWork(g.Others)), Refused: refused(g)}
	}
	return list, nil
}
