package scene

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/world"
)

// PoolProgress is how far a worker pool has come, "" if this is none, or it is not known.
func (sc *Scene) PoolProgress() string {
	if sc.Pool == nil || !sc.Pool.Control {
		return ""
	}
	desired, updated, _, _ := sc.Pool.Summary()
	return fmt.Sprintf("%d of %d updated", updated, desired)
}

func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// PoolTrouble is what of the pool cannot be read now although the rest is fresh, "" if all
// can.
func (sc *Scene) PoolTrouble() string {
	if src := sc.source(world.Cloud); src != nil && !src.Stale {
		return src.Problem
	}
	return ""
}
