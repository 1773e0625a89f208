package present

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// The pace of a pool is Gardener's: what each zone may have more, and miss.
func TestPaceOfAPool(t *testing.T) {
	zone := func(name string, surge, unavailable int, guess bool) snapshot.PoolZone {
		return snapshot.PoolZone{Name: name, Surge: surge, Unavailable: unavailable, SurgeAs: "x", UnavailableAs: "x", Guess: guess}
	}
	for _, tt := range []struct {
		rules engine.Strategy
		zones []snapshot.PoolZone
		want  string
	}{
		{strategy.GardenerFollow{}, []snapshot.PoolZone{zone("a", 1, 0, false)}, "Gardener rolls all zones side by side, about 1m0s. Zone a may have 1 machine more and none unavailable."},
		{strategy.GardenerFollow{}, []snapshot.PoolZone{zone("a", 2, 1, true), zone("b", 0, 1, true), zone("c", 2, 1, true)},
			"Gardener rolls all zones side by side, about 1m0s. Zones a and c may each have 2 machines more and 1 unavailable; zone b may have none more and 1 unavailable, by the Shoot."},
		{strategy.GardenerFollow{}, []snapshot.PoolZone{{Name: "a"}}, "Gardener rolls all zones side by side. maxSurge and maxUnavailable are in the Shoot, which is not read."},
		{strategy.GardenerManual{}, []snapshot.PoolZone{zone("a", 0, 0, false)}, "Up to 2 at once, about 1m0s. A node is out of service while it is updated, without a replacement."},
	} {
		p := snapshot.Plan{Strategy: tt.rules.Name(), Limit: 2, Estimate: time.Minute, Pool: &snapshot.PoolView{Zones: tt.zones}}
		if got := pace(p); got != tt.want {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}

// A headline has no empty target.
func TestHeadlineOfAPool(t *testing.T) {
	for _, tt := range []struct{ update, from, to, want string }{
		{world.AutoRollingUpdate, "v1.32.4", "1.33.0", "web: 1 node to replace, v1.32.4 → 1.33.0"},
		{world.AutoInPlaceUpdate, "v1.32.4", "", "web: 1 node to update in place, from v1.32.4 to the Shoot's version"},
		{"", "", "1.33.0", "web: 1 node to replace, to 1.33.0"},
		{"", "", "", "web: 1 node to replace, to the Shoot's version"},
	} {
		p := snapshot.Plan{Group: "web", From: tt.from, To: tt.to, Nodes: []snapshot.PlannedNode{{}}, Pool: &snapshot.PoolView{Update: tt.update}}
		if got := headline(p); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
