package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
)

// planPool shows how a worker pool stands, what a roll of it meets, and what a run would do.
func (a *app) planPool(cmd *cobra.Command, s *session, at place, f *rollFlags, auto, asJSON bool) error {
	p, err := s.planPool(cmd.Context(), cmd, at, f, auto)
	if err != nil {
		return err
	}
	if asJSON {
		return present.JSON(a.Out, p.JSON())
	}
	p.Write(a.Out)
	return nil
}

// planPool looks at a pool once, and plans its run.
func (s *session) planPool(ctx context.Context, cmd *cobra.Command, at place, f *rollFlags, auto bool) (present.PlannedPool, error) {
	rules, settings, err := f.rulesAt(ctx, cmd, auto, &at)
	if err != nil {
		return present.PlannedPool{}, exitcode.Usage(err)
	}
	f.Into(&settings)
	look, err := s.lookAtPool(ctx, at)
	if err != nil {
		return present.PlannedPool{}, err
	}
	roll := engine.PlanPool(backend.PoolRules, look.Seen.At, look.World, look.Run)
	run, err := s.makePlan(ctx, rules, settings, f, at, look.World)
	return present.PlannedPool{Look: look, Roll: roll, Run: run}, err
}
