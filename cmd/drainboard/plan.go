package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/flags"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) planCmd() *cobra.Command {
	var f flags.Roll
	var of planner.Scope
	var o string
	cmd := &cobra.Command{
		Use:   "plan GROUP...",
		Short: "Show what an upgrade would do; changes nothing",
		Long:  "Show what an upgrade of groups would do; nothing is changed. Duration and result are rehearsed\nin a copy of the cluster. For a Gardener worker pool it also shows the pool's state and what would block a roll.\n\n" + changeHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(o, "wide")
			if err != nil {
				return err
			}
			if err := fitsFiles(&f, args); err != nil {
				return err
			}
			if f.From != "" {
				return a.planFrom(cmd, args, &f, planForm{json: asJSON, wide: o == "wide"})
			}
			if change, err := flags.IsChange(cmd, f.Where.Provider); err != nil {
				return err
			} else if change && f.Compare {
				return errComparesOne()
			} else if change && f.Save != "" {
				return errSavesOne()
			} else if change {
				return a.planChange(cmd, args, asJSON)
			}
			if of.Nothing(args) && (f.Where.Provider == backend.Gardener || f.Where.AsksForPools()) {
				return errNoPool()
			}
			if err := of.Take(args); err != nil {
				return err
			}
			f.Planned, f.Wide = true, o == "wide"
			return a.plan(cmd, &of, &f, false, asJSON)
		},
	}
	flags.AddScope(cmd, &of)
	f.Add(cmd)
	flags.AddChange(cmd.Flags())
	cmd.Flags().BoolVar(&f.Detailed, "detailed-exitcode", false, "exit with 8 if there is something to do, and with 0 if there is nothing")
	cmd.Flags().BoolVar(&f.Compare, "compare", false, "rehearse other strategies, numbers and orders beside the given ones, and show what each would take")
	addFiles(cmd.Flags(), &f)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text (of a large group its zones and batches), wide (all its nodes), json or yaml")
	return cmd
}

// planForm is how a plan is written: as text, of which wide has all nodes, or as JSON.
type planForm struct{ json, wide bool }

// plan shows what an upgrade would do, or with auto a headless one.
func (a *app) plan(cmd *cobra.Command, of *planner.Scope, f *flags.Roll, auto, asJSON bool) error {
	if of.IsRoll() {
		if f.Compare {
			return errComparesOne()
		}
		if f.Save != "" {
			return errSavesOne()
		}
		if err := f.FitsSeveral(cmd); err != nil {
			return err
		}
	}
	_, settings, err := f.Rules(cmd, auto)
	if err != nil {
		return exitcode.Usage(err)
	}
	s, err := a.Open(cmd.Context(), f.Where, kube.ReadRights(a.Namespace), true)
	if err != nil {
		return err
	}
	as := planForm{json: asJSON, wide: f.Wide}
	request := f.Request(cmd, auto)
	p := planner.Planner{Session: s, Request: &request, Auto: auto}
	if err := p.Settle(config.ConfigDir(os.Getenv), s.Context(), &settings); err != nil {
		return exitcode.Usage(err)
	}
	if of.IsRoll() {
		if err := s.Groups.Several(); err != nil {
			return exitcode.Usage(err)
		}
		return f.DetailedExit(a.planSeveral(cmd.Context(), p, of, as))
	}
	at, err := s.Find(cmd.Context(), of.Named[0])
	if err != nil {
		return err
	}
	if err := p.FitsEKS(at); err != nil {
		return exitcode.Usage(err)
	}
	if f.Save != "" {
		if at.Provider() == backend.Gardener || at.Provider() == backend.EKSManaged || f.Where.CloudOnly {
			return errSavesRolls(at)
		}
		p.Save = saver(f, a.Version, s.Cluster())
	}
	if f.Compare {
		return f.DetailedExit(a.compare(cmd, p, at, f, as))
	}
	if at.Provider() == backend.Gardener {
		return f.DetailedExit(a.planPool(cmd.Context(), p, at, as))
	}
	return f.DetailedExit(a.planGroup(cmd.Context(), p, at, as))
}

