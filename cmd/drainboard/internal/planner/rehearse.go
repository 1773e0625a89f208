package planner

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// rehearsalLimit bounds the time of a rehearsal: the rest is
// extrapolated.
const rehearsalLimit = 2 * time.Second

// Rehearse rehearses a plan, if it could start and can be simulated.
func Rehearse(ctx context.Context, rules engine.Strategy, p *snapshot.Plan, w *world.World) {
	allowed := *p
	allowed.Rights = nil // who only plans may lack them
	if len(p.Nodes) == 0 || present.CannotStart(allowed) != nil {
		return
	}
	_ = live.Caught(func() error { // a crash there must not prevent the plan
		if r, told := Rehearsing(rules)(ctx, w, p.AsOf, p.Run); told {
			p.Rehearse(r)
		}
		return nil
	})
}

// Rehearsing returns how runs by some rules are rehearsed.
func Rehearsing(rules engine.Strategy) live.Rehearse {
	return func(ctx context.Context, w *world.World, now time.Time, r record.Run) (snapshot.Rehearsal, bool) {
		ctx, cancel := context.WithTimeout(ctx, rehearsalLimit)
		defer cancel()
		return sim.Rehearse(ctx, rules, w, now, r)
	}
}
