// Bench measures drainboard and prints its figures in a table, each beside what it
// is to be compared with in the same run:
//
//	engine     decisions for 500, 5,000 and 50,000 nodes with 30 pods each beside those
//	           of the commit before, one snapshot, and whole simulated rolls (go test -bench)
//	size       the program on disk and zipped; start and memory of `drainboard version`
//	demo       from the start of `drainboard demo` to its first full frame
//	reaction   from a disruption budget's opening to the accepted eviction of the pod
//	           that waited for it, beside kubectl drain, by the API server's audit log
//	roll       the wall time of a roll beside its lower bound (docs/internals/speed.md), and the
//	           requests for each replaced node
//	kops       a roll by kops's rules beside the sum of the waits that they force, and
//	           beside the same roll by our own defaults
//	own        rolls by our own rules beside their bound, kops's and EKS's, simulated and on the
//	           lab, and waves of nodes that share few PDBs beside waves in random order
//	foresee    what is foreseen of rolls of twelve simulated clusters, and what comes; misses and
//	           false alarms over random clusters whose durations and faults are hidden
//	foretell   the same of twelve groups of a real control plane, each rolled twice
//	watch      the dashboard in watch of 1,000 nodes and 10,000 pods: start, CPU at
//	           rest, memory; beside k9s and eks-node-viewer where they are installed
//	dashboard  the dashboard of a busy simulated roll, and of one of 5,000 nodes and
//	           150,000 pods: bytes to the terminal, frame times, key to screen
//
// It needs bin/drainboard, bin/lab and bin/kwok (make build labtools).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/drainboard/drainboard/lab"
	"github.com/drainboard/drainboard/lab/machines"
)

// limit bounds the whole of it.
const limit = 90 * time.Minute

func main() {
	b := bench{}
	only := flag.String("only", "size,engine,rehearse,demo,dashboard,reaction,roll,kops,own,foresee,foretell,watch", "what to measure")
	flag.IntVar(&b.openings, "openings", 40, "budgets to open, for drainboard and for kubectl drain")
	flag.IntVar(&b.clusters, "clusters", 200, "random clusters whose rolls are foreseen")
	flag.StringVar(&b.before, "before", "HEAD~1", "the commit that decisions are measured beside")
	flag.BoolVar(&b.keep, "keep", false, "keep the labs' directories")
	flag.StringVar(&b.env, "env", "", "directory of a lab that is up already (lab up --dir), for watch")
	show := flag.String("show", "", "show a `roll` in this terminal, busy or large, as dashboard has it shown")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *show != "" {
		if err := showRoll(ctx, *show); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done within %s", limit))
	defer cancel()
	err := b.run(ctx, strings.Split(*only, ","))
	b.print()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench collects figures.
type bench struct {
	openings int
	clusters int
	keep     bool
	env      string
	before   string

	root, bin string
	lab       *lab.Lab // the one that runs now
	dir       string   // the lab's, and of what the programs wrote
	figures   []figure
}

// figure is a line of the table: what was measured, beside what, and their ratio.
type figure struct{ what, here, beside, ratio string }

func (b *bench) add(what, here, beside, ratio string) {
	b.figures = append(b.figures, figure{what, here, beside, ratio})
}

// run measures what is asked for, one after the other.
func (b *bench) run(ctx context.Context, only []string) (err error) {
	if b.root, err = filepath.Abs(".."); err != nil {
		return err
	}
	b.bin = filepath.Join(b.root, "bin")
	for _, part := range []struct {
		name    string
		measure func(context.Context) error
	}{{"size", b.size}, {"engine", b.engine}, {"rehearse", b.rehearse}, {"demo", b.demo}, {"dashboard", b.dashboards}, {"reaction", b.reactions}, {"roll", b.roll}, {"kops", b.kops}, {"own", b.own}, {"foresee", b.foresee}, {"foretell", b.foretell}, {"watch", b.watch}} {
		if !slices.Contains(only, part.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, "bench:", part.name, "...")
		if err := part.measure(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// print prints the table.
func (b *bench) print() {
	fmt.Printf("\n%d cores, %s/%s, %s\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	t := tabwriter.NewWriter(os.Stdout, 0, 4, 3, ' ', 0)
	fmt.Fprintln(t, "\tmeasured\tbeside\tratio")
	for _, f := range b.figures {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.what, f.here, f.beside, f.ratio)
	}
	t.Flush()
}

// roomy is an instance type on which one node holds every waiting pod.
const roomy = "bench.roomy"

// inLab starts a lab, measures in it and stops it.
func (b *bench) inLab(ctx context.Context, times lab.Times, measure func(context.Context) error) error {
	var err error
	if b.dir, err = os.MkdirTemp("", "drainboard-bench-"); err != nil {
		return err
	}
	b.lab, err = lab.Start(ctx, lab.Options{
		Dir: b.dir, BinDir: b.bin, Times: times,
		Machines: map[string]machines.Offer{roomy: {CPU: "64", Memory: "256Gi", Pods: 500}},
	})
	if err != nil {
		return err
	}
	err = measure(ctx)
	b.lab.Stop()
	if b.keep {
		fmt.Fprintln(os.Stderr, "bench: logs in", b.dir)
		return err
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}
