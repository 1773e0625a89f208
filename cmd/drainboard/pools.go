package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/world"
)

// errNoPool is why a plan of Gardener's has nothing to plan.
func errNoPool() error {
	return exitcode.Usage(errors.New("which POOL, or which change? Name a POOL to see how it stands and what a roll of it meets (drainboard groups lists them), or say what changes in the Shoot: --change FILE, --kubernetes-version, --machine-image-version or --operation"))
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

// unseen says which update of a pool could be due although no node is outdated.
func unseen(w *world.World) []string {
	if text := mcm.Unseen(w.Group.Pool); text != "" {
		return []string{text}
	}
	return nil
}
