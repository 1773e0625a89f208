package backend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/rights"
	"github.com/drainboard/drainboard/providers/asg/transport"
	"github.com/drainboard/drainboard/providers/kube"
)

// EKS is the strategy of groups that no other system created.
const EKS = "eks"

// autoScaling finds the Auto Scaling groups of a cluster.
type autoScaling struct {
	aws  *asg.Client
	kube *kube.Client
}

// Find takes the name of an Auto Scaling group, or of one of the cluster's what people call it.
func (b autoScaling) Find(ctx context.Context, name string) (Group, error) {
	_, err := b.aws.Tags(ctx, name)
	if !errors.Is(err, transport.ErrNotFound) {
		return b.group(name), nil // what else is wrong is told when it is read
	}
	if name, err = b.meant(ctx, name); err != nil {
		return nil, err
	}
	return b.group(name), nil
}

// meant is the name of the cluster's group that people call so.
func (b autoScaling) meant(ctx context.Context, name string) (string, error) {
	machines, err := b.kube.Machines(ctx)
	if err != nil {
		return "", err
	}
	return b.aws.Meant(ctx, name, machines, b.kube.ClusterName())
}

// FindAs treats every group as an Auto Scaling group, as --provider asg or its run asks.
func (b autoScaling) FindAs(_ context.Context, name, _ string) (Group, error) {
	return b.group(name), nil
}

func (b autoScaling) List(ctx context.Context, nodes []*world.Node) (rows []present.GroupRow, err error) {
	list, err := b.aws.Groups(ctx, machinesOf(nodes), b.kube.ClusterName())
	for _, g := range list {
		rows = append(rows, present.GroupRow{Summary: g})
	}
	return rows, err
}

func (autoScaling) Several() error { return nil }

func (b autoScaling) Region() string { return b.aws.Region() }

func (b autoScaling) group(name string) Group {
	return &autoScalingGroup{awsGroup{b.aws, b.kube.Clock(), name}}
}

// awsGroup has what the groups of AWS have in common.
type awsGroup struct {
	aws   *asg.Client
	clock live.Clock
	name  string
}

func (g *awsGroup) Name() string { return g.name }

func (g *awsGroup) Target(ctx context.Context, o asg.TargetOptions) (record.Target, error) {
	return g.aws.Target(ctx, g.name, o)
}

func (g *awsGroup) Gone(ctx context.Context, run record.Run, w *world.World) ([]world.Template, error) {
	if run.BaseTemplate.ID == "" || run.BaseTemplate == w.Group.Template {
		return nil, nil
	}
	exists, err := g.aws.TemplateExists(ctx, run.BaseTemplate)
	if err != nil || exists {
		return nil, err
	}
	return []world.Template{run.BaseTemplate}, nil
}

func (g *awsGroup) Rights(ctx context.Context, rules engine.Strategy, w *world.World, p *snapshot.Plan) []snapshot.Right {
	needed := snapshot.RightsOf(rules, w, p)
	if len(needed) == 0 {
		return nil
	}
	on := rights.Objects{Group: &w.Group, Image: p.Run.Target.Image, Tag: rules.Capabilities().DetachTag, SetsTemplate: rules.Capabilities().TemplateSetBy == "" || p.Run.Target.Image != ""}
	switch {
	case len(p.Nodes) > 0:
		on.Machine = p.Nodes[0].Machine
	case len(p.Warm) > 0:
		on.Machine = p.Warm[0]
	}
	return rights.New(g.aws).Check(ctx, on, needed)
}

func (g *awsGroup) Prove(ctx context.Context, unchecked []snapshot.Right) []snapshot.Right {
	return rights.New(g.aws).Prove(ctx, g.name, unchecked)
}

// feedOptions returns the options of a command's feed.
func (g *awsGroup) feedOptions(began func(context.Context) time.Time) asg.FeedOptions {
	return asg.FeedOptions{Begin: began, Certain: true, Lately: true, Now: g.clock.Now}
}

func (g *awsGroup) executorOptions(changed func()) asg.ExecutorOptions {
	return asg.ExecutorOptions{Now: g.clock.Now, Changed: changed}
}

// autoScalingGroup is an Auto Scaling group that no other system created.
type autoScalingGroup struct{ awsGroup }

func (*autoScalingGroup) Alias() string    { return "" }
func (*autoScalingGroup) Provider() string { return asg.Provider }
func (*autoScalingGroup) Strategy() string { return EKS }

func (g *autoScalingGroup) Feed(began func(context.Context) time.Time) Feed {
	return g.aws.Feed(g.name, g.feedOptions(began))
}

func (g *autoScalingGroup) Executor(changed func()) live.Executor {
	return g.aws.Executor(g.executorOptions(changed))
}

func (g *autoScalingGroup) Fits(rules engine.Strategy) error {
	if rules.Name() == present.StrategyKops {
		return fmt.Errorf("--strategy kops: group %s was not created by kops; the strategy validates a whole kops cluster", g.name)
	}
	return noPool(g.name, rules)
}

func (g *autoScalingGroup) Settings(_ context.Context, rules engine.Strategy, asked Asked) (record.Settings, []string, error) {
	s, err := asked.Settings(rules)
	return s, nil, err
}

// noPool returns why rules for worker pools cannot be used in another group.
func noPool(name string, rules engine.Strategy) error {
	switch {
	case slices.Contains(present.PoolStrategies, rules.Name()):
		return fmt.Errorf("--strategy %s: group %s is not a Gardener worker pool", rules.Name(), name)
	case rules.Name() == strategy.GardenerInPlace{}.Name(), rules.Name() == strategy.GardenerInPlace{Seed: true}.Name():
		return fmt.Errorf("--strategy %s: for pools in the simulator only; Gardener updates real ones itself, use --strategy gardener-follow", rules.Name())
	}
	return nil
}
