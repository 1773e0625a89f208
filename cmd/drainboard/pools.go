package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kube"
)

// gardenerPools is the value of --provider for worker pools of a Gardener Shoot.
const gardenerPools = gardener.Provider

// addPools has the flags that say where a Shoot is kept beside its cluster.
func addPools(fl *pflag.FlagSet, o *gardener.Options) {
	fl.StringVar(&o.Garden, "garden-kubeconfig", "", "Gardener: kubeconfig of the cluster that has the Shoot (default: none; the nodes are what tells of the pools)")
	fl.StringVar(&o.Shoot, "shoot", "", "Gardener: NAMESPACE/NAME of the Shoot in the garden cluster")
	fl.StringVar(&o.Control, "control-kubeconfig", "", "Gardener: kubeconfig of the control cluster, which has the Machines (default: none)")
	fl.StringVar(&o.Namespace, "control-namespace", "", "Gardener: the Shoot's namespace in the control cluster")
}

// asksForPools reports whether the flags are those of Gardener.
func (f *whereFlags) asksForPools() bool { return f.pools != gardener.Options{} }

// poolSession is what a session of a Shoot's cluster has in place of the cloud: who makes its
// machines is Gardener's business.
type poolSession struct {
	*gardener.Client // nil where only the nodes are asked
}

// inPools reports whether the cluster's groups are worker pools: it was said, or all
// nodes say so.
func inPools(ctx context.Context, k *kube.Client, where whereFlags) (bool, error) {
	switch {
	case where.provider == gardenerPools:
		return true, nil
	case where.provider != anyProvider:
		return false, nil
	case where.asksForPools():
		return true, nil
	}
	return k.EachNode(ctx, world.GardenerPool)
}

// openPools opens what the flags name beside the cluster.
func openPools(ctx context.Context, where whereFlags, readOnly bool) (*poolSession, error) {
	if !where.asksForPools() {
		return &poolSession{}, nil
	}
	c, err := gardener.Connect(ctx, where.pools, version, readOnly)
	if err != nil {
		return nil, err
	}
	return &poolSession{c}, nil
}

// errSeveralPools is why there is no roll of pools.
func errSeveralPools() error {
	return exitcode.Usage(errors.New("one worker pool at a time: Gardener rolls all pools of a Shoot side by side, each by itself; drainboard upgrade POOL drives or follows one of them"))
}

// errNoPool is why a plan of Gardener's has nothing to plan.
func errNoPool() error {
	return exitcode.Usage(errors.New("which POOL, or which change? Name a POOL to see how it stands and what a roll of it meets (drainboard groups lists them), or say what changes in the Shoot: --change FILE, --kubernetes-version, --machine-image-version or --operation"))
}

// findPool settles that there is a pool of that name.
func (s *session) findPool(ctx context.Context, name string) (place, error) {
	nodes, err := s.kube.Nodes(ctx)
	if err != nil {
		return place{}, err
	}
	pool, err := s.pools.Find(ctx, name, nodes)
	if err != nil {
		return place{}, err
	}
	return place{name: name, pool: pool}, nil
}

// poolRows are the worker pools of the cluster.
func (s *session) poolRows(ctx context.Context, nodes []*world.Node) (rows []present.GroupRow, err error) {
	list, err := s.pools.Pools(ctx, nodes, gardener.FeedOptions{Now: s.clock().Now, Read: s.kube.Read})
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		of := present.PoolOf(s.viewOf(p, nodes))
		rows = append(rows, present.GroupRow{Summary: asg.Summary{Group: p.Group, Machines: p.Machines, Outdated: p.Outdated, Members: p.Members}, Worker: &of})
	}
	return rows, nil
}

// viewOf is a pool as its nodes and machines tell, without their pods.
func (s *session) viewOf(p gardener.Summary, nodes []*world.Node) *engine.PoolView {
	w := world.New()
	for _, n := range nodes {
		w.SetNode(n)
	}
	w.SetGroup(p.Group)
	w.SetMachines(p.All)
	now := s.clock().Now()
	return engine.View(poolRules, now, w, engine.Idle(poolRules, now, w, engine.Run{}, nil), engine.Look{}, nil).Pool
}

// poolStrategy is the strategy of a pool where none is asked for: batches of ours where nodes
// are selected by hand, and else what Gardener's controller does.
func poolStrategy(p *world.Pool) string {
	if p != nil && p.Update == world.ManualInPlaceUpdate {
		return strategy.GardenerManual{}.Name()
	}
	return strategy.GardenerFollow{}.Name()
}

// ofShoot refuses the flags of settings that are the Shoot's in a pool.
func ofShoot(cmd *cobra.Command, rules engine.Strategy) error {
	if _, pool := present.PoolSettings[rules.Name()]; !pool {
		if cmd.Flags().Changed("wait-for-start") {
			return fmt.Errorf("--wait-for-start is for worker pools of Gardener; strategy %s starts by itself", rules.Name())
		}
		return nil
	}
	for _, row := range present.Settings {
		if cmd.Flags().Changed(row.Flag) && !row.Of(rules.Name()) {
			return fmt.Errorf("--%s: Gardener does so by what the Shoot says; strategy %s has no use for it", row.Flag, rules.Name())
		}
	}
	return nil
}

// fitsPool says why one of them has no business in this pool, nil if it has. What the pool's
// update strategy is may not be known.
func (p place) fitsPool(rules engine.Strategy) error {
	manual := rules.Name() == strategy.GardenerManual{}.Name()
	switch {
	case p.pool.Update == "" || manual == (p.pool.Update == world.ManualInPlaceUpdate):
		return nil
	case manual:
		return fmt.Errorf("--strategy %s: Gardener itself selects the nodes of pool %s (%s)", rules.Name(), p.name, p.pool.Update)
	}
	return fmt.Errorf("--strategy %s: nobody but you selects the nodes of pool %s (%s): choose %s", rules.Name(), p.name, p.pool.Update, strategy.GardenerManual{}.Name())
}

// poolNotes say what a plan of a pool rests on that was not known.
func (p place) poolNotes() []string {
	if p.pool == nil || p.pool.Update != "" {
		return nil
	}
	return []string{"the pool's update strategy is not known without the Shoot or the control cluster: it is taken for one that Gardener rolls by itself; --strategy " + strategy.GardenerManual{}.Name() + " selects its nodes in batches (ManualInPlaceUpdate)"}
}

// unseen says which update of a pool could be due although no node is outdated.
func unseen(w *world.World) []string {
	if text := w.Group.Pool.Unseen(); text != "" {
		return []string{text}
	}
	return nil
}
