package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ownLeastWait is the wait after a drain by our own rules where nothing routes to the node.
const ownLeastWait = 5 * time.Second

// ownBound is the least time of a roll by our own rules (strategy drainboard) with none unavailable:
// docs/internals/speed.md derives it. moved is from an eviction until what replaces the pod is Ready.
func ownBound(nodes, surge int, t machineTimes, moved time.Duration) time.Duration {
	growth := 0 // waves before all that the surge allows go at once
	for size, begun := 1, 0; begun+size < surge; size *= 2 {
		begun, growth = begun+size, growth+1
	}
	node := t.stop + ownLeastWait
	rounds := (nodes + surge - 1) / surge
	return t.joins() + time.Duration(growth)*moved + time.Duration(rounds-1)*(node+t.joins()) + node + t.end
}

// ownMoved is how long a pod takes to stop and its replacement to be Ready.
const ownMoved = 5 * time.Second

// own compares rolls by our own rules with their bound, and with the same rolls by EKS's and by kops's; and
// waves of nodes that share few PDBs with waves in random order. Then it rolls the same on the lab, with smaller waits.
func (b *bench) own(ctx context.Context) error {
	for _, surge := range []int{1, 6} {
		rolls := []struct{ name, cluster, settings string }{
			{"kops's rules", "cluster provider=kops role=node name=nodes", fmt.Sprintf("strategy=kops max-surge=%d", surge)},
			{"EKS's rules, as many at once", "cluster name=nodes", fmt.Sprintf("strategy=eks max-surge=%d max-unavailable=%d", surge, surge)},
			{"our own rules", "cluster name=nodes", fmt.Sprintf("strategy=drainboard max-surge=%d", surge)},
		}
		var kops time.Duration
		for _, r := range rolls {
			got, err := simulateRoll(r.cluster, "settings "+r.settings)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if kops == 0 {
				kops = got.took
			}
			b.add(fmt.Sprintf("max-surge %d: %d nodes by %s", surge, kopsNodes, r.name), minutes(got.took), "kops's: "+minutes(kops), fmt.Sprintf("%.3f", got.took.Seconds()/kops.Seconds()))
			b.add("  most machines above desired; fewest in service; moves per pod", fmt.Sprintf("%d; %d; %.2f", got.most, got.least, float64(got.moves)/float64(max(1, got.pods))), "", "")
			if r.name == "our own rules" {
				least := ownBound(kopsNodes, surge, kopsTimes, ownMoved)
				b.add("  of it beside its bound", minutes(got.took), "lower bound: "+minutes(least), fmt.Sprintf("%.3f", got.took.Seconds()/least.Seconds()))
			}
		}
	}
	if err := b.waves(ctx); err != nil {
		return err
	}
	return b.ownInLab(ctx)
}

// waveClusters is how many clusters with PDBs of their own are rolled in both orders, with a surge of waveSurge.
const waveClusters, waveSurge = 50, 6

// emptyBound is the least time of such a roll whose nodes have no pods to evict: see ownBound.
func emptyBound(nodes, surge int, t machineTimes) time.Duration {
	rounds := (nodes + surge - 1) / surge
	return t.joins() + time.Duration(rounds-1)*(ownLeastWait+t.joins()) + ownLeastWait + t.end
}

