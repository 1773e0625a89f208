package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// engine runs the engine's own benchmarks. The figures are those of go test.
func (b *bench) engine(ctx context.Context) error {
	for _, c := range []struct {
		pack, bench, time string
		what, unit        string
		most              float64 // 0: none
	}{
		{"./engine", "Decide/quiet", "500x", "decision, 5,000 nodes and 150,000 pods, one pod changed", "ns/op", 5e6},
		{"./engine", "Decide/gate", "500x", "  with a slot free and the gate shut", "ns/op", 5e6},
		{"./engine", "View", "200x", "snapshot of the same", "ns/op", 0},
		{"./engine/sim", "Roll", "5x", "simulated rolls a second, 24 nodes and 120 pods", "rolls/s", 0},
	} {
		value, err := b.goBench(ctx, c.pack, c.bench, c.time, c.unit)
		if err != nil {
			return err
		}
		switch {
		case c.unit != "ns/op":
			b.add(c.what, fmt.Sprintf("%.1f", value), "", "")
		case c.most > 0:
			b.add(c.what, fmt.Sprintf("%.2f ms", value/1e6), fmt.Sprintf("at most %.0f ms", c.most/1e6), fmt.Sprintf("%.2f", value/c.most))
		default:
			b.add(c.what, fmt.Sprintf("%.2f ms", value/1e6), "", "")
		}
	}
	return nil
}

// goBench runs one benchmark three times and returns its best figure in a unit: what
// else the machine did is no part of it.
func (b *bench) goBench(ctx context.Context, pack, name, time, unit string) (best float64, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", pack, "-run", "^$", "-bench", "^Benchmark"+strings.ReplaceAll(name, "/", "$/^")+"$", "-benchtime", time, "-count", "3")
	cmd.Dir = b.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for i, word := range words {
			if word != unit || !strings.HasPrefix(line, "Benchmark") {
				continue
			}
			value, err := strconv.ParseFloat(words[i-1], 64)
			if err != nil {
				return 0, err
			}
			if best == 0 || (value < best) == (unit != "rolls/s") {
				best = value
			}
		}
	}
	if best == 0 {
		return 0, fmt.Errorf("%s printed no %s: %s", name, unit, out)
	}
	return best, nil
}
