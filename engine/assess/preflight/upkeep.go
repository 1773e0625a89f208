package preflight

import (
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// Upkeep says what a group does to its machines by itself while it is rolled, and what it
// does not do because a user or tool has suspended it.
func Upkeep(g *world.Group) (out []string) {
	for _, process := range g.Suspended {
		if why := plans.ProcessSuspended(process); why != "" {
			out = append(out, why)
		}
	}
	u := g.Upkeep
	if u.MaxLifetime > 0 {
		out = append(out, plans.LifetimeLimited(u.MaxLifetime))
	}
	if u.CapacityRebalance {
		out = append(out, plans.RebalancesCapacity)
	}
	if u.MinHealthy > 0 || u.MaxHealthy > 0 {
		out = append(out, plans.MaintenanceBounded(u.MinHealthy, u.MaxHealthy))
	}
	if u.ZonalShift {
		out = append(out, plans.ShiftsZones)
	}
	return out
}
