package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// engine runs the engine's own benchmarks, and those of decisions in the commit before as
// well. The figures are those of go test.
func (b *bench) engine(ctx context.Context) error {
	before, err := b.checkOut(ctx)
	if err != nil {
		return err
	}
	defer b.dropCheckout(before)
	for _, c := range []struct {
		bench, what string
		most        float64 // ns; 0: none
		alone       bool    // it takes minutes to build: once, and without the commit before
	}{
		{"quiet/500", "decision, 500 nodes and 15,000 pods, one pod changed", 0, false},
		{"quiet/5000", "decision, 5,000 nodes and 150,000 pods, one pod changed", 3e6, false},
		{"gate/5000", "  with a slot free and the gate shut", 3e6, false},
		{"node/5000", "  a node has changed as well", 3e6, false},
		{"quiet/50000", "decision, 50,000 nodes and 1,500,000 pods, one pod changed", 0, true},
	} {
		times := 3
		if c.alone {
			times = 1
		}
		now, err := b.goBench(ctx, b.root, "./engine", "Decide/"+c.bench, "500x", times)
		if err != nil {
			return err
		}
		var was map[string]float64
		if !c.alone {
			if was, err = b.goBench(ctx, before, "./engine", "Decide/"+c.bench, "100x", times); err != nil {
				fmt.Fprintln(os.Stderr, "bench: the commit before cannot run this benchmark:", err)
			}
		}
		for _, unit := range []struct {
			what, unit, name string
			by, most         float64
		}{{"", "median-ns", "ms", 1e6, c.most}, {", mean", "ns/op", "ms", 1e6, 0}, {", allocated", "B/op", "KB", 1e3, 0}} {
			beside, ratio := "", ""
			if was[unit.unit] > 0 {
				beside, ratio = fmt.Sprintf("the commit before: %.2f %s", was[unit.unit]/unit.by, unit.name), fmt.Sprintf("%.2f", now[unit.unit]/was[unit.unit])
			}
			if unit.most > 0 {
				beside = strings.TrimPrefix(beside+fmt.Sprintf("; at most %.0f %s", unit.most/unit.by, unit.name), "; ")
			}
			b.add(c.what+unit.what, fmt.Sprintf("%.2f %s", now[unit.unit]/unit.by, unit.name), beside, ratio)
		}
	}
	view, err := b.goBench(ctx, b.root, "./engine", "View", "200x", 3)
	if err != nil {
		return err
	}
	b.add("snapshot of 5,000 nodes and 150,000 pods", fmt.Sprintf("%.2f ms", view["ns/op"]/1e6), "", "")
	roll, err := b.goBench(ctx, b.root, "./engine/sim/script", "Roll", "5x", 3)
	if err != nil {
		return err
	}
	b.add("simulated rolls a second, 24 nodes and 120 pods", fmt.Sprintf("%.1f", roll["rolls/s"]), "", "")
	return nil
}

// checkOut checks the commit before out, with the benchmark of decisions as it is now.
func (b *bench) checkOut(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "drainboard-before-"); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "git", "worktree", "add", "--detach", dir, b.before)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", b.before, err, out)
	}
	const name = "engine/bench_test.go"
	text, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, name), text, 0o644)
}

func (b *bench) dropCheckout(dir string) {
	cmd := exec.Command("git", "worktree", "remove", "--force", dir)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %s is left behind: %v: %s\n", dir, err, out)
	}
}

// goBench runs one benchmark of a checkout some times and returns its best figures by their
// units: what else the machine did is no part of them.
func (b *bench) goBench(ctx context.Context, root, pack, name, time string, count int) (best map[string]float64, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", pack, "-run", "^$", "-bench", "^Benchmark"+strings.ReplaceAll(name, "/", "$/^")+"$", "-benchtime", time, "-count", strconv.Itoa(count))
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	best = map[string]float64{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		for i := 2; i+1 < len(words); i += 2 { // name, runs, and then a value and its unit each
			value, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, err
			}
			unit := words[i+1]
			if have, known := best[unit]; !known || (value < have) == (unit != "rolls/s") {
				best[unit] = value
			}
		}
	}
	if len(best) == 0 {
		return nil, fmt.Errorf("%s printed no figures: %s", name, out)
	}
	return best, nil
}
