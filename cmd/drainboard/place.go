package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kops"
)

// Values of --provider.
const (
	anyProvider = "auto"
	kopsGroups  = kops.Provider
)

// kopsGroupTag has an instance group's name, on its Auto Scaling group and machines.
const kopsGroupTag = "kops.k8s.io/instancegroup"

// whereFlags say where groups are looked for.
type whereFlags struct {
	provider string
	cluster  string // kops's name of the cluster
	store    string // kops's state store
	// cloudOnly: without Kubernetes.
	cloudOnly bool
	// pools says where a Shoot is kept beside its cluster.
	pools gardener.Options
}

// add has them on a command. Their defaults are those of kops's environment.
func (f *whereFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.provider, "provider", anyProvider, "where the group lives: auto (a group with kops's tags is kops's, a node with Gardener's label of a pool's), asg, kops or gardener")
	fl.StringVar(&f.cluster, "cluster-name", "", "kops: the cluster's name (default: $KOPS_CLUSTER_NAME, else the one that the nodes' machines are tagged with; kops also says --name)")
	fl.BoolVar(&f.cloudOnly, "cloudonly", false, cloudOnlyHelp)
	fl.StringVar(&f.store, "state", "", "kops: where the specs of cluster and InstanceGroups are, s3://BUCKET or a directory (default: $KOPS_STATE_STORE; without one kops's defaults apply)")
	addPools(fl, &f.pools)
}

// addAlone has the flags on a command that looks groups up only where there is no cluster.
func (f *whereFlags) addAlone(fl *pflag.FlagSet) {
	fl.BoolVar(&f.cloudOnly, "cloudonly", false, "of runs without Kubernetes, whose records are on this machine (docs/cloudonly.md)")
	fl.StringVar(&f.cluster, "cluster-name", "", "with --cloudonly: kops's name of the cluster (default: $KOPS_CLUSTER_NAME)")
	fl.SetNormalizeFunc(byKopsName)
}

// fill reads the environment for what was not given, and checks the provider.
func (f whereFlags) fill() (whereFlags, error) {
	f.provider = cmp.Or(f.provider, anyProvider)
	switch f.provider {
	case anyProvider, asg.Provider, kopsGroups, gardenerPools:
	default:
		return f, fmt.Errorf("--provider: %q is not offered; choose auto, asg, kops or gardener", f.provider)
	}
	switch foreign := f.provider == asg.Provider || f.provider == kopsGroups || f.cloudOnly; {
	case foreign && f.asksForPools():
		return f, errors.New("--garden-kubeconfig, --shoot, --control-kubeconfig and --control-namespace are Gardener's: leave them out, or choose --provider gardener")
	case f.provider == gardenerPools && (f.cluster != "" || f.store != "" || f.cloudOnly):
		return f, errors.New("--cluster-name, --state and --cloudonly are kops's: --provider gardener has no use for them")
	}
	if err := f.pools.Check(); err != nil {
		return f, err
	}
	if f.provider == asg.Provider && (f.cluster != "" || f.store != "") {
		return f, errors.New("--cluster-name and --state are kops's: --provider asg has no use for them")
	}
	if f.provider == asg.Provider && f.cloudOnly {
		return f, errors.New("--cloudonly is for groups that kops made: what --provider asg rolls is drained, which needs the cluster")
	}
	f.cluster = cmp.Or(f.cluster, os.Getenv("KOPS_CLUSTER_NAME"))
	f.store = cmp.Or(f.store, os.Getenv("KOPS_STATE_STORE"))
	return f, nil
}

// place is where a group lives.
type place struct {
	// name is its Auto Scaling group's: locks and records are kept by it, whichever provider
	// was asked for, so that there is one run at a time.
	name string
	// kops is the group as kops has it, nil if it is none of kops's.
	kops *kops.Group
	// pool is the worker pool of Gardener's that it is, as found at first; nil elsewhere.
	pool *world.Pool
	// notes are what a plan says of where its settings come from.
	notes []string
}

// role is what the group's machines do, "" where nobody tells.
func (p place) role() world.Role {
	if p.kops == nil {
		return ""
	}
	return p.kops.Role
}

// alias is what people call the group, "" where that is its name.
func (p place) alias() string {
	if p.kops == nil {
		return ""
	}
	return p.kops.InstanceGroup
}

// find settles which group is meant by a name: an Auto Scaling group's, or that of an
// instance group of kops.
func (s *session) find(ctx context.Context, name string, where whereFlags) (place, error) {
	where, err := where.fill()
	if err != nil {
		return place{}, exitcode.Usage(err)
	}
	if s.alone != nil {
		return s.findAlone(ctx, name)
	}
	if s.pools != nil {
		at, err := s.findPool(ctx, name)
		if err != nil {
			return place{}, cmp.Or(s.lacks(), exitcode.Usage(err))
		}
		return at, nil
	}
	at, err := s.meant(ctx, name, where)
	if err != nil {
		return place{}, cmp.Or(s.lacks(), exitcode.Usage(err))
	}
	return at, nil
}

