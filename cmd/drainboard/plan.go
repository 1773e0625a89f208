package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/config"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) planCmd() *cobra.Command {
	var f rollFlags
	var of scope
	var o string
	cmd := &cobra.Command{
		Use:   "plan GROUP...",
		Short: "Show what an upgrade would do; changes nothing",
		Long:  "Show what an upgrade of groups would do; nothing is changed. How long it takes, and how it ends as it stands, is rehearsed in a\ncopy of the cluster where Drainboard drains the nodes. Of a worker pool of Gardener's it says how that stands and what a roll meets, too.\n\n" + changeHelp,
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
			if of.nothing(args) && (f.where.Provider == backend.Gardener || f.where.AsksForPools()) {
				return errNoPool()
			}
			if err := of.take(args); err != nil {
				return err
			}
			return a.plan(cmd, &of, &f, false, asJSON)
		},
	}
	of.addScope(cmd)
	f.add(cmd)
	addChange(cmd.Flags())
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// plan shows what an upgrade would do, with auto what a headless one would.
func (a *app) plan(cmd *cobra.Command, of *scope, f *rollFlags, auto, asJSON bool) error {
	if of.isRoll() {
		if err := f.fitsSeveral(cmd); err != nil {
			return err
		}
	}
	_, settings, err := f.rules(cmd, auto)
	if err != nil {
		return exitcode.Usage(err)
	}
	s, err := a.open(cmd.Context(), f.where, kube.ReadRights(a.namespace), true)
	if err != nil {
		return err
	}
	if err := f.Settle(config.ConfigDir(os.Getenv), s.Context(), &settings); err != nil {
		return exitcode.Usage(err)
	}
	if of.isRoll() {
		if err := s.groups.Several(); err != nil {
			return exitcode.Usage(err)
		}
		return a.planSeveral(cmd, s, of, f, auto, asJSON)
	}
	at, err := s.find(cmd.Context(), of.named[0])
	if err != nil {
		return err
	}
	if at.Provider() == backend.Gardener {
		return a.planPool(cmd, s, at, f, auto, asJSON)
	}
	p, err := s.planGroup(cmd.Context(), cmd, at, f, auto)
	if err != nil {
		return err
	}
	if asJSON {
		return present.JSON(a.Out, present.PlanOf(p))
	}
	present.WritePlan(a.Out, p, nil)
	return nil
}

// planSeveral shows what a roll would do.
func (a *app) planSeveral(cmd *cobra.Command, s *session, of *scope, f *rollFlags, auto, asJSON bool) error {
	p, err := s.planRoll(cmd.Context(), cmd, of, f, auto)
	if err != nil {
		return err
	}
	if asJSON {
		return present.JSON(a.Out, present.RollOf(p))
	}
	present.WriteRollPlan(a.Out, p, s.Clock().Now())
	return nil
}

// planGroup looks at one group, and plans its run.
func (s *session) planGroup(ctx context.Context, cmd *cobra.Command, at place, f *rollFlags, auto bool) (engine.Plan, error) {
	rules, settings, err := f.rulesAt(ctx, cmd, auto, &at)
	if err != nil {
		return engine.Plan{}, exitcode.Usage(err)
	}
	f.Into(&settings)
	v, err := s.look(ctx, at, nil)
	if err != nil {
		return engine.Plan{}, err
	}
	defer v.intake.Close()
	p, err := s.makePlan(ctx, rules, settings, f, at, v.world)
	if err == nil && !auto {
		rehearse(ctx, rules, &p, v.world)
	}
	return p, err
}

