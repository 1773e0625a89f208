package backend

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/asg/transport"
	"github.com/drainboard/drainboard/providers/kops"
	"github.com/drainboard/drainboard/providers/kube"
)

// Backend finds the groups of one system.
type Backend interface {
	// Find resolves a group's name.
	Find(ctx context.Context, name string) (Group, error)
	// FindAs is Find for a group whose unfinished run was started with a provider.
	FindAs(ctx context.Context, name, provider string) (Group, error)
	// List returns the groups that own the machines of nodes, in the order in which they are
	// rolled.
	List(ctx context.Context, nodes []*world.Node) ([]present.GroupRow, error)
	// Several returns why several groups cannot be rolled together, nil if they can.
	Several() error
	// Region is where in the cloud it looks, "" in a Shoot's cluster.
	Region() string
}

// Group is one group, as its system has it.
type Group interface {
	// Name is the key of lock and record. It is the same for every --provider, so that
	// there is one run at a time.
	Name() string
	// Alias is the group's name on screen, "" where that is Name.
	Alias() string
	Provider() string
	// Feed follows the group. began is the start of its unfinished run, zero for none.
	Feed(began func(context.Context) time.Time) Feed
	// Executor changes the group; changed is called when it has.
	Executor(changed func()) live.Executor
	// Strategy is the name of the default rules.
	Strategy() string
	// Fits returns why rules cannot be used in the group, nil if they can.
	Fits(rules engine.Strategy) error
	// Settings returns the settings of a run by rules, and a plan's notes on their origin.
	Settings(ctx context.Context, rules engine.Strategy, asked Asked) (record.Settings, []string, error)
	// Target is the template that machines are replaced with.
	Target(ctx context.Context, o asg.TargetOptions) (record.Target, error)
	// Gone returns the templates that a run has to restore and that no longer exist.
	Gone(ctx context.Context, run record.Run, w *world.World) ([]world.Template, error)
	// Rights returns the rights beyond those in the group's own cluster that a planned run takes,
	// checked without a change as far as they can be.
	Rights(ctx context.Context, rules engine.Strategy, w *world.World, p *snapshot.Plan) []snapshot.Right
	// Prove checks those that are left by requests that change nothing. Only the holder of the
	// group's lock may send them.
	Prove(ctx context.Context, rights []snapshot.Right) []snapshot.Right
}

// Asked has the flags of the command line.
type Asked interface {
	// Settings lays them over the defaults of rules.
	Settings(rules engine.Strategy) (record.Settings, error)
	// KopsSettings lays them over the state store's settings for a group of some role.
	KopsSettings(rules engine.Strategy, role world.Role, said kops.RollingUpdate) (record.Settings, error)
	// ValidatedSettings lays them over the defaults of rules that validate a group of kops of some role as kops's do.
	ValidatedSettings(rules engine.Strategy, role world.Role) (record.Settings, error)
	// NewTarget reports whether they ask for another template or image.
	NewTarget() bool
	// Update is what EKS is to update a managed node group to, as far as it is said.
	Update() record.UpdateRequest
}

// Feed keeps a world up to date with a group. Poke requests fresh looks from now on for a
// while, ReadNow for one at once.
type Feed interface {
	live.Feed
	Poke()
	ReadNow()
}

// Open returns the backend for the groups of a cluster: worker pools of a Shoot, or the
// cloud. Which of them applies is read while the cloud is opened, whose errors do not matter
// in a Shoot's cluster.
func Open(ctx context.Context, k *kube.Client, where Where, version string, readOnly bool) (Backend, error) {
	if pools, told := asked(k, where); pools {
		return openPools(ctx, k, where, version, readOnly)
	} else if told {
		aws, err := openCloud(ctx, k, where, readOnly)
		if err != nil {
			return nil, err
		}
		return onAWS(k, aws, where), nil
	}
	found := make(chan bool, 1)
	go live.Guarded(func() {
		pools, err := k.EachNode(ctx, world.GardenerPool)
		found <- pools && err == nil // errors of the nodes are reported when they are read
	}, func(error) { found <- false })()
	aws, err := openCloud(ctx, k, where, readOnly)
	if <-found {
		return openPools(ctx, k, where, version, readOnly)
	}
	if err != nil {
		return nil, err
	}
	return onAWS(k, aws, where), nil
}

// onAWS returns the backend for the requested groups of AWS.
func onAWS(k *kube.Client, aws *asg.Client, where Where) Backend {
	c := &cloud{asg: autoScaling{aws, k}, eks: newManaged(aws, k), kops: kopsCluster{aws: aws, kube: k, where: where}}
	switch where.Provider {
	case EKSManaged:
		return c.eks
	case asg.Provider:
		return c.asg
	case Kops:
		return &c.kops
	}
	return c
}

// openCloud opens the cloud, in the configured region or that of the
// cluster's nodes.
func openCloud(ctx context.Context, k *kube.Client, where Where, readOnly bool) (*asg.Client, error) {
	o := asg.Options{Region: where.Region, Profile: where.Profile, ReadOnly: readOnly}
	a, regionless := connect(ctx, o)
	if !errors.Is(regionless, transport.ErrNoRegion) {
		return a, regionless
	}
	nodes, err := k.Nodes(ctx)
	switch o.Fallback = RegionOf(nodes); {
	case err != nil:
		return nil, err
	case len(nodes) == 0:
		return nil, fmt.Errorf("the cluster has no nodes, and %w", regionless)
	case o.Fallback == "":
		return nil, fmt.Errorf("no node of the cluster tells its region, and %w", regionless)
	}
	return connect(ctx, o)
}

// RegionOf is the region of the first node that tells its zone, "" if none does.
func RegionOf(nodes []*world.Node) string {
	for _, n := range nodes {
		if region := asg.RegionOf(n.Zone); region != "" {
			return region
		}
	}
	return ""
}

// connect is asg.Connect with patience: credentials may have to be asked for.
func connect(ctx context.Context, o asg.Options) (*asg.Client, error) {
	return live.Retried(ctx, func(ctx context.Context) (*asg.Client, error) { return asg.Connect(ctx, o) })
}

// machinesOf returns the machines of nodes.
func machinesOf(nodes []*world.Node) map[string]bool {
	out := map[string]bool{}
	for _, n := range nodes {
		if n.Machine != "" {
			out[n.Machine] = true
		}
	}
	return out
}
