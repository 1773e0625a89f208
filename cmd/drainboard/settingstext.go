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
}

// settingRows are all settings of a run, by their flags.
var settingRows = []settingRow{
	{"strategy", func(r engine.Run) string { return r.Strategy }},
	{"max-unavailable", func(r engine.Run) string { return r.Settings.MaxUnavailable.String() }},
	{"approve", func(r engine.Run) string { return string(r.Settings.Approve) }},
	{"canary-watch", canaryWatch},
	{"batch-size", batchSize},
	{"order", func(r engine.Run) string {
		return orderText(r.Settings.Order) + "; within each zone, the zones in turn"
	}},
	{"only", func(r engine.Run) string { return cmp.Or(strings.Join(r.Target.Only, ", "), "all nodes") }},
	{"all-nodes", func(r engine.Run) string { return yesNo(r.Target.All) }},
	{"until", untilText},
	{"max-failed-nodes", func(r engine.Run) string { return fmt.Sprint(r.Settings.MaxFailedNodes) }},
	{"unreachable", func(r engine.Run) string { return string(r.Settings.Unreachable) }},
	{"unreachable-after", func(r engine.Run) string { return r.Settings.UnreachableAfter.String() }},
	{"drain-timeout", func(r engine.Run) string { return r.Settings.DrainTimeout.String() }},
	{"on-drain-timeout", func(r engine.Run) string { return string(r.Settings.OnDrainTimeout) }},
	{"post-drain-wait", func(r engine.Run) string { return r.Settings.Settle.String() }},
	{"node-ready-timeout", func(r engine.Run) string { return r.Settings.NodeReadyTimeout.String() }},
	{"terminate-timeout", func(r engine.Run) string { return r.Settings.TerminateTimeout.String() }},
	{"force-unmanaged", func(r engine.Run) string { return yesNo(r.Settings.Unmanaged) }},
	{"delete-emptydir-data", func(r engine.Run) string { return yesNo(r.Settings.EmptyDir) }},
	{"eviction-retry", func(r engine.Run) string { return r.Settings.EvictionRetry.String() }},
	{"evictions-at-once", func(r engine.Run) string { return fmt.Sprint(r.Settings.EvictionsAtOnce) }},
	{"pending-limit", func(r engine.Run) string { return r.Settings.PendingLimit.String() }},
	{"gate-pause", func(r engine.Run) string { return r.Settings.GatePause.String() }},
	{"expect-label", expectLabel},
	{"hook", hookText},
	{"seed", func(r engine.Run) string { return fmt.Sprintf("%d", r.Seed) }},
}

// writeSettings shows the settings whose origin is wanted, with where they come from.
func writeSettings(w io.Writer, r engine.Run, wanted func(origin string) bool) {
	for _, row := range settingRows {
		if !wanted(r.Settings.Origin[row.flag]) {
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
