package flags

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
)

func TestZoneSettings(t *testing.T) {
	s, err := parseFor(t, strategy.Gardener{}, false)
	if err != nil || s.OnDrainTimeout != record.TimeoutForce || s.ForcedBy == "" || s.EvictRetries != 360 || s.MaxSurge.N != 1 {
		t.Errorf("gardener by itself: %+v, %v", s, err)
	}
	for _, row := range present.Settings {
		if row.Of("gardener") && s.Origin[row.Flag] == "" {
			t.Errorf("%s has no origin", row.Flag)
		}
	}
	seed, err := parseFor(t, strategy.Gardener{Seed: true}, false, "--max-surge", "0", "--max-unavailable", "25%", "--health-timeout", "3m", "--node-conditions", "KernelDeadlock")
	if err != nil || seed.EvictRetries != 10 || seed.MaxSurge.N != 0 || !seed.MaxUnavailable.Percent || seed.HealthTimeout != 3*time.Minute ||
		!slices.Equal(seed.NodeConditions, []string{"KernelDeadlock"}) || seed.Origin["health-timeout"] != "flag" {
		t.Errorf("gardener-seed with flags: %+v, %v", seed, err)
	}
	for _, c := range []struct {
		rules engine.Strategy
		args  []string
		want  string
	}{
		{strategy.EKS{}, []string{"--max-evict-retries", "3"}, "the eks strategy retries an eviction until the drain timeout"},
		{strategy.Kops{}, []string{"--health-timeout", "3m"}, "the kops strategy does not replace a machine"},
		{strategy.Gardener{}, []string{"--max-evict-retries", "0"}, "0 is too small"},
		{strategy.Gardener{}, []string{"--health-timeout", "1ms"}, "1ms is too short"},
		{strategy.Gardener{}, []string{"--node-conditions", "Odd"}, "\"Odd\" is not supported"},
		{strategy.Gardener{}, []string{"--interactive"}, "rolls the zones side by side"},
		{strategy.Gardener{}, []string{"--validate-count", "3"}, "does not validate the cluster"},
	} {
		if _, err := parseFor(t, c.rules, false, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, not %q", c.rules.Name(), c.args, err, c.want)
		}
	}
}
