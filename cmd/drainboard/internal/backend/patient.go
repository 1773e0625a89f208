package backend

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// Patient is a backend whose reads are tried again for as long as the patience of their context
// lasts: what it reads takes several calls each.
func Patient(b Backend) Backend { return patient{b} }

type patient struct{ Backend }

func (p patient) Find(ctx context.Context, name string) (Group, error) {
	g, err := live.Retried(ctx, func(ctx context.Context) (Group, error) { return p.Backend.Find(ctx, name) })
	return patientGroup{g}, err
}

func (p patient) FindAs(ctx context.Context, name, provider string) (Group, error) {
	g, err := live.Retried(ctx, func(ctx context.Context) (Group, error) { return p.Backend.FindAs(ctx, name, provider) })
	return patientGroup{g}, err
}

func (p patient) List(ctx context.Context, nodes []*world.Node) ([]present.GroupRow, error) {
	return live.Retried(ctx, func(ctx context.Context) ([]present.GroupRow, error) { return p.Backend.List(ctx, nodes) })
}

// patientGroup is a group of a patient backend.
type patientGroup struct{ Group }

func (p patientGroup) Settings(ctx context.Context, rules engine.Strategy, asked Asked) (s record.Settings, notes []string, err error) {
	err = live.Retry(ctx, func(ctx context.Context) error {
		s, notes, err = p.Group.Settings(ctx, rules, asked)
		return err
	})
	return s, notes, err
}

func (p patientGroup) Target(ctx context.Context, o asg.TargetOptions) (record.Target, error) {
	return live.Retried(ctx, func(ctx context.Context) (record.Target, error) { return p.Group.Target(ctx, o) })
}

func (p patientGroup) Gone(ctx context.Context, run record.Run, w *world.World) ([]world.Template, error) {
	return live.Retried(ctx, func(ctx context.Context) ([]world.Template, error) { return p.Group.Gone(ctx, run, w) })
}
