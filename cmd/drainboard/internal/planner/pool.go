package planner

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/gardener"
)

// Pool reads a worker pool once, and returns its state, what would block a roll, and what a
// run would do.
func (p Planner) Pool(ctx context.Context, at backend.Group) (present.PlannedPool, error) {
	terms, err := p.TermsFor(ctx, at)
	if err != nil {
		return present.PlannedPool{}, exitcode.Usage(err)
	}
	state, err := ReadPool(ctx, p.Session, at)
	if err != nil {
		return present.PlannedPool{}, err
	}
	roll := snapshot.PlanPool(backend.PoolRules, state.Seen.At, state.World, state.Run)
	run, err := p.Plan(ctx, terms, at, state.World)
	if err == nil && !p.Auto {
		Foresee(ctx, terms.Rules, &run, state.World)
	}
	return present.PlannedPool{At: state, Roll: roll, Run: run}, err
}

// ReadPool reads a pool and its cluster once.
func ReadPool(ctx context.Context, s *session.Session, at backend.Group) (present.PoolState, error) {
	v, err := s.Read(ctx, at, nil)
	if err != nil {
		return present.PoolState{}, err
	}
	v.Queue.Close()
	now := s.Clock().Now()
	idle := snapshot.Idle(backend.PoolRules, now, v.World, record.Run{}, nil)
	state := present.PoolState{Stands: gardener.SummaryOf(v.World), Seen: snapshot.View(backend.PoolRules, now, v.World, idle, snapshot.Look{}, nil), World: v.World, Run: idle}
	row := []present.GroupRow{{Summary: asg.Summary{Group: v.World.Group, Members: state.Stands.Members}}}
	row[0].Name = at.Name()
	var nodes []*world.Node
	for _, id := range state.Stands.Members {
		if n := v.World.NodeOf(id); n != nil {
			nodes = append(nodes, n)
		}
	}
	if err := s.Note(ctx, row, nodes); err != nil {
		return present.PoolState{}, err
	}
	state.Others = row[0].Others
	return state, nil
}

// Unproven reports whether nothing that is read can prove that the controller of a group, in which
// a plan has found nothing to do, is done: a run waits for what it may be preparing.
func Unproven(p *snapshot.Plan, w *world.World) bool { return len(unseen(p, w)) > 0 }

// unseen returns which update of a group could be due although its plan has found nothing to do.
func unseen(p *snapshot.Plan, w *world.World) (out []string) {
	c := selfdriven.Of(&w.Group)
	if c == nil || p.HasWork() || len(p.Run.Target.Only) > 0 {
		return nil
	}
	for _, u := range c.Unproven(&w.Group) {
		out = append(out, u.Text)
	}
	return out
}

// ShootSays returns what the Shoot of a pool says that may stall a roll. In a plan of the pool it
// stands beside what the run would do.
func ShootSays(w *world.World) []string {
	if p := w.Group.Pool; p != nil {
		return p.Notes
	}
	return nil
}
