package main

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/gardener"
)

// lookAtPool reads a pool and its cluster once.
func (s *session) lookAtPool(ctx context.Context, at place) (present.PoolLook, error) {
	v, err := s.look(ctx, at, nil)
	if err != nil {
		return present.PoolLook{}, err
	}
	v.intake.Close()
	now := s.Clock().Now()
	idle := engine.Idle(backend.PoolRules, now, v.world, record.Run{}, nil)
	look := present.PoolLook{Stands: gardener.SummaryOf(v.world), Seen: engine.View(backend.PoolRules, now, v.world, idle, engine.Look{}, nil), World: v.world, Run: idle}
	row := []present.GroupRow{{Summary: asg.Summary{Group: v.world.Group, Members: look.Stands.Members}}}
	row[0].Name = at.Name()
	var nodes []*world.Node
	for _, id := range look.Stands.Members {
		if n := v.world.NodeOf(id); n != nil {
			nodes = append(nodes, n)
		}
	}
	if err := s.Note(ctx, row, nodes); err != nil {
		return present.PoolLook{}, err
	}
	look.Others = row[0].Others
	return look, nil
}
