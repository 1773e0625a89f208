package shoot

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
)

// Split is what the machine deployments of a pool's zones get of its maxSurge and
// maxUnavailable, as they are written there; none of a pool that there is not, and of one that
// is updated by hand, where nothing limits.
func (s *Shoot) Split(pool string) (out []world.ZoneShare) {
	v, known := s.pool(pool)
	if !known || v.UpdateStrategy == world.ManualInPlaceUpdate {
		return nil
	}
	for i, zone := range v.Zones {
		out = append(out, world.ZoneShare{Zone: world.Clean(zone), Surge: v.part(limit(v.MaxSurge), i), Unavailable: v.part(limit(v.MaxUnavailable), i)})
	}
	return out
}

// part is the i-th zone's part of an amount: a number goes to the zones in turn, a
// percentage is one of each zone's machines, heavier where a zone has more of the pool's
// maximum (gardener/gardener extensions/pkg/controller/worker, DistributeOverZones and
// DistributePercentOverZones). It is "" for what is no amount.
func (v view) part(amount string, i int) string {
	n := len(v.Zones)
	digits, percent := strings.CutSuffix(amount, "%")
	all, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return ""
	case !percent:
		return strconv.Itoa(inTurn(all, i, n))
	case v.Maximum <= 0 || v.Maximum%n == 0:
		return amount
	}
	weight := 100 / (float64(v.Maximum) / float64(n)) * float64(inTurn(v.Maximum, i, n))
	return fmt.Sprintf("%d%%", int(math.Ceil(weight*float64(all)/100)))
}

// inTurn is the i-th of n parts of a number: what does not divide goes to the first ones.
func inTurn(all, i, n int) int {
	if i < all%n {
		return all/n + 1
	}
	return all / n
}