// planGroup shows what a run would do, and reports whether that is something.
func (a *app) planGroup(ctx context.Context, p planner.Planner, at backend.Group, as planForm) (todo bool, err error) {
	if at.Provider() == backend.EKSManaged {
		return a.planManaged(ctx, p, at, as)
	}
	plan, err := p.Group(ctx, at)
	if err != nil {
		return false, err
	}
	todo = plan.HasWork()
	if as.json {
		return todo, present.JSON(a.Out, present.PlanOf(plan))
	}
	present.WritePlan(a.Out, plan, nil, as.wide)
	return todo, nil
}

// compare shows what a run would do by several settings, and reports whether that is something.
func (a *app) compare(cmd *cobra.Command, p planner.Planner, at backend.Group, f *flags.Roll, as planForm) (todo bool, err error) {
	switch {
	case at.Provider() == backend.Gardener:
		return false, exitcode.Usage(fmt.Errorf("--compare: Gardener rolls worker pool %s, by its own settings", at.Name()))
	case at.Provider() == backend.EKSManaged:
		return false, exitcode.Usage(fmt.Errorf("--compare: EKS updates node group %s, by its own settings", at.Name()))
	case f.Where.CloudOnly:
		return false, exitcode.Usage(errors.New("--compare: without Kubernetes nothing can be rehearsed"))
	}
	variations, err := f.Variations(cmd, at)
	if err != nil {
		return false, err
	}
	list, err := p.Compare(cmd.Context(), at, variations)
	if err != nil {
		return false, err
	}
	todo = list[0].Plan.HasWork()
	if as.json {
		return todo, present.JSON(a.Out, present.ComparisonOf(list))
	}
	present.WriteComparison(a.Out, list)
	return todo, nil
}

// planSeveral shows what a roll would do, and reports whether that is something.
func (a *app) planSeveral(ctx context.Context, p planner.Planner, of *planner.Scope, as planForm) (todo bool, err error) {
	p.Several = true
	plan, err := p.Roll(ctx, of)
	if err != nil {
		return false, err
	}
	todo = len(plan.Runs) > 0
	for _, group := range plan.Plans {
		todo = todo || group.HasWork()
	}
	if as.json {
		return todo, present.JSON(a.Out, present.RollOf(plan))
	}
	present.WriteRollPlan(a.Out, plan, p.Session.Clock().Now(), as.wide)
	return todo, nil
}

// planPool shows how a worker pool stands, what a roll of it meets, and what a run would do,
// and reports whether that is something.
func (a *app) planPool(ctx context.Context, p planner.Planner, at backend.Group, as planForm) (todo bool, err error) {
	plan, err := p.Pool(ctx, at)
	if err != nil {
		return false, err
	}
	todo = len(plan.Run.Nodes) > 0
	if as.json {
		return todo, present.JSON(a.Out, plan.JSON())
	}
	plan.Write(a.Out, as.wide)
	return todo, nil
}

// planManaged shows how a managed node group stands, and what its update by EKS would do, and
// reports whether that is something.
func (a *app) planManaged(ctx context.Context, p planner.Planner, at backend.Group, as planForm) (todo bool, err error) {
	plan, err := p.Managed(ctx, at)
	if err != nil {
		return false, err
	}
	todo = plan.Run.HasWork()
	if as.json {
		return todo, present.JSON(a.Out, plan.JSON())
	}
	plan.Write(a.Out, as.wide)
	return todo, nil
}

// errComparesOne is why settings cannot be compared for this plan.
func errComparesOne() error {
	return exitcode.Usage(errors.New("--compare rehearses the settings of one group: name it, without a change of a Shoot"))
}

// errNoPool is why a plan of Gardener's has nothing to plan.
func errNoPool() error {
	return exitcode.Usage(errors.New("name a POOL to see its state and what would block a roll (drainboard groups lists them), or give a change of the Shoot: --change FILE, --kubernetes-version, --machine-image-version or --operation"))
}
