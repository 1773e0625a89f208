package forecast

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// limit bounds the time of rehearsals: the rest is extrapolated.
const limit = 2 * time.Second

// allowed is the key of a limit of its own in a context.
type allowed struct{}

// Within gives rehearsals another limit: for a result that does not depend on how busy the machine is.
func Within(ctx context.Context, limit time.Duration) context.Context {
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
		return sim.Foresee(ctx, rules, w, now, r)
	}
}
