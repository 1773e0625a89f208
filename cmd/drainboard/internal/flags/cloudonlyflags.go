package flags

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// cloudOnlyRefuses are the flags that have no effect without Kubernetes.
var cloudOnlyRefuses = []string{
	"drain-timeout", "on-drain-timeout", "force", "force-unmanaged", "delete-emptydir-data", "singles", "post-drain-wait", "eviction-retry", "evictions-at-once",
	"pending-limit", "unreachable", "unreachable-after", "expect-label", "canary-watch", "deregister-limit",
	"validate-count", "validate-pause", "validate-retry", "validation-timeout", "fail-on-validate-error", "fail-on-drain-error",
}

// cloudOnlySettings sets that a run has no Kubernetes, and the origin of that setting.
func (f *Roll) cloudOnlySettings(cmd *cobra.Command, rules engine.Strategy, s *record.Settings, who string) error {
	if !f.Where.CloudOnly {
		return nil
	}
	if rules.Name() != present.StrategyKops {
		return fmt.Errorf("--cloudonly: the %s strategy drains nodes, which needs the cluster; leave --strategy out", rules.Name())
	}
	for _, flag := range cloudOnlyRefuses {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s: has no effect with --cloudonly, which drains and validates nothing", flag)
		}
	}
	if f.maxSurge != "" && s.MaxSurge.N > 0 {
		return fmt.Errorf("--max-surge %s: not possible with --cloudonly, as in kops; --max-unavailable sets how many instances are replaced at once", s.MaxSurge)
	}
	s.MaxSurge, s.Origin["max-surge"] = record.Amount{}, "kops: none with --cloudonly"
	for _, o := range s.Order {
		if o == record.OrderFewestBlockers || o == record.OrderName {
			return fmt.Errorf("--order %s: not possible with --cloudonly, where pods and node names are unknown", o)
		}
	}
	s.CloudOnly, s.CloudOnlyBy = true, who
	return nil
}