// makePlan makes the run that the flags ask for, and what it would do.
func (s *session) makePlan(ctx context.Context, rules engine.Strategy, settings record.Settings, f *rollFlags, at place, w *world.World) (engine.Plan, error) {
	if why := w.Group.Refused; why != "" {
		return engine.Plan{}, exitcode.Usage(fmt.Errorf("group %s: %s", w.Group.Name, why))
	}
	target, err := at.Target(ctx, asg.TargetOptions{TemplateVersion: f.templateVersion, AMI: f.ami})
	if err != nil {
		return engine.Plan{}, exitcode.Usage(err)
	}
	target.All = f.allNodes
	if len(f.only) > 0 {
		if target.Only, err = only(w, f.only); err != nil {
			return engine.Plan{}, exitcode.Usage(err)
		}
	}
	seed := f.seed
	if seed == 0 {
		seed = rand.Uint64N(1 << 32)
	}
	if settings.NewLabels = expectedLabels(w, settings.NewLabels); len(f.newLabels) == 0 && len(settings.NewLabels) > 0 {
		settings.Origin["expect-label"] = "EKS: the labels of the group's nodes"
	}
	run := engine.NewRun(rules, runID(w.Group.Name, s.Clock()), seed, w, settings, target)
	run.Cluster = s.Cluster()
	limit := strategy.Limit(settings.MaxUnavailable, w.Group.Sizes.Desired)
	p := engine.MakePlan(rules, s.Clock().Now(), w, run, limit)
	p.Warnings = slices.Concat(present.Undrained(p.Run), p.Warnings, s.larger(ctx, &w.Group), at.notes, notRolled(p, w))
	if len(p.Nodes) == 0 {
		p.Warm = nil // no run, so nobody ends them: notRolled tells
	}
	return p, nil
}

// rehearsalLimit is how long a rehearsal may take: what it has not come to by
// then is extrapolated.
const rehearsalLimit = 2 * time.Second

// rehearse plays what a plan would do, if it can be played and would start.
func rehearse(ctx context.Context, rules engine.Strategy, p *engine.Plan, w *world.World) {
	if len(p.Nodes) == 0 || present.CannotStart(*p) != nil {
		return
	}
	_ = live.Caught(func() error { // a crash there is no reason for no plan
		if r, told := rehearsing(rules)(ctx, w, p.AsOf, p.Run); told {
			p.Rehearse(r)
		}
		return nil
	})
}

// rehearsing is how runs by some rules are rehearsed.
func rehearsing(rules engine.Strategy) live.Rehearse {
	return func(ctx context.Context, w *world.World, now time.Time, r record.Run) (engine.Rehearsal, bool) {
		ctx, cancel := context.WithTimeout(ctx, rehearsalLimit)
		defer cancel()
		return sim.Rehearse(ctx, rules, w, now, r)
	}
}

// larger says so where the last run of the group left it larger than it was, as far as its
// record can be read.
func (s *session) larger(ctx context.Context, g *world.Group) []string {
	last, found, err := s.Record(g.Name).Load(ctx)
	if why := last.Larger(g); err == nil && found && why != "" {
		return []string{why}
	}
	return nil
}

// expectedLabels are the labels that a new node must carry: those of the EKS
// user guide where the group's nodes carry EKS's labels now, and those given.
func expectedLabels(w *world.World, given map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range w.Machines() {
		n := w.NodeOf(m.ID)
		if n == nil || n.Labels[world.EKSGroupKey] == "" {
			continue
		}
		out[world.EKSGroupKey] = n.Labels[world.EKSGroupKey]
		for _, key := range []string{"eks.amazonaws.com/nodegroup-image", "eks.amazonaws.com/sourceLaunchTemplateId", "eks.amazonaws.com/sourceLaunchTemplateVersion"} {
			if _, ok := n.Labels[key]; ok {
				out[key] = ""
			}
		}
	}
	for k, v := range given {
		out[k] = v
	}
	return out
}

// runID names a run: its group and when it was planned.
func runID(group string, c live.Clock) string {
	return strings.ToLower(group) + "-" + c.Now().UTC().Format("20060102-150405") + fmt.Sprintf("-%04x", rand.Uint32N(1<<16))
}
