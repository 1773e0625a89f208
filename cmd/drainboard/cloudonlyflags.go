package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// cloudOnlyRefuses are the flags that nothing is done for without Kubernetes.
var cloudOnlyRefuses = []string{
	"drain-timeout", "on-drain-timeout", "force", "force-unmanaged", "delete-emptydir-data", "post-drain-wait", "eviction-retry", "evictions-at-once",
	"pending-limit", "unreachable", "unreachable-after", "expect-label", "canary-watch", "deregister-limit",
	"validate-count", "validate-pause", "validate-retry", "validation-timeout", "fail-on-validate-error", "fail-on-drain-error",
}

// cloudOnlySettings settles that a run has no Kubernetes, and who says so.
func (f *rollFlags) cloudOnlySettings(cmd *cobra.Command, rules engine.Strategy, s *record.Settings, who string) error {
	if !f.where.CloudOnly {
		return nil
	}
	if rules.Name() != present.StrategyKops {
		return fmt.Errorf("--cloudonly: the %s strategy drains nodes, which needs the cluster; leave --strategy out", rules.Name())
	}
	for _, flag := range cloudOnlyRefuses {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s: with --cloudonly nothing is drained and nothing validated, so it would do nothing", flag)
		}
	}
	if f.maxSurge != "" && s.MaxSurge.N > 0 {
		return fmt.Errorf("--max-surge %s: with --cloudonly nothing stands in for a machine that goes, as in kops; --max-unavailable says how many go at once", s.MaxSurge)
	}
	s.MaxSurge, s.Origin["max-surge"] = record.Amount{}, "kops: none with --cloudonly"
	for _, o := range s.Order {
		if o == record.OrderFewestBlockers || o == record.OrderName {
			return fmt.Errorf("--order %s: with --cloudonly neither pods nor names of nodes are known", o)
		}
	}
	s.CloudOnly, s.CloudOnlyBy = true, who
	return nil
}
