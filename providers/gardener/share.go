package gardener

import (
	"cmp"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
)

// shares are the zones' shares of the pool's limits, by the Shoot: Gardener splits them, and
// each zone resolves its own with its machines, which are counted by zone.
func (f *Feed) shares(machines map[string]int) (out []world.ZoneShare) {
	for _, s := range f.shoots {
		if s.is == nil {
			continue
		}
		for _, part := range s.is.Split(f.pool) {
			part.Zone = onNodes(part.Zone, machines)
			part.MaxSurge, part.MaxUnavailable = atOnce(part.Surge, part.Unavailable, machines[part.Zone])
			out = append(out, part)
		}
	}
	slices.SortFunc(out, func(a, b world.ZoneShare) int { return cmp.Compare(a.Zone, b.Zone) })
	return out
}

// onNodes is a zone as nodes have it: in some clouds a Shoot calls it by its number only
// ("1"), and nodes by region and number ("westeurope-1").
func onNodes(zone string, machines map[string]int) string {
	if _, there := machines[zone]; !there {
		for name := range machines {
			if strings.HasSuffix(name, "-"+zone) {
				return name
			}
		}
	}
	return zone
}

// perZone counts machines by zone.
func perZone(members []world.Machine) map[string]int {
	n := map[string]int{}
	for _, m := range members {
		if !m.Leaving() {
			n[m.Zone]++
		}
	}
	return n
}
