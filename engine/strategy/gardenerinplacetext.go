package strategy

import (
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase will do, for the user who approves it.
func (GardenerInPlace) Does(phase string, w *world.World, r *record.Run) string {
	if phase == rollPhase {
		return systems.GardenerSelectsByZone(systems.ZoneShares(Gardener{}.split(w, r)))
	}
	return Gardener{}.Does(phase, w, r)
}

// Warnings say what Gardener does with what is selected, and what a failed update holds up.
func (g GardenerInPlace) Warnings(w *world.World, r *record.Run) []string {
	out := []string{
		systems.ByZone(Gardener{}.split(w, r)),
		systems.GardenerForces(r.Settings.DrainTimeout),
		systems.FailedUpdateCounts(!g.Seed),
	}
	if (Gardener{}).surge(w, r) > 0 { // nodes are ended as well
		out = append(out, Gardener{}.Warnings(w, r)[1:]...)
	}
	return out
}

// Estimate is how long the slowest zone takes.
func (GardenerInPlace) Estimate(w *world.World, r *record.Run, left int) time.Duration {
	shares, old := Gardener{}.shares(w, r), map[string]int{}
	for _, n := range r.Nodes.All() {
		if !n.New && n.Stage != record.Replaced && n.Stage != record.Skipped && n.Stage != record.NodeFail {
			old[n.Zone]++
		}
	}
	turns := time.Duration(0)
	for zone, n := range old {
		turns = max(turns, rounds(min(n, left), shares[zone].most()))
	}
	total := turns * (assess.DrainGuess + updateGuess)
	if (Gardener{}).surge(w, r) > 0 {
		total += assess.JoinGuess
	}
	return total
}
