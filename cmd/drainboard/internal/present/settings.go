package present

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// hookText returns the hooks around nodes as text.
func hookText(r record.Run) string {
	var parts []string
	if t := r.Settings.BeforeNode; t > 0 {
		parts = append(parts, "before each node, at most "+t.String())
	}
	if t := r.Settings.AfterNode; t > 0 {
		parts = append(parts, "after each node, at most "+t.String())
	}
	if len(parts) == 0 {
		return "none before or after nodes"
	}
	return strings.Join(parts, "; ")
}

// StrategyKops is the strategy of groups created by kops.
const StrategyKops = "kops"

// strategyEKS is EKS's DEFAULT.
const strategyEKS = "eks"

// strategyOwn is our own.
const strategyOwn = "drainboard"

// surgeText returns how many new nodes come first, as the flag has it.
func surgeText(r record.Run) string {
	switch r.Strategy {
	case strategyEKS:
		return r.Settings.SurgeText()
	case strategy.GardenerFollow{}.Name():
		return paceOf(r).MaxSurge
	}
	return r.Settings.MaxSurge.String()
}

// unavailableText returns how many nodes are out of service at once, as the flag has it.
func unavailableText(r record.Run) string {
	if r.Strategy == (strategy.GardenerFollow{}).Name() {
		return paceOf(r).MaxUnavailable
	}
	return r.Settings.MaxUnavailable.String()
}

// paceOf is the pace of a followed run, in words where it is left to the Shoot.
func paceOf(r record.Run) world.Pace {
	const shoots = "as in the Shoot"
	p := world.Pace{MaxSurge: shoots, MaxUnavailable: shoots}
	if r.Settings.Pace != nil {
		p = r.Settings.Pace.Over(p)
	}
	return p
}

// PoolSettings are the flags of settings that these strategies have; all others are in the
// Shoot.
var PoolSettings = map[string][]string{
	strategy.GardenerManual{}.Name(): {"strategy", "max-unavailable", "approve", "canary-watch", "batch-size", "order", "only", "until", "node-ready-timeout", "wait-for-start", "gate-pause", "hook", "seed"},
	strategy.GardenerFollow{}.Name(): {"strategy", "max-unavailable", "max-surge", "node-ready-timeout", "wait-for-start", "seed"},
}

// PoolStrategies are the strategies for worker pools, and for nothing else.
var PoolStrategies = []string{strategy.GardenerManual{}.Name(), strategy.GardenerFollow{}.Name()}

// Setting is a setting in a plan.
type Setting struct {
	Flag  string
	value func(record.Run) string
	// kops: the strategy kops has it; zones: those that roll each zone by itself have it.
	// eks: the strategy eks has it; own: the strategy drainboard has it. pool: only runs in worker pools of Gardener have it. With
	// none of these all have.
	kops, zones, eks, own, pool bool
	// valid: it is about the validation of a cluster of kops.
	valid bool
}

// In reports whether a run has the setting.
func (r Setting) In(run record.Run) bool {
	return r.Of(run.Strategy) || r.valid && run.Settings.Validates()
}

// Of reports whether a strategy has the setting.
func (r Setting) Of(strategy string) bool {
	if offered, pool := PoolSettings[strategy]; pool {
		return slices.Contains(offered, r.Flag)
	}
	return !r.kops && !r.zones && !r.eks && !r.own && !r.pool || r.own && strategy == strategyOwn || r.kops && strategy == StrategyKops || r.zones && ByZone(strategy) || r.eks && strategy == strategyEKS
}

