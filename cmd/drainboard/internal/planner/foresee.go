package planner

import (
	"context"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/forecast"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// Foresee adds to a plan how its run would end, if it could start and can be simulated.
func Foresee(ctx context.Context, rules engine.Strategy, p *snapshot.Plan, w *world.World) {
	allowed := *p
	allowed.Rights = nil // who only plans may lack them
	if len(p.Nodes) == 0 || present.CannotStart(allowed) != nil {
		return
	}
	_ = live.Caught(func() error { // a crash there must not prevent the plan
		p.Foresee(forecast.By(rules)(forecast.Within(ctx, forecast.OfPlan), w, p.AsOf, p.Run))
		return nil
	})
}
