package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
	machines, _, err := s.kube.Machines(ctx)
	if err != nil {
		return nil, usage(err)
	}
	list, err := s.aws.Groups(ctx, machines, s.kube.ClusterName())
	if err != nil {
		return nil, usage(err)
	}
	running, err := s.unfinished(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]groupRow, len(list))
	for i, g := range list {
		rows[i] = groupRow{Summary: g, Running: running[g.Name]}
	}
	return rows, nil
}

func (a *app) writeGroups(rows []groupRow) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(a.out, "No Auto Scaling group owns a node of this cluster.")
		return err
	}
	t := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "GROUP\tPROVIDER\tNODES\tOUTDATED\tTEMPLATE\tMIN\tMAX\tDESIRED\tRUN\tNOTE")
	for _, g := range rows {
		fmt.Fprintf(t, "%s\tasg\t%d\t%d\t%s\t%d\t%d\t%d\t%s\t%s\n", g.Name, g.Machines, g.Outdated, template(g), g.Sizes.Min, g.Sizes.Max, g.Sizes.Desired, dash(g.Running), g.Refused)
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
			name, _, err = ui.PlainPickGroup(ctx, rows, a.plainly(ui.Options{}))
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
		list[i] = ui.GroupRow{Name: g.Name, Provider: "asg", Version: template(g), Nodes: g.Machines, Outdated: g.Outdated, Running: g.Running, Refused: g.Refused}
	}
	return list, nil
}
