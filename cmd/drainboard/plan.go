package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
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
			asJSON, err := output(o, "wide")
			if err != nil {
				return err
			}
			if err := f.fitsFiles(args); err != nil {
				return err
			}
			if f.from != "" {
				return a.planFrom(cmd, args, &f, planForm{json: asJSON, wide: o == "wide"})
			}
			if change, err := isChange(cmd, f.where.Provider); err != nil {
				return err
			} else if change && f.compare {
				return errComparesOne()
			} else if change && f.save != "" {
				return errSavesOne()
			} else if change {
				return a.planChange(cmd, args, asJSON)
			}
			if of.Nothing(args) && (f.where.Provider == backend.Gardener || f.where.AsksForPools()) {
				return errNoPool()
			}
			if err := of.Take(args); err != nil {
				return err
			}
			f.planned, f.wide = true, o == "wide"
			return a.plan(cmd, &of, &f, false, asJSON)
		},
	}
	addScope(cmd, &of)
	f.add(cmd)
	addChange(cmd.Flags())
	cmd.Flags().BoolVar(&f.detailed, "detailed-exitcode", false, "exit with 8 if there is something to do, and with 0 if there is nothing")
	cmd.Flags().BoolVar(&f.compare, "compare", false, "rehearse other strategies, numbers and orders beside the given ones, and show what each would take")
	f.addFiles(cmd.Flags())
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text (of a large group its zones and batches), wide (all its nodes), json or yaml")
	return cmd
}

// planForm is how a plan is written: as text, of which wide has all nodes, or as JSON.
type planForm struct{ json, wide bool }

// plan shows what an upgrade would do, or with auto a headless one.
func (a *app) plan(cmd *cobra.Command, of *planner.Scope, f *rollFlags, auto, asJSON bool) error {
	if of.IsRoll() {
		if f.compare {
			return errComparesOne()
		}
		if f.save != "" {
			return errSavesOne()
		}
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
	as := planForm{json: asJSON, wide: f.wide}
	request := f.request(cmd, auto)
	p := planner.Planner{Session: s, Request: &request, Auto: auto}
	if err := p.Settle(config.ConfigDir(os.Getenv), s.Context(), &settings); err != nil {
		return exitcode.Usage(err)
	}
	if of.IsRoll() {
		if err := s.Groups.Several(); err != nil {
			return exitcode.Usage(err)
		}
		return f.detailedExit(a.planSeveral(cmd.Context(), p, of, as))
	}
	at, err := s.Find(cmd.Context(), of.Named[0])
	if err != nil {
		return err
	}
	if err := p.FitsEKS(at); err != nil {
		return exitcode.Usage(err)
	}
	if f.save != "" {
		if at.Provider() == backend.Gardener || at.Provider() == backend.EKSManaged || f.where.CloudOnly {
			return errSavesRolls(at)
		}
		p.Save = f.saver(a.Version, s.Cluster())
	}
	if f.compare {
		return f.detailedExit(a.compare(cmd, p, at, f, as))
	}
	if at.Provider() == backend.Gardener {
		return f.detailedExit(a.planPool(cmd.Context(), p, at, as))
	}
	return f.detailedExit(a.planGroup(cmd.Context(), p, at, as))
}

// detailedExit is the end of a plan that was shown: with --detailed-exitcode its exit code
// tells whether there is something to do.
func (f *rollFlags) detailedExit(todo bool, err error) error {
	if err == nil && todo && f.detailed {
		return exitcode.With(exitcode.NodesLeft, errors.New("")) // said already
	}
	return err
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
func (a *app) compare(cmd *cobra.Command, p planner.Planner, at backend.Group, f *rollFlags, as planForm) (todo bool, err error) {
	switch {
	case at.Provider() == backend.Gardener:
		return false, exitcode.Usage(fmt.Errorf("--compare: Gardener rolls worker pool %s, by its own settings", at.Name()))
	case at.Provider() == backend.EKSManaged:
		return false, exitcode.Usage(fmt.Errorf("--compare: EKS updates node group %s, by its own settings", at.Name()))
	case f.where.CloudOnly:
		return false, exitcode.Usage(errors.New("--compare: without Kubernetes nothing can be rehearsed"))
	}
	variations, err := f.variations(cmd, at)
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

// variations are the terms that a comparison tries: those of the command line, and what other flags make of
// them where that is allowed.
func (f *rollFlags) variations(cmd *cobra.Command, at backend.Group) ([]planner.Variation, error) {
	request := f.request(cmd, false)
	given, err := request.TermsFor(cmd.Context(), at)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	out := []planner.Variation{{Terms: given}}
	var tried [][2]string
	for _, name := range offered() {
		if name == (strategy.Gardener{Seed: true}).Name() { // whose numbers are those of a document
			continue
		}
		tried = append(tried, [2]string{"strategy", name})
	}
	tried = append(tried, [][2]string{
		{"max-unavailable", "1"}, {"max-unavailable", "2"}, {"max-unavailable", "4"},
		{"max-surge", string(record.SurgeFit)}, {"max-surge", "1"}, {"max-surge", "4"}, {"max-surge", "25%"},
		{"order", string(record.OrderFewestBlockers)},
	}...)
	for _, flag := range tried {
		if terms, err := f.with(cmd, at, flag[0], flag[1]); err == nil {
			out = append(out, planner.Variation{Flags: []string{"--" + flag[0] + "=" + flag[1]}, Terms: terms})
		}
	}
	return out, nil
}

// with is what a flag would make of the terms, which stays as it was given.
func (f *rollFlags) with(cmd *cobra.Command, at backend.Group, name, value string) (planner.Terms, error) {
	flag := cmd.Flags().Lookup(name)
	before, changed := *f, flag.Changed
	defer func() { *f, flag.Changed = before, changed }()
	flag.Changed = true
	if list, is := flag.Value.(pflag.SliceValue); is { // whose Set adds to what was given
		if err := list.Replace([]string{value}); err != nil {
			return planner.Terms{}, err
		}
	} else if err := flag.Value.Set(value); err != nil {
		return planner.Terms{}, err
	}
	request := f.request(cmd, false)
	return request.TermsFor(cmd.Context(), at)
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
