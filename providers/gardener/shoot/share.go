package shoot

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

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
	part := func(amount *intstr.IntOrString, i, all int) string {
		if amount == nil {
			return limit(nil)
		}
		of := intstr.Parse(amount.String())
		if of.Type == intstr.String {
			digits, percent := strings.CutSuffix(of.StrVal, "%")
			if _, err := strconv.Atoi(digits); err != nil || !percent {
				return "" // it is no amount
			}
		}
		share := ofZone(of, i, len(v.Zones), all)
		return limit(&share)
	}
	for i, zone := range v.Zones {
		out = append(out, world.ZoneShare{Zone: world.Clean(zone), Surge: part(v.MaxSurge, i, v.Maximum), Unavailable: part(v.MaxUnavailable, i, v.Minimum)})
	}
	return out
}
