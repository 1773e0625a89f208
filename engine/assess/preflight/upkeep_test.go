package preflight

import (
	"slices"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

func TestUpkeep(t *testing.T) {
	g := world.Group{
		Suspended: []string{"AZRebalance", "AddToLoadBalancer", "Launch"},
		Upkeep:    world.Upkeep{MaxLifetime: 7 * 24 * time.Hour, CapacityRebalance: true, MinHealthy: 90, MaxHealthy: 120, ZonalShift: true},
	}
	want := []string{
		"AddToLoadBalancer is suspended: new machines are not registered with the group's load balancers",
		"Launch is suspended: the group launches no machines, so no new node will come up",
		"the group replaces machines older than 168h by itself (MaxInstanceLifetime), without a drain",
		"the group replaces Spot machines that may soon be taken back (Capacity Rebalancing), without a drain",
		"the group's instance maintenance policy (90 % to 120 % healthy) bounds what it replaces by itself",
		"zonal shift is enabled: while a zone is shifted away from, the group launches in the others only",
	}
	if got := Upkeep(&g); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := Upkeep(&world.Group{Suspended: []string{"AZRebalance"}}); got != nil {
		t.Errorf("got %q", got)
	}
}
