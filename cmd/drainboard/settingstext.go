package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine"
)

// settingRow is a setting as a plan shows it.
type settingRow struct {
	flag  string
	value func(engine.Run) string
	// kops: the strategy kops has it; zones: those that roll each zone by itself have it.
	// pool: only runs in worker pools of Gardener have it. With none of these all have.
	kops, zones, pool bool
}

// of reports whether a strategy has the setting.
func (r settingRow) of(strategy string) bool {
	if offered, pool := poolSettings[strategy]; pool {
		return slices.Contains(offered, r.flag)
	}
	return !r.kops && !r.zones && !r.pool || r.kops && strategy == kopsStrategy || r.zones && byZone(strategy)
}

// settingRows are all settings of a run, by their flags.
var settingRows = []settingRow{
	{flag: "strategy", value: func(r engine.Run) string { return r.Strategy }},
	{flag: "max-unavailable", value: func(r engine.Run) string { return r.Settings.MaxUnavailable.String() }},
	{flag: "max-surge", value: func(r engine.Run) string { return r.Settings.MaxSurge.String() }, kops: true, zones: true},
	{flag: "approve", value: func(r engine.Run) string { return string(r.Settings.Approve) }},
	{flag: "canary-watch", value: canaryWatch},
	{flag: "batch-size", value: batchSize},
	{flag: "order", value: func(r engine.Run) string {
		return orderText(r.Settings.Order) + "; within each zone, the zones in turn"
	}},
	{flag: "only", value: func(r engine.Run) string { return cmp.Or(strings.Join(r.Target.Only, ", "), "all nodes") }},
	{flag: "all-nodes", value: func(r engine.Run) string { return yesNo(r.Target.All) }},
	{flag: "until", value: untilText},
	{flag: "max-failed-nodes", value: func(r engine.Run) string { return fmt.Sprint(r.Settings.MaxFailedNodes) }},
	{flag: "unreachable", value: func(r engine.Run) string { return string(r.Settings.Unreachable) }},
	{flag: "unreachable-after", value: func(r engine.Run) string { return r.Settings.UnreachableAfter.String() }},
	{flag: "drain-timeout", value: func(r engine.Run) string { return r.Settings.DrainTimeout.String() }},
	{flag: "on-drain-timeout", value: func(r engine.Run) string { return string(r.Settings.OnDrainTimeout) }},
	{flag: "post-drain-wait", value: func(r engine.Run) string { return r.Settings.Settle.String() }},
	{flag: "fail-on-drain-error", value: func(r engine.Run) string { return yesNo(!r.Settings.PassDrain) }, kops: true},
	{flag: "drain-and-terminate", value: func(r engine.Run) string { return yesNo(!r.Settings.KeepOld) }, kops: true},
	{flag: "deregister-limit", value: func(r engine.Run) string { return r.Settings.DeregisterLimit.String() }, kops: true},
	{flag: "interval", value: func(r engine.Run) string { return r.Settings.Interval.String() }, kops: true},
	{flag: "validate-count", value: func(r engine.Run) string { return fmt.Sprint(r.Settings.ValidateCount) }, kops: true},
	{flag: "validation-timeout", value: func(r engine.Run) string { return r.Settings.ValidateTimeout.String() }, kops: true},
	{flag: "validate-retry", value: func(r engine.Run) string { return r.Settings.ValidateRetry.String() }, kops: true},
	{flag: "validate-pause", value: func(r engine.Run) string { return r.Settings.ValidatePause.String() }, kops: true},
	{flag: "fail-on-validate-error", value: func(r engine.Run) string { return yesNo(!r.Settings.PassInvalid) }, kops: true},
	{flag: "node-ready-timeout", value: func(r engine.Run) string { return r.Settings.NodeReadyTimeout.String() }},
	{flag: "wait-for-start", value: func(r engine.Run) string { return r.Settings.WaitForStart.String() }, pool: true},
	{flag: "terminate-timeout", value: func(r engine.Run) string { return r.Settings.TerminateTimeout.String() }},
	{flag: "force-unmanaged", value: func(r engine.Run) string { return yesNo(r.Settings.Unmanaged) }},
	{flag: "delete-emptydir-data", value: func(r engine.Run) string { return yesNo(r.Settings.EmptyDir) }},
	{flag: "eviction-retry", value: func(r engine.Run) string { return r.Settings.EvictionRetry.String() }},
	{flag: "evictions-at-once", value: func(r engine.Run) string { return fmt.Sprint(r.Settings.EvictionsAtOnce) }},
	{flag: "max-evict-retries", value: retriesText, zones: true},
	{flag: "health-timeout", value: func(r engine.Run) string { return r.Settings.HealthTimeout.String() }, zones: true},
	{flag: "node-conditions", value: func(r engine.Run) string { return cmp.Or(strings.Join(r.Settings.NodeConditions, ", "), "none") }, zones: true},
	{flag: "pending-limit", value: func(r engine.Run) string { return r.Settings.PendingLimit.String() }},
	{flag: "gate-pause", value: func(r engine.Run) string { return r.Settings.GatePause.String() }},
	{flag: "expect-label", value: expectLabel},
	{flag: "hook", value: hookText},
	{flag: "cloudonly", value: func(r engine.Run) string { return yesNo(r.Settings.CloudOnly) }, kops: true},
	{flag: "seed", value: func(r engine.Run) string { return fmt.Sprintf("%d", r.Seed) }},
}

// writeSettings shows the settings whose origin is wanted, with where they come from.
func writeSettings(w io.Writer, r engine.Run, wanted func(origin string) bool) {
	for _, row := range settingRows {
		if !row.of(r.Strategy) || !wanted(r.Settings.Origin[row.flag]) {
			continue
		}
		fmt.Fprintf(w, "  %-20s %s (%s)\n", row.flag, row.value(r), r.Settings.Origin[row.flag])
	}
}

func canaryWatch(r engine.Run) string {
	if r.Settings.Approve != engine.ApproveCanary {
		return "no canary"
	}
	return r.Settings.CanaryWatch.String()
}

func batchSize(r engine.Run) string {
	switch {
	case r.Settings.Approve == engine.ApproveCanary:
		return "one node, then the rest"
	case r.Settings.Approve != engine.ApproveBatch:
		return "no batches"
	case r.Settings.BatchSize == 0:
		return "max-unavailable"
	}
	return fmt.Sprint(r.Settings.BatchSize)
}

func untilText(r engine.Run) string {
	if r.Settings.Until.IsZero() {
		return "no end"
	}
	return when(r.Settings.Until.Local())
}

func expectLabel(r engine.Run) string {
	var labels []string
	for _, k := range slices.Sorted(maps.Keys(r.Settings.NewLabels)) {
		labels = append(labels, strings.TrimSuffix(k+"="+r.Settings.NewLabels[k], "="))
	}
	return cmp.Or(strings.Join(labels, ", "), "none")
}

// orderText is an order as --order takes it.
func orderText(orders []engine.Order) string {
	words := make([]string, len(orders))
	for i, o := range orders {
		words[i] = string(o)
	}
	return cmp.Or(strings.Join(words, ","), string(engine.OrderRandom))
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
