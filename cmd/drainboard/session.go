package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/kube"
)

// lookLimit is how long a first look at cluster and cloud may take.
const lookLimit = 60 * time.Second

// session is the connection to one cluster and its cloud.
type session struct {
	kube      *kube.Client
	aws       *asg.Client
	machines  map[string]bool // ids of the machines of the cluster's nodes
	namespace string
}

// connect opens the cluster that the flags choose, checks the rights that are
// needed, and the cloud that its nodes run on.
func connect(ctx context.Context, flags *genericclioptions.ConfigFlags, namespace string, rights []kube.Right) (*session, error) {
	k, err := kube.Connect(ctx, flags, version)
	if err != nil {
		return nil, usage(err)
	}
	if err := allowed(ctx, k, rights); err != nil {
		return nil, usage(err)
	}
	ids, zone, err := k.Machines(ctx)
	if err != nil {
		return nil, usage(err)
	}
	a, err := asg.Connect(ctx, asg.Options{Fallback: asg.RegionOf(zone)})
	if err != nil {
		return nil, usage(err)
	}
	return &session{kube: k, aws: a, machines: ids, namespace: namespace}, nil
}

// allowed says which of the rights this user lacks, nil if none.
func allowed(ctx context.Context, k *kube.Client, rights []kube.Right) error {
	missing, err := k.Check(ctx, rights)
	if err != nil || len(missing) == 0 {
		return err
	}
	return missingRights(missing)
}

func missingRights(missing []kube.Right) error {
	lines := make([]string, len(missing))
	for i, r := range missing {
		lines[i] = fmt.Sprintf("%s  %s", r, r.Rule())
	}
	return fmt.Errorf("this user lacks %d of the rights that are needed (README, \"Rights\"):\n  %s", len(missing), strings.Join(lines, "\n  "))
}

// view is what is known of cluster and group, kept up to date by an intake.
type view struct {
	world  *world.World
	intake *live.Intake
	cloud  *asg.Feed
}

// look reads cluster and group, and goes on reading until the view is closed.
func (s *session) look(ctx context.Context, group string) (view, error) {
	g, err := s.aws.Group(ctx, group)
	if err != nil {
		return view{}, usage(err)
	}
	v := view{world: world.New(), cloud: s.aws.Feed(g.Name, asg.FeedOptions{Since: s.began(ctx, g.Group), Now: s.kube.Clock().Now})}
	cluster := s.kube.Feed()
	cluster.OnNodeGone(v.cloud.Poke) // the cloud controller deletes the node of a machine that has ended
	v.intake = live.Open(ctx, cluster, v.cloud)
	if err := v.intake.Fill(ctx, v.world, lookLimit, world.Cluster, world.Cloud); err != nil {
		v.intake.Close()
		return view{}, usage(err)
	}
	return v, nil
}

// began is when the group's unfinished run started, zero if there is none: the
// launches that failed since then are wanted. A record that cannot be read is for
// those to tell who need it.
func (s *session) began(ctx context.Context, g world.Group) time.Time {
	run, found, err := s.kube.Record(s.namespace, g.Provider, g.Name).Load(ctx)
	if err != nil || !found || run.State == engine.Finished {
		return time.Time{}
	}
	return run.Started
}

// executor sends each action to the provider that knows how.
type executor struct {
	kube *kube.Executor
	aws  *asg.Executor
}

func (e executor) Do(ctx context.Context, a engine.Action) engine.Outcome {
	if asg.Handles(a) {
		return e.aws.Do(ctx, a)
	}
	return e.kube.Do(ctx, a)
}

// who is the operator, for the audit: user@host.
func who() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return name + "@" + host
}