// Settings are all settings of a run, by their flags.
var Settings = []Setting{
	{Flag: "strategy", value: func(r record.Run) string { return r.Strategy }},
	{Flag: "max-unavailable", value: unavailableText},
	{Flag: "max-surge", value: surgeText, kops: true, zones: true, eks: true, own: true},
	{Flag: "approve", value: func(r record.Run) string { return string(r.Settings.Approve) }},
	{Flag: "canary-watch", value: canaryWatch},
	{Flag: "batch-size", value: batchSize},
	{Flag: "order", value: func(r record.Run) string {
		if slices.Contains(r.Settings.Order, record.OrderApart) {
			return orderText(r.Settings.Order) + "; chosen when a drain begins"
		}
		return orderText(r.Settings.Order) + "; within each zone, the zones in turn"
	}},
	{Flag: "only", value: func(r record.Run) string { return cmp.Or(strings.Join(r.Target.Only, ", "), "all nodes") }},
	{Flag: "all-nodes", value: func(r record.Run) string { return yesNo(r.Target.All) }},
	{Flag: "until", value: untilText},
	{Flag: "max-failed-nodes", value: func(r record.Run) string { return fmt.Sprint(r.Settings.MaxFailedNodes) }},
	{Flag: "unreachable", value: func(r record.Run) string { return string(r.Settings.Unreachable) }},
	{Flag: "unreachable-after", value: func(r record.Run) string { return r.Settings.UnreachableAfter.String() }},
	{Flag: "drain-timeout", value: func(r record.Run) string { return r.Settings.DrainTimeout.String() }},
	{Flag: "on-drain-timeout", value: func(r record.Run) string { return string(r.Settings.OnDrainTimeout) }},
	{Flag: "post-drain-wait", value: func(r record.Run) string { return r.Settings.Settle.String() }},
	{Flag: "fail-on-drain-error", value: func(r record.Run) string { return yesNo(!r.Settings.PassDrain) }, kops: true},
	{Flag: "drain-and-terminate", value: func(r record.Run) string { return yesNo(!r.Settings.KeepOld) }, kops: true},
	{Flag: "allow-quorum-loss", value: func(r record.Run) string { return yesNo(r.Settings.AllowQuorumLoss) }, kops: true},
	{Flag: "deregister-limit", value: func(r record.Run) string { return r.Settings.DeregisterLimit.String() }, kops: true},
	{Flag: "interval", value: func(r record.Run) string { return r.Settings.Interval.String() }, kops: true, valid: true},
	{Flag: "validate-count", value: func(r record.Run) string { return fmt.Sprint(r.Settings.ValidateCount) }, kops: true, valid: true},
	{Flag: "validation-timeout", value: func(r record.Run) string { return r.Settings.ValidateTimeout.String() }, kops: true, valid: true},
	{Flag: "validate-retry", value: func(r record.Run) string { return r.Settings.ValidateRetry.String() }, kops: true, valid: true},
	{Flag: "validate-pause", value: func(r record.Run) string { return r.Settings.ValidatePause.String() }, kops: true},
	{Flag: "fail-on-validate-error", value: func(r record.Run) string { return yesNo(!r.Settings.PassInvalid) }, kops: true, valid: true},
	{Flag: "node-ready-timeout", value: func(r record.Run) string { return r.Settings.NodeReadyTimeout.String() }},
	{Flag: "wait-for-start", value: func(r record.Run) string { return r.Settings.WaitForStart.String() }, pool: true},
	{Flag: "terminate-timeout", value: func(r record.Run) string { return r.Settings.TerminateTimeout.String() }},
	{Flag: "force-unmanaged", value: func(r record.Run) string { return yesNo(r.Settings.Unmanaged) }},
	{Flag: "delete-emptydir-data", value: func(r record.Run) string { return yesNo(r.Settings.EmptyDir) }},
	{Flag: "singles", value: func(r record.Run) string { return yesNo(r.Settings.Singles) }},
	{Flag: "eviction-retry", value: func(r record.Run) string { return r.Settings.EvictionRetry.String() }},
	{Flag: "evictions-at-once", value: func(r record.Run) string { return fmt.Sprint(r.Settings.EvictionsAtOnce) }},
	{Flag: "max-evict-retries", value: retriesText, zones: true},
	{Flag: "health-timeout", value: func(r record.Run) string { return r.Settings.HealthTimeout.String() }, zones: true},
	{Flag: "node-conditions", value: func(r record.Run) string { return cmp.Or(strings.Join(r.Settings.NodeConditions, ", "), "none") }, zones: true},
	{Flag: "pending-limit", value: func(r record.Run) string { return r.Settings.PendingLimit.String() }},
	{Flag: "gate-pause", value: func(r record.Run) string { return r.Settings.GatePause.String() }},
	{Flag: "on-trouble", value: func(r record.Run) string { return string(r.Settings.OnTrouble) }, own: true},
	{Flag: "expect-label", value: expectLabel},
	{Flag: "hook", value: hookText},
	{Flag: "cloudonly", value: func(r record.Run) string { return yesNo(r.Settings.CloudOnly) }, kops: true},
	{Flag: "seed", value: func(r record.Run) string { return fmt.Sprintf("%d", r.Seed) }},
}

// writeSettings writes the settings whose origin is wanted, with their origin.
func writeSettings(w io.Writer, r record.Run, wanted func(origin string) bool) {
	for _, row := range Settings {
		if !row.In(r) || !wanted(r.Settings.Origin[row.Flag]) {
			continue
		}
		fmt.Fprintf(w, "  %-20s %s (%s)\n", row.Flag, row.value(r), r.Settings.Origin[row.Flag])
	}
}

func canaryWatch(r record.Run) string {
	if r.Settings.Approve != record.ApproveCanary {
		return "no canary"
	}
	return r.Settings.CanaryWatch.String()
}

func batchSize(r record.Run) string {
	switch {
	case r.Settings.Approve == record.ApproveCanary:
		return "one node, then the rest"
	case r.Settings.Approve != record.ApproveBatch:
		return "no batches"
	case r.Settings.BatchSize == 0:
		return "max-unavailable"
	}
	return fmt.Sprint(r.Settings.BatchSize)
}

func untilText(r record.Run) string {
	if r.Settings.Until.IsZero() {
		return "no end"
	}
	return When(r.Settings.Until.Local())
}

func expectLabel(r record.Run) string {
	var labels []string
	for _, k := range slices.Sorted(maps.Keys(r.Settings.NewLabels)) {
		labels = append(labels, strings.TrimSuffix(k+"="+r.Settings.NewLabels[k], "="))
	}
	return cmp.Or(strings.Join(labels, ", "), "none")
}

// ByZone reports whether a strategy rolls each zone separately, as Gardener does.
func ByZone(strategy string) bool { return strings.HasPrefix(strategy, "gardener") }

// retriesText returns the number of eviction attempts, for a plan.
func retriesText(r record.Run) string {
	if r.Settings.OnDrainTimeout != record.TimeoutForce {
		return "unlimited: drains are not forced"
	}
	return fmt.Sprint(r.Settings.EvictRetries)
}
