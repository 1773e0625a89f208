package backend

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kops"
	"github.com/drainboard/drainboard/providers/kube"
)

// kopsGroupTag has an instance group's name, on its Auto Scaling group and machines.
const kopsGroupTag = world.KopsGroup

// kopsCluster finds the instance groups of the kops cluster that the nodes belong to.
type kopsCluster struct {
	aws   *asg.Client
	kube  *kube.Client
	where Where

	mu     sync.Mutex // groups of a roll may be found in parallel
	opened bool
	client *kops.Client // once it is opened
}

// open finds the kops cluster that machines belong to, once; nil machines are read.
func (b *kopsCluster) open(ctx context.Context, machines map[string]bool) (*kops.Client, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened {
		return b.client, nil
	}
	if machines == nil {
		var err error
		if machines, err = b.kube.Machines(ctx); err != nil {
			return nil, err
		}
	}
	c, err := kops.Connect(ctx, b.aws, kops.Options{Cluster: b.where.Cluster, StateStore: b.where.Store, Machines: machines})
	if err != nil {
		return nil, err
	}
	b.client, b.opened = c, true
	return c, nil
}

// isOpen reports whether the cluster was found already.
func (b *kopsCluster) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.opened
}

func (b *kopsCluster) Find(ctx context.Context, name string) (Group, error) {
	c, err := b.open(ctx, nil)
	if err != nil {
		return nil, err
	}
	g, err := c.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return kopsGroupOf(b.aws, c, b.kube.Clock(), g), nil
}

// FindAs treats every group as one of kops, as --provider kops asks.
func (b *kopsCluster) FindAs(ctx context.Context, name, _ string) (Group, error) {
	return b.Find(ctx, name)
}

func (b *kopsCluster) List(ctx context.Context, nodes []*world.Node) ([]present.GroupRow, error) {
	c, err := b.open(ctx, machinesOf(nodes))
	if err != nil {
		return nil, err
	}
	return kopsRows(ctx, c)
}

func (*kopsCluster) Several() error { return nil }

func (b *kopsCluster) Region() string { return b.aws.Region() }

// kopsRows returns the groups created by kops.
func kopsRows(ctx context.Context, c *kops.Client) (rows []present.GroupRow, err error) {
	groups, err := c.Groups(ctx)
	for _, g := range groups {
		rows = append(rows, present.GroupRow{Summary: g.Summary, InstanceGroup: g.InstanceGroup})
	}
	return rows, err
}

// kopsGroup is an instance group of kops.
type kopsGroup struct {
	awsGroup
	kops  *kops.Client
	group kops.Group
}

func kopsGroupOf(aws *asg.Client, c *kops.Client, clock live.Clock, g kops.Group) *kopsGroup {
	return &kopsGroup{awsGroup{aws, clock, g.Name}, c, g}
}

func (g *kopsGroup) Alias() string  { return g.group.InstanceGroup }
func (*kopsGroup) Provider() string { return Kops }
func (*kopsGroup) Strategy() string { return present.StrategyKops }

func (g *kopsGroup) Feed(began func(context.Context) time.Time) Feed {
	return g.kops.Feed(g.name, g.feedOptions(began))
}

func (g *kopsGroup) Executor(changed func()) live.Executor {
	return g.kops.Executor(g.executorOptions(changed))
}

func (g *kopsGroup) Fits(rules engine.Strategy) error {
	if rules.Name() == present.StrategyKops {
		return nil
	}
	if err := noPool(g.name, rules); err != nil {
		return err
	}
	switch g.group.Role {
	case world.RoleControlPlane:
		return fmt.Errorf("--strategy %s: %s is the control plane, and only kops's rules wait for a healthy etcd before the next instance", rules.Name(), g.Alias())
	case world.RoleBastion:
		return fmt.Errorf("--strategy %s: %s has bastions, which are not nodes of the cluster: only kops's rules handle them", rules.Name(), g.Alias())
	}
	return nil
}

// Settings returns the flags, laid over the state store's settings for the group, over kops's
// defaults.
func (g *kopsGroup) Settings(ctx context.Context, rules engine.Strategy, asked Asked) (record.Settings, []string, error) {
	var notes []string
	if asked.NewTarget() {
		notes = append(notes, "kops manages the group's launch template: the next kops update cluster --yes resets it to the InstanceGroup's")
	}
	if rules.Name() != present.StrategyKops {
		if rules.Capabilities().ValidatesWhereSet {
			s, err := asked.ValidatedSettings(rules, g.group.Role)
			return s, append(notes, fmt.Sprintf("a kops group rolled by the %s strategy: the cluster is validated as by kops; the InstanceGroup's rollingUpdate settings do not apply", rules.Name())), err
		}
		notes = append(notes, fmt.Sprintf("a kops group rolled by the %s strategy: the cluster is not validated between nodes, and the InstanceGroup's rollingUpdate settings do not apply", rules.Name()))
		s, err := asked.Settings(rules)
		return s, notes, err
	}
	said, err := g.kops.Settings(ctx, g.group)
	if err != nil {
		return record.Settings{}, nil, err
	}
	s, err := asked.KopsSettings(rules, g.group.Role, said)
	return s, append(notes, said.Notes...), err
}
