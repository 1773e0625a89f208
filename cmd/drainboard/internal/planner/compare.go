package planner

import (
	"context"
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/world"
)

// Variation are other terms for a run, and the flags that ask for them, beside those of the command line.
type Variation struct {
	Flags []string
	Terms Terms
}

// mostCompared is how many settings are compared at most: a handful can be read.
const mostCompared = 9

// Compare plans a group's run by each of the variations, of which the first is the one that was asked for,
// and rehearses them in the same world. Variations that change nothing in it are left out.
func (p Planner) Compare(ctx context.Context, at backend.Group, variations []Variation) ([]present.Compared, error) {
	v, err := p.Session.Read(ctx, at, nil)
	if err != nil {
		return nil, err
	}
	defer v.Queue.Close()
	out, _, err := p.CompareIn(ctx, at, v.World, variations)
	return out, err
}

// CompareIn is Compare in a world that was read. It returns also those of the variations that are compared.
func (p Planner) CompareIn(ctx context.Context, at backend.Group, w *world.World, variations []Variation) (out []present.Compared, of []Variation, err error) {
	var seen []string
	for i, a := range variations {
		plan, err := p.Plan(ctx, a.Terms, at, w)
		if err != nil && i == 0 {
			return nil, nil, err
		}
		if err != nil { // it does not fit this group
			continue
		}
		same := fmt.Sprint(plan.Strategy, plan.Limit, plan.Extra, plan.Run.Settings.Order)
		if len(out) == mostCompared || slices.Contains(seen, same) || i > 0 && plan.Limit > max(1, len(plan.Nodes)) {
			continue
		}
		seen = append(seen, same)
		if plan.HasWork() {
			Foresee(ctx, a.Terms.Rules, &plan, w)
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		out, of = append(out, present.Compared{Flags: a.Flags, Plan: plan}), append(of, a)
		if i == 0 && !plan.HasWork() {
			break
		}
	}
	return out, of, nil
}
