package strategy

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase will do, for whoever is to approve it.
func (g Gardener) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case taint:
		return "new pods avoid the outdated nodes, as far as others have room"
	case rollPhase:
		return fmt.Sprintf("the zones are rolled side by side, with no further question: %s", g.split(w, r))
	case finish:
		return "machines that are too many are ended, emptiest first, until the group has its size again"
	}
	return ""
}

// split says what each zone may have more, and miss.
func (g Gardener) split(w *world.World, r *record.Run) string {
	shares := g.shares(w, r)
	var parts []string
	for _, zone := range w.Group.Zones {
		if s, has := shares[zone]; has {
			parts = append(parts, fmt.Sprintf("%s up to %d more and %d unavailable", zone, s.surge, s.unavailable))
		}
	}
	return strings.Join(parts, ", ")
}

// Warnings say what Gardener does and others do not: it deletes pods past their budgets, and
// nodes that are not Ready with their pods.
func (g Gardener) Warnings(w *world.World, r *record.Run) []string {
	k := &r.Settings
	out := []string{"by zone: " + g.split(w, r)}
	if k.OnDrainTimeout == record.TimeoutForce {
		when := fmt.Sprintf("when its node's drain has taken %s", k.DrainTimeout)
		if n := k.EvictRetries; n > 0 {
			when = fmt.Sprintf("after %d refused tries, %s apart, or %s", n, k.EvictionRetry, when)
		}
		out = append(out, "a pod is deleted past its budget "+when+", as Gardener does it; --on-drain-timeout=fail keeps the budgets")
	}
	if k.Unreachable == record.UnreachableTerminate {
		out = append(out, fmt.Sprintf("a node that drains and is not heard from for %s is ended with the pods on it, as Gardener does it; --unreachable=wait waits", k.UnreachableAfter))
	}
	return out
}
