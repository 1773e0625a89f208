// Bench measures drainboard on the lab's control plane, from the stamps of the
// API server's audit log, beside kubectl drain in the same run:
//
//	reaction   the time from a disruption budget's opening to the accepted
//	           eviction of the pod that waited for it
//	roll       requests for each replaced node, and wall time
//
// It needs bin/drainboard, bin/lab and bin/kwok (make build labtools).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/drainboard/drainboard/lab"
)

func main() {
	openings := flag.Int("openings", 60, "budgets to open, for drainboard and for kubectl drain")
	nodes := flag.Int("nodes", 12, "nodes of the roll; 0: none")
	keep := flag.Bool("keep", false, "keep the lab's directory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *openings, *nodes, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// limit bounds the whole of it.
const limit = 10 * time.Minute

func run(ctx context.Context, openings, nodes int, keep bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s", limit))
	defer cancel()
	b, err := begin(ctx)
	if err != nil {
		return err
	}
	defer b.end(keep)

	ours, err := b.reaction(ctx, "ours", openings, b.upgrade)
	if err != nil {
		return fmt.Errorf("reaction of drainboard: %w", err)
	}
	theirs, err := b.reaction(ctx, "theirs", openings, b.kubectlDrain)
	if err != nil {
		return fmt.Errorf("reaction of kubectl drain: %w", err)
	}
	printReaction(os.Stdout, ours, theirs)
	if nodes == 0 {
		return nil
	}
	return b.roll(ctx, os.Stdout, nodes)
}

// bench is a lab and the programs in it.
type bench struct {
	lab *lab.Lab
	dir string // the lab's, and of what the programs wrote
	bin string
}

// begin starts the lab.
func begin(ctx context.Context) (*bench, error) {
	dir, err := os.MkdirTemp("", "drainboard-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir}
	b.lab, err = lab.Start(ctx, lab.Options{
		Dir:      dir,
		Machines: map[string]lab.Machine{roomy: {CPU: "64", Memory: "256Gi", Pods: 500}},
	})
	if err != nil {
		return nil, err
	}
	b.bin, err = filepath.Abs(filepath.Join("..", "bin"))
	return b, err
}

// roomy is an instance type on which one node holds every waiting pod.
const roomy = "bench.roomy"

func (b *bench) end(keep bool) {
	b.lab.Stop()
	if keep {
		fmt.Println("logs in", b.dir)
		return
	}
	_ = os.RemoveAll(b.dir)
}
