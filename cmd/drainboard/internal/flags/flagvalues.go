package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
)

// OfferedStrategies are the strategies that a group can be rolled by.
func OfferedStrategies() []string {
	return slices.DeleteFunc(strategy.Names(), func(name string) bool { return strategy.Simulated(name) || strategy.Watched(name) })
}

// strategies describes each strategy, for the help.
func strategies() string {
	var list []string
	for _, name := range OfferedStrategies() {
		list = append(list, name+" ("+strategy.About(name)+")")
	}
	return strings.Join(list, ", ")
}

// surgeRefused returns why a strategy does not support --max-surge.
func surgeRefused(rules engine.Strategy) error {
	return fmt.Errorf("--max-surge: the %s strategy has no surge, old nodes are terminated before their replacements launch", rules.Name())
}

// choose reads one of a few words; "" keeps the current value.
func choose[T ~string](flag, given string, to *T, from ...T) error {
	if given == "" {
		return nil
	}
	if !slices.Contains(from, T(given)) {
		words := make([]string, len(from))
		for i, w := range from {
			words[i] = string(w)
		}
		return fmt.Errorf("--%s: %q is not one of %s", flag, given, strings.Join(words, ", "))
	}
	*to = T(given)
	return nil
}

// approval sets what is approved, and in which portions.
func (f *Roll) approval(cmd *cobra.Command, s *record.Settings, auto bool) error {
	if auto {
		s.Approve = record.ApproveNone
	}
	if err := choose("approve", f.approve, &s.Approve, record.ApproveBatch, record.ApproveCanary, record.ApprovePhase, record.ApproveNone); err != nil {
		return err
	}
	switch {
	case auto && s.Approve != record.ApproveNone:
		return fmt.Errorf("--auto never prompts, so it cannot be combined with --approve %s", f.approve)
	case cmd.Flags().Changed("canary-watch") && s.Approve != record.ApproveCanary:
		return fmt.Errorf("--canary-watch: requires --approve canary, not %s", s.Approve)
	case cmd.Flags().Changed("batch-size") && s.Approve != record.ApproveBatch:
		return fmt.Errorf("--batch-size: requires --approve batch, not %s; --max-unavailable sets how many nodes are replaced at once", s.Approve)
	}
	return nil
}

// sequence sets the order of the nodes, the end time, and how failed and unreachable nodes are handled.
func (f *Roll) sequence(cmd *cobra.Command, s *record.Settings) error {
	if len(f.order) > 0 && slices.Contains(s.Order, record.OrderApart) {
		s.Order = nil // what is given replaces the strategy's own
	}
	for i, given := range f.order {
		var o record.Order
		if err := choose("order", strings.TrimSpace(given), &o, record.OrderRandom, record.OrderOldest, record.OrderNewest, record.OrderName, record.OrderFewestBlockers, record.OrderApart); err != nil {
			return err
		}
		switch {
		case o == "":
			return fmt.Errorf("--order: contains an empty word")
		case slices.Contains(s.Order, o):
			return fmt.Errorf("--order: %s is given twice", o)
		case o == record.OrderOldest && slices.Contains(s.Order, record.OrderNewest), o == record.OrderNewest && slices.Contains(s.Order, record.OrderOldest):
			return fmt.Errorf("--order: oldest and newest contradict each other")
		case o == record.OrderRandom && i < len(f.order)-1:
			return fmt.Errorf("--order: random already decides between any two nodes, so what follows it (%s) has no effect", strings.Join(f.order[i+1:], ", "))
		}
		s.Order = append(s.Order, o)
	}
	if err := choose("unreachable", f.unreachable, &s.Unreachable, record.UnreachableWait, record.UnreachableTerminate, record.UnreachableFail); err != nil {
		return err
	}
	if f.onTrouble != "" && s.OnTrouble == "" {
		return errors.New("--on-trouble: only the drainboard strategy has waves")
	}
	if err := choose("on-trouble", f.onTrouble, &s.OnTrouble, record.TroubleHold, record.TroublePause); err != nil {
		return err
	}
	if f.maxFailedNodes < 0 {
		return fmt.Errorf("--max-failed-nodes: %d is negative", f.maxFailedNodes)
	}
	s.MaxFailedNodes, s.RetireSurge = f.maxFailedNodes, f.retireSurge
	if cmd.Flags().Changed("until") {
		until, err := parseUntil(strings.TrimSpace(f.until), time.Now())
		if err != nil {
			return fmt.Errorf("--until: %w", err)
		}
		s.Until = until
	}
	return nil
}

// timeoutPolicy sets what happens to a node whose drain timed out.
func (f *Roll) timeoutPolicy(s *record.Settings, who string) error {
	if err := choose("on-drain-timeout", f.onDrainTimeout, &s.OnDrainTimeout, record.TimeoutFail, record.TimeoutSkip, record.TimeoutForce, record.TimeoutWait); err != nil {
		return err
	}
	if f.force && f.onDrainTimeout != "" && s.OnDrainTimeout != record.TimeoutForce {
		return fmt.Errorf("--force and --on-drain-timeout=%s contradict each other", f.onDrainTimeout)
	}
	if f.force {
		s.OnDrainTimeout = record.TimeoutForce
	}
	if s.OnDrainTimeout == record.TimeoutForce {
		s.ForcedBy = who
	}
	return nil
}

// durations sets the given durations.
func (f *Roll) durations(cmd *cobra.Command, s *record.Settings) error {
	for _, d := range []struct {
		flag  string
		from  time.Duration
		to    *time.Duration
		least time.Duration
	}{
		{"drain-timeout", f.drainTimeout, &s.DrainTimeout, time.Second},
		{"unreachable-after", f.unreachableAfter, &s.UnreachableAfter, time.Second},
		{"canary-watch", f.canaryWatch, &s.CanaryWatch, time.Second},
		{"post-drain-wait", f.postDrainWait, &s.Settle, 0},
		{"node-ready-timeout", f.nodeReadyTimeout, &s.NodeReadyTimeout, time.Second},
		{"wait-for-start", f.waitForStart, &s.WaitForStart, time.Second},
		{"terminate-timeout", f.terminateTimeout, &s.TerminateTimeout, time.Second},
		{"eviction-retry", f.evictionRetry, &s.EvictionRetry, 100 * time.Millisecond},
		{"pending-limit", f.pendingLimit, &s.PendingLimit, time.Second},
		{"gate-pause", f.gatePause, &s.GatePause, time.Second},
		{"validation-timeout", f.validationTimeout, &s.ValidateTimeout, time.Second},
		{"validate-retry", f.validateRetry, &s.ValidateRetry, time.Second},
		{"validate-pause", f.validatePause, &s.ValidatePause, time.Second},
		{"deregister-limit", f.deregisterLimit, &s.DeregisterLimit, 0},
	} {
		if !cmd.Flags().Changed(d.flag) {
			continue
		}
		if d.from < d.least {
			return fmt.Errorf("--%s: %s is too short, the minimum is %s", d.flag, d.from, d.least)
		}
		*d.to = d.from
	}
	return nil
}
