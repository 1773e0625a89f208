package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui"
	"github.com/drainboard/drainboard/ui/review"
)

// reviews shows a plan on the screen until the user starts it, by the settings given or by others. p is then
// the plan that is started.
func (d *driver) reviews(ctx context.Context, p *snapshot.Plan) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o := d.Screen(ctx, d.session.Context())
	var working sync.Mutex // held while other settings are rehearsed
	var variants []planner.Variation
	var plans []present.Compared
	options := review.Options{Appearance: ui.Appearance{Theme: o.Theme, Mark: o.Mark, Silent: o.Silent}, Appearances: o.Appearances}
	if d.Vary != nil && d.at.Provider() != backend.Gardener && !p.Run.Settings.CloudOnly {
		options.Compare = func(ctx context.Context) (review.Comparison, error) {
			working.Lock()
			defer working.Unlock()
			if err := ctx.Err(); err != nil {
				return review.Comparison{}, err
			}
			tried, err := d.Vary(d.at)
			if err != nil {
				return review.Comparison{}, err
			}
			if plans, variants, err = (planner.Planner{Session: d.session, Request: &d.Request}).CompareIn(ctx, d.at, d.view.World, tried); err != nil {
				return review.Comparison{}, err
			}
			plans[0].Plan = *p // the plan that is shown, not another one by the same settings
			out := review.Comparison{Heads: present.ComparedHeads}
			for _, c := range plans {
				out.Variants = append(out.Variants, review.Variant{Plan: pageOf(c.Plan), Cells: c.Cells()})
			}
			return out, nil
		}
	}
	answer, err := review.Show(ctx, pageOf(*p), options)
	stop()
	working.Lock() // the world is the run's from here on
	if err != nil {
		return err
	}
	if !answer.Start {
		return exitcode.With(exitcode.Aborted, errors.New("not started"))
	}
	if answer.Variant > 0 {
		d.takes(p, plans[answer.Variant], variants[answer.Variant])
	}
	return nil
}

// pageOf is a plan as the screen shows it.
func pageOf(p snapshot.Plan) review.Plan {
	page := present.PageOf(p)
	out := review.Plan{Title: page.Title, Verdict: page.Verdict, Alarms: page.Alarms, Facts: page.Facts}
	for _, s := range page.Sections {
		out.Sections = append(out.Sections, review.Section(s))
	}
	if err := cannotStart(p, false); err != nil {
		out.Refused = err.Error()
	}
	return out
}

// takes makes p the plan by other settings, which are those of the run.
func (d *driver) takes(p *snapshot.Plan, other present.Compared, v planner.Variation) {
	other.Plan.Run.Roll, other.Plan.Warnings = p.Run.Roll, append(slices.Clone(other.Plan.Warnings), planner.ShootSays(d.view.World)...)
	*p, d.terms, d.rules = other.Plan, v.Terms, v.Terms.Rules
	fmt.Fprintf(d.Out, "%s: started with %s\n", d.Group, other.What())
}
