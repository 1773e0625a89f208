package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"runtime/debug"
	"strings"
	"sync"
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
	namespace string
	// lacks waits until the rights are known, and says which are missing.
	lacks func() error
}

// connect opens the cluster that the flags choose and the cloud that its nodes run
// on. The rights that are needed are asked for meanwhile; look and groups tell of
// those that are missing. readOnly is for commands that only look: their connections
// let no change through, whoever asks for it.
func connect(ctx context.Context, flags *genericclioptions.ConfigFlags, namespace string, rights []kube.Right, readOnly bool) (*session, error) {
	open := kube.Connect
	if readOnly {
		open = kube.ConnectReadOnly
	}
	k, err := open(ctx, flags, version)
	if err != nil {
		return nil, usage(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- usage(live.Caught(func() error { return allowed(ctx, k, rights) })) }()
	s := &session{kube: k, namespace: namespace, lacks: sync.OnceValue(func() error { return <-answer })}
	if s.aws, err = openCloud(ctx, k, readOnly); err != nil {
		return nil, cmp.Or(s.lacks(), usage(err))
	}
	return s, nil
}

// openCloud opens the cloud: in the region that is configured, or in that of the
// cluster's nodes.
func openCloud(ctx context.Context, k *kube.Client, readOnly bool) (*asg.Client, error) {
	o := asg.Options{ReadOnly: readOnly}
	a, err := asg.Connect(ctx, o)
	if !errors.Is(err, asg.ErrNoRegion) {
		return a, err
	}
	_, zone, err := k.Machines(ctx)
	if err != nil {
		return nil, err
	}
	o.Fallback = asg.RegionOf(zone)
	return asg.Connect(ctx, o)
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

// look reads cluster and group, and goes on reading until the view is closed. It
// begins before the rights are known, which takes as long as reading what is small.
// watch, if not nil, is told what the group's record says and who drives its run.
func (s *session) look(ctx context.Context, group string, watch *live.Watch) (view, error) {
	// Reading makes much garbage in a short time: while it lasts, the processor is worth
	// more than the memory.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	began := func(ctx context.Context) time.Time { return s.began(ctx, group) }
	v := view{world: world.New(), cloud: s.aws.Feed(group, asg.FeedOptions{Begin: began, Certain: true, Now: s.kube.Clock().Now})}
	cluster := s.kube.Feed()
	cluster.OnNodeGone(v.cloud.Poke) // the cloud controller deletes the node of a machine that has ended
	feeds := []live.Feed{cluster, v.cloud}
	if watch != nil {
		cluster.OnRecord(s.namespace, asg.Provider, group, watch.SeeRecord)
		feeds = append(feeds, s.kube.Holder(s.namespace, asg.Provider, group, watch.SeeHolder))
	}
	v.intake = live.Open(ctx, feeds...)
	if err := s.lacks(); err != nil {
		v.intake.Close()
		return view{}, err
	}
	if err := v.intake.Fill(ctx, v.world, lookLimit, world.Cluster, world.Cloud); err != nil {
		v.intake.Close()
		return view{}, usage(err)
	}
	return v, nil
}

// began is when the group's unfinished run started, zero if there is none: the
// launches that failed since then are wanted. A record that cannot be read is for
// those to tell who need it.
func (s *session) began(ctx context.Context, group string) time.Time {
	run, found, err := s.kube.Record(s.namespace, asg.Provider, group).Load(ctx)
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