// waves compares rolls in which the nodes of a wave share as few PDBs as possible with such in random order, and both
// with a bound.
func (b *bench) waves(ctx context.Context) error {
	rolls := make([]ordered, waveClusters)
	err := each(ctx, waveClusters, func(i int) (err error) {
		rolls[i], err = inBothOrders(uint64(i))
		return err
	})
	if err != nil {
		return err
	}
	slower := 0
	for _, r := range rolls {
		if r.apart > r.random {
			slower++
		}
	}
	least, median, most := spread(rolls, func(r ordered) float64 { return r.apart / r.random })
	b.add(fmt.Sprintf("nodes apart by PDBs, time of %d rolls: median", waveClusters), fmt.Sprintf("%.3f", median), "random order: 1", fmt.Sprintf("%.3f to %.3f", least, most))
	b.add("  clusters in which that is slower", fmt.Sprint(slower), fmt.Sprintf("of %d", waveClusters), "")
	bound := emptyBound(kopsNodes, waveSurge, kopsTimes).Seconds()
	_, apart, _ := spread(rolls, func(r ordered) float64 { return r.apart / bound })
	_, random, _ := spread(rolls, func(r ordered) float64 { return r.random / bound })
	b.add("  beside their bound without PDBs, median", fmt.Sprintf("%.3f", apart), fmt.Sprintf("random order: %.3f", random), fmt.Sprintf("no order is below %.3f", 1/random))
	return b.searched(ctx)
}

// searchedClusters are the clusters in which an order is looked for by trying, searchedOrders how many random ones each.
const searchedClusters, searchedOrders = 10, 30

// searched tells how much time the best of many random orders takes, beside the median of them: what an order can save.
func (b *bench) searched(ctx context.Context) error {
	took := make([]float64, searchedClusters*searchedOrders)
	err := each(ctx, len(took), func(i int) error {
		got, err := inOrder(uint64(i/searchedOrders), uint64(1000+i), "random")
		took[i] = got
		return err
	})
	if err != nil {
		return err
	}
	var best []ordered
	for some := range slices.Chunk(took, searchedOrders) {
		slices.Sort(some)
		best = append(best, ordered{apart: some[0], random: some[len(some)/2]})
	}
	least, median, most := spread(best, func(r ordered) float64 { return r.apart / r.random })
	b.add(fmt.Sprintf("  the best of %d random orders in each of %d clusters, median", searchedOrders, searchedClusters), fmt.Sprintf("%.3f", median), "their median: 1", fmt.Sprintf("%.3f to %.3f", least, most))
	return nil
}

// each does n things, on all processors, and joins what fails.
func each(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var running sync.WaitGroup
	for range runtime.NumCPU() {
		running.Go(func() {
			for i := int(next.Add(1) - 1); i < n && ctx.Err() == nil; i = int(next.Add(1) - 1) {
				errs[i] = do(i)
			}
		})
	}
	running.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// ordered are the seconds of two rolls of one cluster.
type ordered struct{ apart, random float64 }

// spread is the least, the median and the most of a figure of rolls.
func spread(rolls []ordered, figure func(ordered) float64) (least, median, most float64) {
	all := make([]float64, len(rolls))
	for i, r := range rolls {
		all[i] = figure(r)
	}
	slices.Sort(all)
	return all[0], all[len(all)/2], all[len(all)-1]
}

// inBothOrders rolls a cluster with shared PDBs in both orders.
func inBothOrders(seed uint64) (r ordered, err error) {
	if r.apart, err = inOrder(seed, seed, "apart"); err == nil {
		r.random, err = inOrder(seed, seed, "random")
	}
	return r, err
}

// inOrder is how many seconds the roll of a cluster with shared PDBs takes in an order, with random choices by a seed.
func inOrder(cluster, seed uint64, order string) (float64, error) {
	got, err := simulate(fmt.Sprintf("seed %d\ncluster name=nodes", seed), append(sharedPDBs(cluster), fmt.Sprintf("settings strategy=drainboard max-surge=%d order=%s", waveSurge, order)))
	if err != nil {
		return 0, fmt.Errorf("cluster %d in order %s: %w", cluster, order, err)
	}
	return got.took.Seconds(), nil
}

// sharedPDBs are workloads of a few replicas on different nodes, each with a PDB that lets one go at a time.
func sharedPDBs(seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 26))
	lines := []string{"workload logs kind=daemonset"}
	for i := range 12 + r.IntN(9) {
		lines = append(lines,
			fmt.Sprintf("workload w%d replicas=%d stop=2s ready=%ds apart=host", i, 3+r.IntN(3), 20+r.IntN(21)),
			fmt.Sprintf("budget w%d max=1", i))
	}
	return lines
}