// meant settles it where the cluster's nodes may tell which cluster of kops is meant.
func (s *session) meant(ctx context.Context, name string, where whereFlags) (place, error) {
	if where.provider == asg.Provider {
		return place{name: name}, nil
	}
	if where.provider == anyProvider && s.kops == nil {
		tags, err := s.aws.Tags(ctx, name)
		switch {
		case err == nil && tags[kopsGroupTag] == "":
			return place{name: name}, nil
		case err != nil && !errors.Is(err, asg.ErrNotFound):
			return place{}, err
		}
	}
	if err := s.openKops(ctx, where, nil); errors.Is(err, kops.ErrNoCluster) && where.provider == anyProvider {
		return place{name: name}, nil // what is wrong with the name is told when it is read
	} else if err != nil {
		return place{}, err
	}
	g, err := s.kops.Find(ctx, name)
	if err != nil && where.provider == anyProvider && errors.Is(err, asg.ErrNotFound) {
		_, own := s.aws.Tags(ctx, name)
		if own == nil { // beside kops's groups there may be others
			return place{name: name}, nil
		}
		err = fmt.Errorf("%w; nor is it a group beside those: %w", err, s.aws.Unknown(ctx, own, name))
	}
	if err != nil {
		return place{}, err
	}
	return place{name: g.Name, kops: &g}, nil
}

// provider is whose group it is.
func (p place) provider() string {
	switch {
	case p.pool != nil:
		return gardenerPools
	case p.kops == nil:
		return asg.Provider
	}
	return kopsGroups
}

// unfinished is the group's run that has not ended, as far as its record can be read.
func (s *session) unfinished(ctx context.Context, group string) (engine.Run, bool) {
	run, found, err := s.record(group).Load(ctx)
	return run, err == nil && found && run.State != engine.Finished
}

// asBegun is the group as its unfinished run knows it: one that began as of a group of kops
// sees what was detached, and one that did not must not.
func (s *session) asBegun(ctx context.Context, at place, where whereFlags, run engine.Run) (place, error) {
	switch {
	case run.Provider == at.provider() || s.alone != nil:
		return at, nil
	case where.provider != "" && where.provider != anyProvider:
		return at, fmt.Errorf("the unfinished run %s was begun with --provider %s, and goes on so: leave --provider %s out", run.ID, run.Provider, where.provider)
	}
	where.provider = run.Provider
	return s.find(ctx, at.name, where)
}

// openKops finds the cluster of kops that the nodes' machines belong to, once; nil
// machines are read.
func (s *session) openKops(ctx context.Context, where whereFlags, machines map[string]bool) (err error) {
	if s.kops != nil {
		return nil
	}
	if machines == nil {
		if machines, _, err = s.kube.Machines(ctx); err != nil {
			return err
		}
	}
	s.kops, err = kops.Connect(ctx, s.aws, kops.Options{Cluster: where.cluster, StateStore: where.store, Machines: machines})
	return err
}

// groupFeed follows a group. Poke asks for a fresh look soon.
type groupFeed interface {
	live.Feed
	Poke()
}

// feed follows the group.
func (p place) feed(s *session, o asg.FeedOptions) groupFeed {
	switch {
	case p.pool != nil:
		return s.pools.Feed(p.name, gardener.FeedOptions{Now: o.Now, Read: s.kube.Read})
	case p.kops != nil:
		return s.kops.Feed(p.name, o)
	}
	return s.aws.Feed(p.name, o)
}

// groupExecutor changes a group. Does reports whether an action is its business.
type groupExecutor interface {
	live.Executor
	Does(a engine.Action) bool
}

// executor changes the group.
func (p place) executor(s *session, o asg.ExecutorOptions) groupExecutor {
	switch {
	case p.pool != nil:
		return s.pools.Executor(o.Now)
	case p.kops != nil:
		return s.kops.Executor(o)
	}
	return s.aws.Executor(o)
}

// fits says why a strategy has no business in a group, nil if it has.
func (p place) fits(rules engine.Strategy) error {
	switch role := p.role(); {
	case p.pool != nil && !slices.Contains(present.PoolStrategies, rules.Name()):
		return fmt.Errorf("--strategy %s: %s is a worker pool, whose machines are Gardener's: choose %s", rules.Name(), p.name, strings.Join(present.PoolStrategies, " or "))
	case p.pool != nil:
		return p.fitsPool(rules)
	case p.kops == nil && rules.Name() == present.StrategyKops:
		return fmt.Errorf("--strategy kops: group %s is not kops's: what it validates is the whole of a cluster that kops made", p.name)
	case slices.Contains(present.PoolStrategies, rules.Name()):
		return fmt.Errorf("--strategy %s: group %s is no worker pool of Gardener", rules.Name(), p.name)
	case rules.Name() == strategy.GardenerInPlace{}.Name(), rules.Name() == strategy.GardenerInPlace{Seed: true}.Name():
		return fmt.Errorf("--strategy %s: it is for pools in the simulator; Gardener updates real ones by itself, and --strategy gardener-follow goes along", rules.Name())
	case role == world.RoleControlPlane && rules.Name() != present.StrategyKops:
		return fmt.Errorf("--strategy %s: %s is the cluster's control plane, and only kops's rules see that its etcd is well before the next machine goes", rules.Name(), p.alias())
	case role == world.RoleBastion && rules.Name() != present.StrategyKops:
		return fmt.Errorf("--strategy %s: %s has bastions, which are no nodes of the cluster: only kops's rules know what to do with them", rules.Name(), p.alias())
	}
	return nil
}
