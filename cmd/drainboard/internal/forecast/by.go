package forecast

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/rehearse"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// Rehearsals have a limit of time; what they have not come to by then is extrapolated, and they tell no range. Those of
// a run recur, beside its decisions. A plan is waited for, on a machine that may be busy.
const (
	limit  = 2 * time.Second
	OfPlan = 5 * time.Second
)

// allowed is the key of a limit of its own in a context.
type allowed struct{}

// Within gives rehearsals another limit, where they have none of their own yet.
func Within(ctx context.Context, limit time.Duration) context.Context {
	if ctx.Value(allowed{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, allowed{}, limit)
}

// By returns how the end of runs by some rules is foreseen.
func By(rules engine.Strategy) live.Foresee {
	return func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast {
		most, given := ctx.Value(allowed{}).(time.Duration)
		if !given {
			most = limit
		}
		ctx, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		return rehearse.Foresee(ctx, rules, w, now, r)
	}
}
