package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/picker"
)

func (a *app) groupsCmd() *cobra.Command {
	var o string
	var where backend.Where
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
	addWhere(cmd.Flags(), &where)
	cmd.Flags().SetNormalizeFunc(byKopsName)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

func (a *app) groups(ctx context.Context, where backend.Where) ([]present.GroupRow, error) {
	s, err := a.open(ctx, where, kube.ReadRights(a.namespace), true)
	if err != nil {
		return nil, err
	}
	return s.list(ctx)
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
	s, _, err := connect(ctx, a.flags, a.namespace, backend.Where{}, kube.ReadRights(a.namespace), true)
	if err != nil {
		return left(ctx, err)
	}
	var o ui.Options
	if f.Plain {
		o = a.Plainly(o)
	} else {
		o = a.Screen(ctx, s.Context())
	}
	name, err := pickFrom(ctx, f, s, o)
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
func pickFrom(ctx context.Context, f console.Face, s *session, o ui.Options) (name string, err error) {
	read := func(ctx context.Context) ([]picker.Group, error) { return s.groupRows(ctx) }
	rows, err := read(ctx)
	if err != nil {
		return "", err
	}
	if f.Plain {
		name, _, err = picker.PickFromLines(ctx, rows, picking(o, s.Cluster()))
	} else {
		name, _, err = picker.Pick(ctx, rows, read, picking(o, s.Cluster()))
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
func (s *session) groupRows(ctx context.Context) ([]picker.Group, error) {
	rows, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]picker.Group, len(rows))
	for i, g := range rows {
		list[i] = picker.Group{Name: g.Called(), Provider: g.Provider, Role: string(g.Role), Version: present.TemplateText(g), Nodes: g.Machines, Outdated: g.Outdated, Running: g.Running, Others: present.WhoElse(present.AtWork(g.Others)), Refused: present.Refused(g)}
	}
	return list, nil
}
