package main

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener"
)

// poolRules judge pods as Gardener's drains do.
var poolRules = strategy.Gardener{}

// lookAtPool reads a pool and its cluster once.
func (s *session) lookAtPool(ctx context.Context, at place) (present.PoolLook, error) {
	v, err := s.look(ctx, at, nil)
	if err != nil {
		return present.PoolLook{}, err
	}
	v.intake.Close()
	runs, err := s.runs(ctx)
	if err != nil {
		return present.PoolLook{}, err
	}
	now := s.clock().Now()
	idle := engine.Idle(poolRules, now, v.world, engine.Run{}, nil)
	look := present.PoolLook{Stands: gardener.SummaryOf(v.world), Seen: engine.View(poolRules, now, v.world, idle, engine.Look{}, nil), World: v.world, Run: idle}
	var nodes []*world.Node
	for _, id := range look.Stands.Members {
		if n := v.world.NodeOf(id); n != nil {
			nodes = append(nodes, n)
		}
	}
	look.Others = present.Others(nodes, runs[at.name])
	return look, nil
}
