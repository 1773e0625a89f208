package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/workload"
)

// The roll: 24 nodes in 3 zones with 120 pods, 3 at once, and no wait under 5 s.
const (
	rollNodes = 24
	rollLimit = 3
	rollWait  = 5 * time.Second
)

var rollTimes = lab.Times{Boot: rollWait, Ready: rollWait, Terminate: rollWait, PodReady: rollWait, PodStop: rollWait}

// roll upgrades a group and compares the wall time of the whole command, from the
// start of its process to its end, with the lower bound. Its budgets let go at once
// what three nodes hold.
func (b *bench) roll(ctx context.Context) error {
	return b.inLab(ctx, rollTimes, func(ctx context.Context) error {
		p := workload.Place{Namespace: "roll", Group: "ng-roll"}
		if _, err := b.lab.AddGroup(ctx, lab.GroupOptions{Name: p.Group, Nodes: rollNodes}); err != nil {
			return err
		}
		if err := b.lab.Apply(ctx, p.MaxUnavailable("web", 24), p.Deployment("web", 80), p.MaxUnavailable("api", 12), p.Deployment("api", 40)); err != nil {
			return err
		}
		if err := b.lab.WaitReady(ctx, p.Namespace); err != nil {
			return err
		}
		from := time.Now()
		run, err := b.drainboard(ctx, p.Group, "--max-unavailable", fmt.Sprint(rollLimit), "--post-drain-wait", rollWait.String())
		if err != nil {
			return err
		}
		phases := map[string]time.Duration{}
		started := map[string]time.Time{}
		for e := range run.events {
			switch e.Type {
			case "phase.started":
				started[e.Phase] = e.Time
			case "phase.finished":
				phases[e.Phase] = e.Time.Sub(started[e.Phase])
			}
		}
		if err := <-run.done; err != nil {
			return err
		}
		b.rollTime(time.Since(from), phases)
		return b.rollRequests(ctx, from)
	})
}

// rollTime compares the whole, and its parts as the events tell them.
func (b *bench) rollTime(took time.Duration, phases map[string]time.Duration) {
	least := lowerBound(rollNodes, rollLimit, rollTimes, rollWait)
	compare := func(what string, took, least time.Duration) {
		ratio := ""
		if least > 0 {
			ratio = fmt.Sprintf("%.3f", float64(took)/float64(least))
		}
		b.add(what, seconds(took), "lower bound: "+seconds(least), ratio)
	}
	compare(fmt.Sprintf("roll of %d nodes in 3 zones, %d at once, waits of %s", rollNodes, rollLimit, rollWait), took, least.total())
	compare("  of it scale up", phases["scale up"], least.scaleUp)
	compare("  of it upgrade", phases["upgrade"], least.upgrade)
	rest := took - phases["scale up"] - phases["upgrade"]
	compare("  of it start, setup, scale down and end", rest, 0)
}

// rollRequests counts what was asked of both APIs since the roll began.
func (b *bench) rollRequests(ctx context.Context, from time.Time) error {
	log, err := b.lab.AuditSync(ctx)
	if err != nil {
		return err
	}
	calls := map[string]int{}
	for _, c := range b.lab.Cloud().Calls() {
		if strings.Contains(c.UserAgent, "drainboard") && !c.Time.Before(from) {
			calls[c.Action]++
		}
	}
	b.count("Kubernetes requests a replaced node", log.Where(lab.By("drainboard/"), lab.Between(from, time.Time{})).Count())
	b.count("AWS calls a replaced node", calls)
	return nil
}

func (b *bench) count(what string, counts map[string]int) {
	total := 0
	for _, n := range counts {
		total += n
	}
	b.add("  "+what, fmt.Sprintf("%.1f", float64(total)/rollNodes), "most: "+most(counts, 3), "")
}

// most lists the most frequent of what was counted.
func most(counts map[string]int, n int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, name := range names[:min(n, len(names))] {
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
