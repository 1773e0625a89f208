package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/user"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kops"
	"github.com/drainboard/drainboard/providers/kube"
)

// lookLimit is how long a first look at cluster and cloud may take.
const lookLimit = 60 * time.Second

// session is the connection to one cluster and its cloud.
type session struct {
	kube      *kube.Client // nil with --cloudonly, and alone is there in its place
	alone     *alone
	aws       *asg.Client  // nil in a Shoot's cluster, and pools is there in its place
	pools     *poolSession // nil elsewhere
	kops      *kops.Client // nil as long as no group of kops is asked for
	namespace string
	// reading is the cluster's feed, if that reads already, its nodes first: look goes on
	// with it, and returns as soon as those are known.
	reading *kube.Feed
	// lacks waits until the rights are known, and says which are missing.
	lacks func() error
}

// connect opens the cluster that the flags choose and the cloud that its nodes run
// on; of a Shoot's cluster, what is told of its worker pools. The rights that are needed are asked for meanwhile; look and groups tell of
// those that are missing. readOnly is for commands that only look: their connections
// let no change through, whoever asks for it.
func connect(ctx context.Context, flags *genericclioptions.ConfigFlags, namespace string, where whereFlags, rights []kube.Right, readOnly bool) (*session, error) {
	where, err := where.fill()
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	open := kube.Connect
	if readOnly {
		open = kube.ConnectReadOnly
	}
	k, err := open(ctx, flags, version)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- exitcode.Usage(live.Caught(func() error { return allowed(ctx, k, rights) })) }()
	s := &session{kube: k, namespace: namespace, lacks: sync.OnceValue(func() error { return <-answer })}
	if err := s.openGroups(ctx, where, readOnly); err != nil {
		return nil, cmp.Or(s.lacks(), exitcode.Usage(err))
	}
	return s, nil
}

// openGroups opens what knows the cluster's groups: what is told of a Shoot's pools, or the
// cloud. Which of them is asked for while the cloud is opened, whose errors are nobody's
// business in a Shoot's cluster.
func (s *session) openGroups(ctx context.Context, where whereFlags, readOnly bool) (err error) {
	if where.provider != anyProvider || where.asksForPools() {
		if pools, _ := inPools(ctx, s.kube, where); pools {
			s.pools, err = openPools(ctx, where, readOnly)
		} else {
			s.aws, err = openCloud(ctx, s.kube, readOnly)
		}
		return err
	}
	found := make(chan bool, 1)
	go live.Guarded(func() {
		pools, err := inPools(ctx, s.kube, where)
		found <- pools && err == nil // what is wrong with the nodes is told when they are read
	}, func(error) { found <- false })()
	aws, err := openCloud(ctx, s.kube, readOnly)
	if <-found {
		s.pools, err = openPools(ctx, where, readOnly)
		return err
	}
	s.aws = aws
	return err
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
	return k.Need(ctx, rights, "README")
}

// view is what is known of cluster and group, kept up to date by an intake.
type view struct {
	world  *world.World
	intake *live.FeedQueue
	cloud  groupFeed
}

// hurried counts who is in a hurry: groups of a roll may be read side by side.
var hurried struct {
	mu    sync.Mutex
	count int
	was   int // what the first one found
}

// hurry spends memory to save time, until what it returns is called, by everyone who
// hurries: reading makes much garbage in a short time.
func hurry() (calm func()) {
	h := &hurried
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count++; h.count == 1 {
		h.was = debug.SetGCPercent(300)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.count--; h.count == 0 {
			debug.SetGCPercent(h.was)
		}
	}
}

// look reads cluster and group, and goes on reading until the view is closed. It
// begins before the rights are known, which takes as long as reading what is small. The
// view's world is whole, but where reading has begun before, which only watch has it do.
// watch, if not nil, is told what the group's record says and who drives its run.
func (s *session) look(ctx context.Context, at place, watch *live.Watch) (view, error) {
	defer hurry()()
	began := func(ctx context.Context) time.Time { return s.began(ctx, at.name) }
	v := view{world: world.New(), cloud: at.feed(s, asg.FeedOptions{Begin: began, Certain: true, Now: s.clock().Now})}
	if s.alone != nil {
		v.intake = live.Open(ctx, v.cloud)
		return v, s.fill(ctx, v, world.Cloud)
	}
	cluster, enough := s.reading, world.Nodes
	if s.reading = nil; cluster == nil {
		cluster, enough = s.kube.Feed(), world.Cluster
	}
	if pool, ok := v.cloud.(*gardener.Feed); ok {
		cluster.OnNodes(pool.NodesChanged)
	}
	cluster.OnNodeGone(v.cloud.Poke) // the cloud controller deletes the node of a machine that has ended
	feeds := []live.Feed{cluster, v.cloud}
	if watch != nil {
		cluster.OnRecord(s.namespace, at.name, watch.SeeRecord)
		feeds = append(feeds, s.kube.Holder(s.namespace, at.name, watch.SeeHolder))
	}
	v.intake = live.Open(ctx, feeds...)
	if err := s.lacks(); err != nil {
		v.intake.Close()
		return view{}, err
	}
	return v, s.fill(ctx, v, enough, world.Cloud)
}

// fill waits until some sources have been read once, and closes the view if they cannot be.
func (s *session) fill(ctx context.Context, v view, sources ...world.Source) error {
	err := v.intake.Fill(ctx, v.world, lookLimit, sources...)
	if err != nil {
		v.intake.Close()
	}
	return exitcode.Usage(err)
}

// began is when the group's unfinished run started, zero if there is none: the
// launches that failed since then are wanted. A record that cannot be read is for
// those to tell who need it.
func (s *session) began(ctx context.Context, group string) time.Time {
	run, found, err := s.record(group).Load(ctx)
	if err != nil || !found || run.State == engine.Finished {
		return time.Time{}
	}
	return run.Started
}

// executor sends each action to the provider that knows how.
type executor struct {
	kube  live.Executor
	group groupExecutor
}

func (e executor) Do(ctx context.Context, a engine.Action) engine.Outcome {
	if e.group.Does(a) {
		return e.group.Do(ctx, a)
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
