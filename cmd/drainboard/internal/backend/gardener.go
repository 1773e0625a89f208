package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kube"
)

// PoolRules classify pods as Gardener's drains do.
var PoolRules = strategy.Gardener{}

// pools finds the worker pools of a Shoot's cluster, whose machines Gardener creates.
type pools struct {
	kube   *kube.Client
	client *gardener.Client // nil if only the nodes are read
}

// asked reports whether the cluster's groups are worker pools by the flags or by its kubeconfig,
// and whether these tell.
func asked(k *kube.Client, where Where) (pools, told bool) {
	if where.Provider != Any {
		return where.Provider == Gardener, true
	}
	is := where.AsksForPools() || gardener.IsShoot(k.Extension(gardener.ExtensionName))
	return is, is
}

// openPools opens the garden and control cluster that the flags name, or the kubeconfig does.
func openPools(ctx context.Context, k *kube.Client, where Where, version string, readOnly bool) (Backend, error) {
	at, err := where.Pools.Resolve(ctx, k.Extension(gardener.ExtensionName), os.Getenv, k.Read)
	if err != nil {
		return nil, err
	}
	if at == (gardener.Options{}) {
		return &pools{kube: k}, nil
	}
	c, err := gardener.Connect(ctx, at, version, readOnly)
	if err != nil {
		return nil, err
	}
	return &pools{k, c}, nil
}

func (b *pools) Find(ctx context.Context, name string) (Group, error) {
	nodes, err := b.kube.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	p, err := b.client.Find(ctx, name, nodes)
	if err != nil {
		return nil, err
	}
	return &pool{b, name, *p}, nil
}

// FindAs is Find: all groups here are pools.
func (b *pools) FindAs(ctx context.Context, name, _ string) (Group, error) { return b.Find(ctx, name) }

func (b *pools) List(ctx context.Context, nodes []*world.Node) (rows []present.GroupRow, err error) {
	list, err := b.client.Pools(ctx, nodes, b.options())
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		of := present.PoolOf(b.view(p, nodes))
		rows = append(rows, present.GroupRow{Summary: asg.Summary{Group: p.Group, Machines: p.Machines, Outdated: p.Outdated, Members: p.Members}, Worker: &of})
	}
	return rows, nil
}

func (*pools) Region() string { return "" }

func (*pools) Several() error {
	return errors.New("one worker pool at a time: Gardener rolls the pools of a Shoot independently of each other; drainboard upgrade POOL drives or follows one of them")
}

func (b *pools) options() gardener.FeedOptions {
	return gardener.FeedOptions{Now: b.kube.Clock().Now, Read: b.kube.Read}
}

// view returns a pool's state by its nodes and machines, without pods.
func (b *pools) view(p gardener.Summary, nodes []*world.Node) *snapshot.PoolView {
	w := world.New()
	for _, n := range nodes {
		w.SetNode(n)
	}
	w.SetGroup(p.Group)
	w.SetMachines(p.All)
	now := b.kube.Clock().Now()
	return snapshot.View(PoolRules, now, w, snapshot.Idle(PoolRules, now, w, record.Run{}, nil), snapshot.Look{}, nil).Pool
}

// pool is one worker pool.
type pool struct {
	*pools
	name  string
	found world.Pool
}

func (p *pool) Name() string   { return p.name }
func (*pool) Alias() string    { return "" }
func (*pool) Provider() string { return Gardener }

func (p *pool) Feed(func(context.Context) time.Time) Feed {
	return p.client.Feed(p.name, p.options())
}

func (p *pool) Executor(func()) live.Executor { return p.client.Executor(p.kube.Clock().Now) }

// Strategy is one with batches where nodes are selected by hand, and else follows Gardener's
// controller.
func (p *pool) Strategy() string {
	if p.found.Update == world.ManualInPlaceUpdate {
		return strategy.GardenerManual{}.Name()
	}
	return strategy.GardenerFollow{}.Name()
}

// Fits also works without the pool's update strategy, which may be unknown.
func (p *pool) Fits(rules engine.Strategy) error {
	manual := rules.Name() == strategy.GardenerManual{}.Name()
	switch {
	case !slices.Contains(present.PoolStrategies, rules.Name()):
		return fmt.Errorf("--strategy %s: %s is a worker pool, whose machines Gardener manages: choose %s", rules.Name(), p.name, strings.Join(present.PoolStrategies, " or "))
	case p.found.Update == "" || manual == (p.found.Update == world.ManualInPlaceUpdate):
		return nil
	case manual:
		return fmt.Errorf("--strategy %s: Gardener itself selects the nodes of pool %s (%s)", rules.Name(), p.name, p.found.Update)
	}
	return fmt.Errorf("--strategy %s: the nodes of pool %s (%s) are selected by hand: choose %s", rules.Name(), p.name, p.found.Update, strategy.GardenerManual{}.Name())
}

func (p *pool) Settings(_ context.Context, rules engine.Strategy, asked Asked) (record.Settings, []string, error) {
	if asked.NewTarget() {
		return record.Settings{}, nil, errors.New("--ami and --launch-template-version are for groups of AWS: change a worker pool's version in the Shoot")
	}
	var notes []string
	if p.found.Update == "" {
		notes = append(notes, "the pool's update strategy is unknown without the Shoot or the control cluster, and assumed to be one that Gardener rolls itself; --strategy "+strategy.GardenerManual{}.Name()+" selects its nodes in batches (ManualInPlaceUpdate)")
	}
	s, err := asked.Settings(rules)
	if err != nil || s.Pace == nil {
		return s, notes, err
	}
	note, err := p.pace(*s.Pace)
	return s, append(notes, note), err
}

// pace returns what a run would do that sets the pool's pace, or why it cannot be set.
func (p *pool) pace(set world.Pace) (note string, err error) {
	if why := (mcm.Controller{}).PaceRefused(&world.Group{Pool: &p.found}); why != "" {
		return "", fmt.Errorf("%s: %s", paceFlags(set), why)
	}
	now := p.found.Pace()
	flags := paceFlags(set)
	switch set = set.Over(now); {
	case set.Halts():
		return "", fmt.Errorf("%s: %s", flags, text.PaceHalts)
	case set == now:
		return text.PaceIsSo(now.String(), p.name, p.found.Shoot), nil
	}
	return text.PacePlanned(now.String(), set.String(), p.name, p.found.Shoot), nil
}

// paceFlags are the flags that a pool's pace was given by.
func paceFlags(set world.Pace) string {
	var flags []string
	if set.MaxSurge != "" {
		flags = append(flags, "--max-surge")
	}
	if set.MaxUnavailable != "" {
		flags = append(flags, "--max-unavailable")
	}
	return strings.Join(flags, ", ")
}

// Target is empty: the version of a pool's machines is in its Shoot.
func (*pool) Target(context.Context, asg.TargetOptions) (record.Target, error) {
	return record.Target{}, nil
}

// Gone returns nil: a pool's machines have no launch template.
func (*pool) Gone(context.Context, record.Run, *world.World) ([]world.Template, error) {
	return nil, nil
}

// Rights is that to change the Shoot, for a run that sets the pool's pace or has set it.
func (p *pool) Rights(ctx context.Context, _ engine.Strategy, _ *world.World, plan *snapshot.Plan) []snapshot.Right {
	if plan.Run.Settings.Pace == nil && plan.Run.Pace == nil || p.found.Shoot == "" {
		return nil
	}
	return []snapshot.Right{p.client.MaySetPace(ctx)}
}

// Prove has nothing to prove.
func (*pool) Prove(_ context.Context, rights []snapshot.Right) []snapshot.Right { return rights }
