package strategy_test

import (
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// "If your node group has five Availability Zones and maxUnavailable as one, the
// upgrade process can launch a maximum of 10 nodes. However when maxUnavailable is
// 20 (or anything greater than 10, the process would launch 20 new nodes)."
func TestRaise(t *testing.T) {
	for _, c := range []struct{ zones, limit, want int }{{5, 1, 10}, {5, 20, 20}, {5, 10, 10}, {1, 1, 2}, {3, 7, 7}} {
		if got := strategy.Raise(c.zones, c.limit); got != c.want {
			t.Errorf("%d zones, maxUnavailable %d: %d, want %d", c.zones, c.limit, got, c.want)
		}
	}
}

// "The maximum unavailable has a quota of 100 nodes. The default value is one node."
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		amount string
		size   int
		want   int
	}{{"1", 12, 1}, {"0", 12, 1}, {"34%", 7, 2}, {"5%", 7, 1}, {"150", 500, 100}, {"50%", 500, 100}} {
		a, err := record.ParseAmount(c.amount)
		if err != nil {
			t.Fatal(err)
		}
		if got := strategy.Limit(a, c.size); got != c.want {
			t.Errorf("%s of %d: %d, want %d", c.amount, c.size, got, c.want)
		}
	}
	if d := (strategy.EKS{}).Defaults(); d.MaxUnavailable.N != 1 || d.DrainTimeout.Minutes() != 15 || d.Settle.Seconds() != 60 {
		t.Errorf("defaults %v, %v, %v are not the seed's", d.MaxUnavailable, d.DrainTimeout, d.Settle)
	}
}

// Who is to approve a phase reads what it will do.
func TestEveryPhaseSaysWhatItDoes(t *testing.T) {
	w := world.New()
	w.Group.Zones, w.Group.Sizes = []string{"a", "b", "c"}, world.Sizes{Desired: 12}
	r := record.Run{Limit: 2}
	for _, rules := range []interface {
		engine.Strategy
		Does(string, *world.World, *record.Run) string
	}{strategy.EKS{}, strategy.EKSMinimal{}} {
		for _, phase := range rules.Phases()[1:] { // setup asks nobody
			if rules.Does(phase, w, &r) == "" {
				t.Errorf("%s does not say what %s does", rules.Name(), phase)
			}
		}
	}
	if got := (strategy.EKS{}).Does("scale up", w, &r); !strings.Contains(got, "desired 12 → 18") {
		t.Errorf("scale up: %s", got)
	}
}
