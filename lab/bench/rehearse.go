package main

import (
	"context"
	"fmt"
)

// rehearse measures what a rehearsal costs: of 100 and of 1,000 nodes, and of the largest cluster, of which is
// played what 10 s allow, beside the whole.
func (b *bench) rehearse(ctx context.Context) error {
	const pack = "./engine/sim/rehearse"
	small, err := b.goBench(ctx, b.root, pack, "Rehearse/100", "10x", 3)
	if err != nil {
		return err
	}
	b.add("rehearsal of 100 nodes and 1,000 pods", fmt.Sprintf("%.2f s", small["ns/op"]/1e9), "at most 0.2 s", fmt.Sprintf("%.2f", small["ns/op"]/1e9/0.2))
	large, err := b.goBench(ctx, b.root, pack, "Rehearse/1000", "1x", 3)
	if err != nil {
		return err
	}
	b.add("rehearsal of 1,000 nodes and 10,000 pods", fmt.Sprintf("%.1f s", large["ns/op"]/1e9), "", "")
	cut, err := b.goBench(ctx, b.root, pack, "Largest/10s", "1x", 1)
	if err != nil {
		return err
	}
	whole, err := b.goBench(ctx, b.root, pack, "Largest/10m0s", "1x", 1)
	if err != nil {
		return err
	}
	b.add("5,000 nodes and 150,000 pods: what 10 s allow is played, the rest extrapolated", fmt.Sprintf("%.0f min for the roll", cut["min/roll"]),
		fmt.Sprintf("the whole, in %.0f s: %.0f min", whole["ns/op"]/1e9, whole["min/roll"]), fmt.Sprintf("%.2f", cut["min/roll"]/whole["min/roll"]))
	b.add("  memory, that of the cluster included", fmt.Sprintf("%.1f GB", cut["MB"]/1024), "at most 2 GB", fmt.Sprintf("%.2f", cut["MB"]/2048))
	return nil
}
