package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/lab"
)

// roll upgrades a group in three zones with an ordinary workload, two nodes at
// once, and counts what was asked of both APIs.
func (b *bench) roll(ctx context.Context, w io.Writer, nodes int) error {
	p := lab.Place{Namespace: "roll", Group: "ng-roll"}
	if _, err := b.lab.AddGroup(ctx, lab.GroupOptions{Name: p.Group, Nodes: nodes}); err != nil {
		return err
	}
	if err := b.lab.Deploy(ctx, p, "web", "api", "batch", "db", "agent", "single"); err != nil {
		return err
	}
	if err := b.lab.WaitReady(ctx, p.Namespace); err != nil {
		return err
	}
	from := time.Now()
	run, err := b.drainboard(ctx, p.Group, "--max-unavailable", "2")
	if err != nil {
		return err
	}
	if err := <-run.done; err != nil {
		return err
	}
	took := time.Since(from)
	log, err := b.lab.AuditSync(ctx)
	if err != nil {
		return err
	}
	requests := log.Where(lab.By("drainboard/"), lab.Between(from, time.Time{})).Count()
	calls := map[string]int{}
	for _, c := range b.lab.Cloud().Calls() {
		if strings.Contains(c.UserAgent, "drainboard") && !c.Time.Before(from) {
			calls[c.Action]++
		}
	}
	fmt.Fprintf(w, "\nRoll: %d nodes in 3 zones, two at once, 1 s after each drain: %s\n\n", nodes, took.Round(100*time.Millisecond))
	t := tabwriter.NewWriter(w, 0, 4, 3, ' ', 0)
	fmt.Fprintln(t, "\ttotal\ta node\tthe most frequent")
	row := func(name string, counts map[string]int) {
		total := 0
		for _, n := range counts {
			total += n
		}
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%s\n", name, total, float64(total)/float64(nodes), most(counts, 5))
	}
	row("Kubernetes requests", requests)
	row("AWS calls", calls)
	return t.Flush()
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
