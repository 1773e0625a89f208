package watch

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/picker"
)

// PickGroup lets the user pick a group, "" for none.
func PickGroup(ctx context.Context, f console.Face, s *session.Session, o ui.Options) (name string, err error) {
	read := func(ctx context.Context) ([]picker.Group, error) { return groupRows(ctx, s) }
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

// picking returns the options of a picker in a cluster, with the terminal and appearance of a
// dashboard.
func picking(o ui.Options, cluster string) picker.Options {
	return picker.Options{
		Cluster: cluster, ReadOnly: o.ReadOnly,
		Appearance: ui.Appearance{Theme: o.Theme, Mark: o.Mark, Silent: o.Silent}, Appearances: o.Appearances,
		Input: o.Input, Output: o.Output, Environ: o.Environ,
	}
}

// groupRows returns the groups as the picker lists them.
func groupRows(ctx context.Context, s *session.Session) ([]picker.Group, error) {
	rows, err := s.List(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]picker.Group, len(rows))
	for i, g := range rows {
		list[i] = picker.Group{Name: g.Called(), Provider: g.Provider, Role: string(g.Role), Version: present.TemplateText(g), Nodes: g.Machines, Outdated: g.Outdated, Running: g.Running, Others: present.WhoElse(present.AtWork(g.Others)), Refused: present.Refused(g)}
	}
	return list, nil
}
