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

// By returns how the end of runs by some rules is foreseen.
func By(rules engine.Strategy) live.Foresee {
	return func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		return sim.Foresee(ctx, rules, w, now, r)
	}
}
