package flags

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// zoneFlags are the settings of Gardener's rolling update that other strategies do not have.
type zoneFlags struct {
	evictRetries   int
	healthTimeout  time.Duration
	nodeConditions []string
}

func (f *zoneFlags) addZones(fl *pflag.FlagSet) {
	fl.IntVar(&f.evictRetries, "max-evict-retries", 0, "gardener: number of eviction attempts refused by a PDB before the pod is deleted past it, where drains are forced (default 360, gardener-seed: 10; at most as many as fit into the drain timeout)")
	fl.DurationVar(&f.healthTimeout, "health-timeout", 0, "gardener: time a new node may be unhealthy before its machine is replaced (default 10m)")
	fl.StringSliceVar(&f.nodeConditions, "node-conditions", nil, "gardener: conditions that make a node unhealthy, in addition to not Ready (default KernelDeadlock, ReadonlyFilesystem, DiskPressure, and with gardener NetworkUnavailable)")
}

// zoneSettings applies the flags of Gardener's rolling update, or refuses them.
func (f *Roll) zoneSettings(cmd *cobra.Command, rules engine.Strategy, s *record.Settings) error {
	given := cmd.Flags().Changed
	if !present.ByZone(rules.Name()) {
		for flag, why := range map[string]string{
			"max-evict-retries": "retries an eviction until the drain timeout",
			"health-timeout":    "does not replace a machine that was Ready once",
			"node-conditions":   "does not replace a machine that was Ready once",
		} {
			if given(flag) {
				return fmt.Errorf("--%s: the %s strategy %s; --strategy gardener supports it", flag, rules.Name(), why)
			}
		}
		return nil
	}
	if f.interactive {
		return fmt.Errorf("--interactive: the %s strategy rolls the zones side by side; --approve batch --batch-size 1 prompts for each node", rules.Name())
	}
	if given("max-evict-retries") {
		if f.evictRetries < 1 {
			return fmt.Errorf("--max-evict-retries: %d is too small, the minimum is 1", f.evictRetries)
		}
		s.EvictRetries = f.evictRetries
	}
	if given("health-timeout") {
		if f.healthTimeout < time.Second {
			return fmt.Errorf("--health-timeout: %s is too short, the minimum is 1s", f.healthTimeout)
		}
		s.HealthTimeout = f.healthTimeout
	}
	if given("node-conditions") {
		for _, c := range f.nodeConditions {
			if !world.HealthCondition(c) {
				return fmt.Errorf("--node-conditions: %q is not supported; choose from %s", c, strings.Join(world.HealthConditions, ", "))
			}
		}
		s.NodeConditions = f.nodeConditions
	}
	return nil
}

// ofShoot refuses the flags of settings that a worker pool has in its Shoot.
func ofShoot(cmd *cobra.Command, rules engine.Strategy) error {
	if _, pool := present.PoolSettings[rules.Name()]; !pool {
		if cmd.Flags().Changed("wait-for-start") {
			return fmt.Errorf("--wait-for-start is for Gardener worker pools; the %s strategy starts by itself", rules.Name())
		}
		return nil
	}
	for _, row := range present.Settings {
		if cmd.Flags().Changed(row.Flag) && !row.Of(rules.Name()) {
			return fmt.Errorf("--%s: not supported by the %s strategy: Gardener takes it from the Shoot", row.Flag, rules.Name())
		}
	}
	return nil
}
