package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// zoneFlags are the settings of Gardener's rolling update that other rules do not have.
type zoneFlags struct {
	evictRetries   int
	healthTimeout  time.Duration
	nodeConditions []string
}

func (f *zoneFlags) addZones(fl *pflag.FlagSet) {
	fl.IntVar(&f.evictRetries, "max-evict-retries", 0, "gardener: how often an eviction that a budget refuses is tried before the pod is deleted past it, where drains are forced (default 360, gardener-seed: 10; no more than fit into the drain's time)")
	fl.DurationVar(&f.healthTimeout, "health-timeout", 0, "gardener: how long a new node may be unhealthy before its machine is given up and replaced (default 10m)")
	fl.StringSliceVar(&f.nodeConditions, "node-conditions", nil, "gardener: conditions that make a node unhealthy, beside not being Ready (default KernelDeadlock, ReadonlyFilesystem, DiskPressure, and with gardener NetworkUnavailable)")
}

// zoneSettings settles what the flags of Gardener's rolling update say, or refuses them.
func (f *rollFlags) zoneSettings(cmd *cobra.Command, rules engine.Strategy, s *record.Settings) error {
	given := cmd.Flags().Changed
	if !present.ByZone(rules.Name()) {
		for flag, why := range map[string]string{
			"max-evict-retries": "tries an eviction for as long as the drain has time",
			"health-timeout":    "gives no machine up that was Ready once",
			"node-conditions":   "gives no machine up that was Ready once",
		} {
			if given(flag) {
				return fmt.Errorf("--%s: the %s strategy %s; --strategy gardener has it", flag, rules.Name(), why)
			}
		}
		return nil
	}
	if f.interactive {
		return fmt.Errorf("--interactive: the %s strategy rolls the zones side by side; --approve batch --batch-size 1 asks for each node", rules.Name())
	}
	if given("max-evict-retries") {
		if f.evictRetries < 1 {
			return fmt.Errorf("--max-evict-retries: %d is too small, 1 is the least", f.evictRetries)
		}
		s.EvictRetries = f.evictRetries
	}
	if given("health-timeout") {
		if f.healthTimeout < time.Second {
			return fmt.Errorf("--health-timeout: %s is too short, 1s is the least", f.healthTimeout)
		}
		s.HealthTimeout = f.healthTimeout
	}
	if given("node-conditions") {
		for _, c := range f.nodeConditions {
			if !world.HealthCondition(c) {
				return fmt.Errorf("--node-conditions: %q is not read; KernelDeadlock, ReadonlyFilesystem, DiskPressure and NetworkUnavailable are", c)
			}
		}
		s.NodeConditions = f.nodeConditions
	}
	return nil
}

// ofShoot refuses the flags of settings that are the Shoot's in a pool.
func ofShoot(cmd *cobra.Command, rules engine.Strategy) error {
	if _, pool := present.PoolSettings[rules.Name()]; !pool {
		if cmd.Flags().Changed("wait-for-start") {
			return fmt.Errorf("--wait-for-start is for worker pools of Gardener; strategy %s starts by itself", rules.Name())
		}
		return nil
	}
	for _, row := range present.Settings {
		if cmd.Flags().Changed(row.Flag) && !row.Of(rules.Name()) {
			return fmt.Errorf("--%s: Gardener does so by what the Shoot says; strategy %s has no use for it", row.Flag, rules.Name())
		}
	}
	return nil
}
