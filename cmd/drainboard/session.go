package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"runtime/debug"
	"sync"
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// lookLimit is how long a first look at cluster and cloud may take.
const lookLimit = 60 * time.Second

// session is what a command works with: the backend of its groups, and where their runs are
// kept.
type session struct {
	home
	groups backend.Backend
	where  backend.Where
}

// connect opens the cluster that the flags choose and the cloud that its nodes run
// on; of a Shoot's cluster, what is told of its worker pools. The rights that are needed are
// asked for meanwhile; look and list tell of those that are missing. readOnly is for commands
// that only look: their connections let no change through, whoever asks for it.
func connect(ctx context.Context, flags *genericclioptions.ConfigFlags, namespace string, where backend.Where, rights []kube.Right, readOnly bool) (*session, *inCluster, error) {
	where, err := where.Fill()
	if err != nil {
		return nil, nil, exitcode.Usage(err)
	}
	open := kube.Connect
	if readOnly {
		open = kube.ConnectReadOnly
	}
	k, err := open(ctx, flags, version)
	if err != nil {
		return nil, nil, exitcode.Usage(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- exitcode.Usage(live.Caught(func() error { return allowed(ctx, k, rights) })) }()
	h := &inCluster{kube: k, namespace: namespace, lacks: sync.OnceValue(func() error { return <-answer })}
	groups, err := backend.Open(ctx, k, where, version, readOnly)
	if err != nil {
		return nil, nil, cmp.Or(h.Lacks(), exitcode.Usage(err))
	}
	return &session{h, groups, where}, h, nil
}

// open is connect, or, with --cloudonly, openOnDisk.
func (a *app) open(ctx context.Context, where backend.Where, rights []kube.Right, readOnly bool) (*session, error) {
	if !where.CloudOnly {
		s, _, err := connect(ctx, a.flags, a.namespace, where, rights, readOnly)
		return s, err
	}
	h, err := a.openCloudOnly(ctx, where, readOnly)
	if err != nil {
		return nil, err
	}
	return &session{h, h.groups, where}, nil
}

// openCloudOnly opens the groups of kops without Kubernetes; the flags of a cluster contradict that.
func (a *app) openCloudOnly(ctx context.Context, where backend.Where, readOnly bool) (*onDisk, error) {
	for name, given := range map[string]*string{"kubeconfig": a.flags.KubeConfig, "context": a.flags.Context, "cluster": a.flags.ClusterName} {
		if given != nil && *given != "" {
			return nil, exitcode.Usage(fmt.Errorf("--%s and --cloudonly contradict each other: nothing connects to Kubernetes (--cluster-name names kops's cluster)", name))
		}
	}
	return openOnDisk(ctx, where, readOnly)
}

// place is a group, and what a plan says of where its settings come from.
type place struct {
	backend.Group
	notes []string
}

// find settles which group is meant by a name: an Auto Scaling group's, that of an instance
// group of kops, or a worker pool's.
func (s *session) find(ctx context.Context, name string) (place, error) {
	g, err := s.groups.Find(ctx, name)
	if err != nil {
		return place{}, cmp.Or(s.Lacks(), exitcode.Usage(err))
	}
	return place{Group: g}, nil
}

// unfinished is the group's run that has not ended, as far as its record can be read.
func (s *session) unfinished(ctx context.Context, group string) (record.Run, bool) {
	run, found, err := s.Record(group).Load(ctx)
	return run, err == nil && found && run.State != record.Finished
}

// asBegun is the group as its unfinished run knows it.
func (s *session) asBegun(ctx context.Context, at place, run record.Run) (place, error) {
	switch {
	case run.Provider == at.Provider() || s.where.CloudOnly:
		return at, nil
	case s.where.Provider != "" && s.where.Provider != backend.Any:
		return at, fmt.Errorf("the unfinished run %s was begun with --provider %s, and goes on so: leave --provider %s out", run.ID, run.Provider, s.where.Provider)
	}
	g, err := s.groups.FindAs(ctx, at.Name(), run.Provider)
	if err != nil {
		return place{}, cmp.Or(s.Lacks(), exitcode.Usage(err))
	}
	return place{Group: g}, nil
}

// list lists the groups that own the machines of the cluster's nodes, in the order in which
// they are rolled, and what runs in them.
func (s *session) list(ctx context.Context) ([]present.GroupRow, error) {
	if err := s.Lacks(); err != nil {
		return nil, err
	}
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	rows, err := s.groups.List(ctx, nodes)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	return rows, s.Note(ctx, rows, nodes)
}

// allowed says which of the rights this user lacks, nil if none.
func allowed(ctx context.Context, k *kube.Client, rights []kube.Right) error {
	return k.Need(ctx, rights, "README")
}

// view is what is known of cluster and group, kept up to date by an intake.
type view struct {
	world  *world.World
	intake *live.FeedQueue
	cloud  backend.Feed
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
	v := view{world: world.New(), cloud: at.Feed(func(ctx context.Context) time.Time { return s.began(ctx, at.Name()) })}
	var sources []world.Source
	v.intake, sources = s.Open(ctx, at.Group, v.cloud, watch)
	if err := s.Lacks(); err != nil {
		v.intake.Close()
		return view{}, err
	}
	return v, s.fill(ctx, v, sources...)
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
	run, found, err := s.Record(group).Load(ctx)
	if err != nil || !found || run.State == record.Finished {
		return time.Time{}
	}
	return run.Started
}

// executor sends each action to the provider that knows how.
type executor struct {
	kube  live.Executor
	group live.Executor
}

func (e executor) Do(ctx context.Context, a record.Action) record.Outcome {
	if a.Place() == record.InCluster {
		return e.kube.Do(ctx, a)
	}
	return e.group.Do(ctx, a)
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
