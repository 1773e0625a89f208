package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
)

func (a *app) planCmd() *cobra.Command {
	var f rollFlags
	var o string
	cmd := &cobra.Command{
		Use:   "plan GROUP",
		Short: "Show what an upgrade would do; changes nothing",
		Args:  oneGroup,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output(o)
			if err != nil {
				return err
			}
			return a.plan(cmd, args[0], &f, false, asJSON)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVarP(&o, "output", "o", "text", "text or json")
	return cmd
}

// plan shows what an upgrade would do, with auto what a headless one would.
func (a *app) plan(cmd *cobra.Command, group string, f *rollFlags, auto, asJSON bool) error {
	rules, settings, err := f.rules(cmd, auto)
	if err != nil {
		return usage(err)
	}
	s, err := connect(cmd.Context(), a.flags, a.namespace, kube.ReadRights(a.namespace), true)
	if err != nil {
		return err
	}
	if err := f.readHooks(a, s.kube.ContextName(), &settings); err != nil {
		return usage(err)
	}
	v, err := s.look(cmd.Context(), group, nil)
	if err != nil {
		return err
	}
	defer v.intake.Close()
	p, err := s.makePlan(cmd.Context(), rules, settings, f, v.world)
	if err != nil {
		return err
	}
	if asJSON {
		return writePlanJSON(a.out, p)
	}
	writePlan(a.out, p)
	return nil
}

// rules are the strategy and settings that the flags ask for.
func (f *rollFlags) rules(cmd *cobra.Command, auto bool) (engine.Strategy, engine.Settings, error) {
	if f.provider != "auto" && f.provider != "asg" {
		return nil, engine.Settings{}, fmt.Errorf("--provider: %q is not offered; choose auto or asg", f.provider)
	}
	name := f.strategy
	if name == "" {
		name = "eks"
	}
	rules, err := strategy.Named(name)
	if err != nil {
		return nil, engine.Settings{}, fmt.Errorf("--strategy: %w", err)
	}
	settings, err := f.settings(cmd, rules, auto, who())
	return rules, settings, err
}

// makePlan makes the run that the flags ask for, and what it would do.
func (s *session) makePlan(ctx context.Context, rules engine.Strategy, settings engine.Settings, f *rollFlags, w *world.World) (engine.Plan, error) {
	if why := w.Group.Refused; why != "" {
		return engine.Plan{}, usage(fmt.Errorf("group %s: %s", w.Group.Name, why))
	}
	target, err := s.aws.Target(ctx, w.Group.Name, asg.TargetOptions{TemplateVersion: f.templateVersion, AMI: f.ami})
	if err != nil {
		return engine.Plan{}, usage(err)
	}
	target.All = f.allNodes
	if len(f.only) > 0 {
		if target.Only, err = only(w, f.only); err != nil {
			return engine.Plan{}, usage(err)
		}
	}
	seed := f.seed
	if seed == 0 {
		seed = rand.Uint64N(1 << 32)
	}
	if settings.NewLabels = expectedLabels(w, settings.NewLabels); len(f.newLabels) == 0 && len(settings.NewLabels) > 0 {
		settings.Origin["expect-label"] = "EKS: the labels of the group's nodes"
	}
	run := engine.NewRun(rules, runID(w.Group.Name, s.kube.Clock()), seed, w, settings, target)
	run.Cluster = s.kube.ClusterName()
	limit := strategy.Limit(settings.MaxUnavailable, w.Group.Sizes.Desired)
	p := engine.MakePlan(rules, s.kube.Clock().Now(), w, run, limit)
	p.Warnings = append(p.Warnings, notRolled(p, w)...)
	if len(p.Nodes) == 0 {
		p.Warm = nil // no run, so nobody ends them: notRolled tells
	}
	return p, nil
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

// refuse says why a plan cannot be started, nil if it can.
func refuse(p engine.Plan) error {
	var others []string
	for _, r := range p.Opposed() {
		others = append(others, r.Deed()+": "+r.WayOut)
	}
	if len(others) > 0 && len(p.Nodes) > 0 {
		return usage(errors.New("nothing was started: somebody else is at work on this group\n  " + strings.Join(others, "\n  ")))
	}
	if len(p.Refusals) == 0 {
		return nil
	}
	return usage(errors.New("nothing was started: these pods need your consent\n  " + strings.Join(p.Refusals, "\n  ")))
}
