package strategy

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase will do, for the user who approves it.
func (g Gardener) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case taint:
		return systems.GardenerTaints
	case rollPhase:
		return systems.GardenerRolls(systems.ZoneShares(g.split(w, r)))
	case finish:
		return systems.GardenerFinishes
	}
	return ""
}

// split says what each zone may have more, and miss.
func (g Gardener) split(w *world.World, r *record.Run) (parts []string) {
	shares := g.shares(w, r)
	for _, zone := range w.Group.Zones {
		if s, has := shares[zone]; has {
			parts = append(parts, systems.ZoneShare(zone, s.surge, s.unavailable))
		}
	}
	return parts
}

// Warnings say what Gardener does and others do not: it deletes pods past their budgets, and
// nodes that are not Ready with their pods.
func (g Gardener) Warnings(w *world.World, r *record.Run) []string {
	k := &r.Settings
	out := []string{systems.ByZone(g.split(w, r))}
	if k.OnDrainTimeout == record.TimeoutForce {
		out = append(out, systems.DeletesPastBudget(k.EvictRetries, k.EvictionRetry, k.DrainTimeout))
	}
	if k.Unreachable == record.UnreachableTerminate {
		out = append(out, systems.EndsUnreachable(k.UnreachableAfter))
	}
	return out
}
