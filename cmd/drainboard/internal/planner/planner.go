package planner

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// Planner plans a request in a session.
type Planner struct {
	Session *session.Session
	*Request
	Auto bool // for a headless run, which is not rehearsed
	// Save, if not nil, receives what a plan was made from, before its end is foreseen.
	Save func(Source) error
}

// Source is what a plan of a group was made from.
type Source struct {
	At    backend.Group
	World *world.World
	Plan  *snapshot.Plan
	Terms Terms
	Last  *record.Run // the group's last run, nil for none
}

// saves passes what a plan was made from to Save.
func (p Planner) saves(ctx context.Context, at backend.Group, w *world.World, plan *snapshot.Plan, terms Terms) error {
	if p.Save == nil {
		return nil
	}
	return p.Save(Source{at, w, plan, terms, p.last(ctx, &w.Group)})
}

// Group reads one group, and plans its run.
func (p Planner) Group(ctx context.Context, at backend.Group) (snapshot.Plan, error) {
	terms, err := p.TermsFor(ctx, at)
	if err != nil {
		return snapshot.Plan{}, exitcode.Usage(err)
	}
	v, err := p.Session.Read(ctx, at, nil)
	if err != nil {
		return snapshot.Plan{}, err
	}
	defer v.Queue.Close()
	plan, err := p.Plan(ctx, terms, at, v.World)
	if err == nil {
		err = p.saves(ctx, at, v.World, &plan, terms)
	}
	if err == nil && !p.Auto {
		Foresee(ctx, terms.Rules, &plan, v.World)
	}
	return plan, err
}

// Plan returns the requested run, and what it would do.
func (p Planner) Plan(ctx context.Context, terms Terms, at backend.Group, w *world.World) (snapshot.Plan, error) {
	if why := w.Group.Refused; why != "" {
		return snapshot.Plan{}, exitcode.Usage(fmt.Errorf("group %s: %s", w.Group.Name, why))
	}
	target, err := at.Target(ctx, p.NewTarget)
	if err != nil {
		return snapshot.Plan{}, exitcode.Usage(err)
	}
	target.All = target.All || p.AllNodes
	if len(p.Only) > 0 {
		if target.Only, err = only(w, p.Only); err != nil {
			return snapshot.Plan{}, exitcode.Usage(err)
		}
	}
	seed := p.Seed
	if seed == 0 {
		seed = rand.Uint64N(1 << 32)
	}
	settings, given := terms.Settings, len(terms.Settings.NewLabels) > 0
	if settings.NewLabels = expectedLabels(w, settings.NewLabels); !given && len(settings.NewLabels) > 0 {
		settings.Origin["expect-label"] = "EKS: the labels of the group's nodes"
	}
	id := cmp.Or(p.RunID, session.RunID(w.Group.Name, p.Session.Clock().Now()))
	run := assess.NewRun(terms.Rules, id, seed, w, settings, target)
	run.Cluster = p.Session.Cluster()
	if last := p.last(ctx, &w.Group); last != nil {
		if last.RaiseLeft != nil {
			run.Inherit(*last.RaiseLeft, w.Group.Sizes)
		}
		run.Earlier = last.Measured.After(last.Earlier)
	}
	if w.Group.Managed != nil {
		run.UpdateConfig = p.configLeft(ctx, &w.Group)
	}
	limit := strategy.Limit(settings.MaxUnavailable, run.Base.Desired)
	plan := snapshot.MakePlan(terms.Rules, p.Session.Clock().Now(), w, run, limit)
	plan.Warnings = slices.Concat(present.Undrained(plan.Run), plan.Warnings, terms.Notes, notRolled(plan, w))
	if !plan.HasWork() {
		plan.Warm = nil // no run terminates them: notRolled says so
		plan.Warnings = append(plan.Warnings, unseen(&plan, w)...)
	}
	plan.Rights = at.Rights(ctx, terms.Rules, w, &plan)
	return plan, nil
}

// last returns the last run of the group, if it has ended and its record can be read; nil for none.
func (p Planner) last(ctx context.Context, g *world.Group) *record.Run {
	last, found, err := p.Session.Record(g.Name).Load(ctx)
	if err != nil || !found || last.State != record.Finished || last.GroupID != g.ID {
		return nil
	}
	return &last
}

// expectedLabels returns the labels that a new node must carry: those of the EKS
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
