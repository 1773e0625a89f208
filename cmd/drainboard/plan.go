package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) planCmd() *cobra.Command {
	var f rollFlags
	var of planner.Scope
	var o string
	cmd := &cobra.Command{
		Use:   "plan GROUP...",
		Short: "Show what an upgrade would do; changes nothing",
		Long:  "Show what an upgrade of groups would do; nothing is changed. Where Drainboard drains the nodes itself, duration and result are\nrehearsed in a copy of the cluster. For a Gardener worker pool it also shows the pool's state and what would block a roll.\n\n" + changeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			if change, err := isChange(cmd, f.where.Provider); err != nil {
				return err
			} else if change {
				return a.planChange(cmd, args, asJSON)
			}
			if of.Nothing(args) && (f.where.Provider == backend.Gardener || f.where.AsksForPools()) {
				return errNoPool()
			}
			if err := of.Take(args); err != nil {
				return err
			}
			return a.plan(cmd, &of, &f, false, asJSON)
		},
	}
	addScope(cmd, &of)
	f.add(cmd)
	addChange(cmd.Flags())
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// plan shows what an upgrade would do, or with auto a headless one.
func (a *app) plan(cmd *cobra.Command, of *planner.Scope, f *rollFlags, auto, asJSON bool) error {
	if of.IsRoll() {
		if err := f.fitsSeveral(cmd); err != nil {
			return err
		}
	}
	_, settings, err := f.rules(cmd, auto)
	if err != nil {
		return exitcode.Usage(err)
	}
	s, err := a.Open(cmd.Context(), f.where, kube.ReadRights(a.Namespace), true)
	if err != nil {
		return err
	}
	request := f.request(cmd, auto)
	p := planner.Planner{Session: s, Request: &request, Auto: auto}
	if err := p.Settle(config.ConfigDir(os.Getenv), s.Context(), &settings); err != nil {
		return exitcode.Usage(err)
	}
	if of.IsRoll() {
		if err := s.Groups.Several(); err != nil {
			return exitcode.Usage(err)
		}
		return a.planSeveral(cmd.Context(), p, of, asJSON)
	}
	at, err := s.Find(cmd.Context(), of.Named[0])
	if err != nil {
		return err
	}
	if at.Provider() == backend.Gardener {
		return a.planPool(cmd.Context(), p, at, asJSON)
	}
	plan, err := p.Group(cmd.Context(), at)
	if err != nil {
		return err
	}
	if asJSON {
		return present.JSON(a.Out, present.PlanOf(plan))
	}
	present.WritePlan(a.Out, plan, nil)
	return nil
}

// planSeveral shows what a roll would do.
func (a *app) planSeveral(ctx context.Context, p planner.Planner, of *planner.Scope, asJSON bool) error {
	plan, err := p.Roll(ctx, of)
	if err != nil {
		return err
	}
	if asJSON {
		return present.JSON(a.Out, present.RollOf(plan))
	}
	present.WriteRollPlan(a.Out, plan, p.Session.Clock().Now())
	return nil
}

// planPool shows how a worker pool stands, what a roll of it meets, and what a run would do.
func (a *app) planPool(ctx context.Context, p planner.Planner, at backend.Group, asJSON bool) error {
	plan, err := p.Pool(ctx, at)
	if err != nil {
		return err
	}
	if asJSON {
		return present.JSON(a.Out, plan.JSON())
	}
	plan.Write(a.Out)
	return nil
}

// errNoPool is why a plan of Gardener's has nothing to plan.
func errNoPool() error {
	return exitcode.Usage(errors.New("name a POOL to see its state and what would block a roll (drainboard groups lists them), or give a change of the Shoot: --change FILE, --kubernetes-version, --machine-image-version or --operation"))
}
