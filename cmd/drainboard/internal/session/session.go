package session

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"sync"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// ReadLimit is how long the first reading of cluster and cloud may take.
const ReadLimit = 60 * time.Second

// Session has the backend of a command's groups, and the environment of their
// runs.
type Session struct {
	Environment
	Groups backend.Backend
	Where  backend.Where
}

// Options lead to the cluster, and to the records in it.
type Options struct {
	Flags     kube.Flags
	Namespace string // of records and locks
	Version   string // of this program, for user agents
}

// Connect opens the cluster that the flags select and the cloud that its nodes run on, or the
// worker pools of a Shoot's cluster. Rights are checked at the same time; Read and List report
// missing ones. readOnly is for read-only commands: their connections refuse every request
// that changes something.
func (o Options) Connect(ctx context.Context, where backend.Where, rights []kube.Right, readOnly bool) (*Session, *InCluster, error) {
	where, err := where.Fill()
	if err != nil {
		return nil, nil, exitcode.Usage(err)
	}
	open := kube.Connect
	if readOnly {
		open = kube.ConnectReadOnly
	}
	k, err := open(ctx, o.Flags, o.Version)
	if err != nil {
		return nil, nil, exitcode.Usage(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- exitcode.Usage(live.Caught(func() error { return Allowed(ctx, k, rights) })) }()
	e := NewInCluster(k, o.Namespace)
	e.lacks = sync.OnceValue(func() error { return <-answer })
	groups, err := backend.Open(ctx, k, where, o.Version, readOnly)
	if err != nil {
		return nil, nil, cmp.Or(e.Lacks(), exitcode.Usage(err))
	}
	return &Session{e, backend.Patient(groups), where}, e, nil
}

// Open is Connect, or, with --cloudonly, OpenCloudOnly.
func (o Options) Open(ctx context.Context, where backend.Where, rights []kube.Right, readOnly bool) (*Session, error) {
	if !where.CloudOnly {
		s, _, err := o.Connect(ctx, where, rights, readOnly)
		return s, err
	}
	s, _, err := o.OpenCloudOnly(ctx, where, readOnly)
	return s, err
}

// OpenCloudOnly opens the groups of kops without Kubernetes; flags of a cluster contradict that.
func (o Options) OpenCloudOnly(ctx context.Context, where backend.Where, readOnly bool) (*Session, *OnDisk, error) {
	for name, given := range map[string]string{"kubeconfig": o.Flags.Kubeconfig, "context": o.Flags.Context, "cluster": o.Flags.Cluster} {
		if given != "" {
			return nil, nil, exitcode.Usage(fmt.Errorf("--%s and --cloudonly contradict each other: --cloudonly does not connect to Kubernetes (--cluster-name is kops's cluster)", name))
		}
	}
	e, err := openOnDisk(ctx, where, readOnly)
	if err != nil {
		return nil, nil, err
	}
	return &Session{e, backend.Patient(e.groups), where}, e, nil
}

// Find resolves the name of an Auto Scaling group, of an instance group of kops, or of a
// worker pool.
func (s *Session) Find(ctx context.Context, name string) (backend.Group, error) {
	g, err := s.Groups.Find(ctx, name)
	if err != nil {
		return nil, cmp.Or(s.Lacks(), exitcode.Usage(err))
	}
	return g, nil
}

// Unfinished returns the group's unfinished run, if its record can be read.
func (s *Session) Unfinished(ctx context.Context, group string) (record.Run, bool) {
	run, found, err := s.Record(group).Load(ctx)
	return run, err == nil && found && run.State != record.Finished
}

// AsBegun returns the group with the provider of its unfinished run.
func (s *Session) AsBegun(ctx context.Context, at backend.Group, run record.Run) (backend.Group, error) {
	switch {
	case run.Provider == at.Provider() || s.Where.CloudOnly:
		return at, nil
	case s.Where.Provider != "" && s.Where.Provider != backend.Any:
		return at, fmt.Errorf("the unfinished run %s was started with --provider %s: omit --provider %s to resume it", run.ID, run.Provider, s.Where.Provider)
	}
	g, err := s.Groups.FindAs(ctx, at.Name(), run.Provider)
	if err != nil {
		return nil, cmp.Or(s.Lacks(), exitcode.Usage(err))
	}
	return g, nil
}

// List lists the groups that own the machines of the cluster's nodes, in the order in which
// they are rolled, and what runs in them.
func (s *Session) List(ctx context.Context) ([]present.GroupRow, error) {
	if err := s.Lacks(); err != nil {
		return nil, err
	}
	nodes, err := s.Nodes(ctx)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	rows, err := s.Groups.List(ctx, nodes)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	return rows, s.Note(ctx, rows, nodes)
}

// Allowed returns the missing rights as an error, nil if none.
func Allowed(ctx context.Context, k *kube.Client, rights []kube.Right) error {
	return k.Need(ctx, rights, "docs/reference/rights.md")
}

// View is what is known of cluster and group, kept up to date by its queue.
type View struct {
	World *world.World
	Queue *live.FeedQueue
	Cloud backend.Feed
}

// Read reads cluster and group, and continues to read until the view is closed. It
// starts before the rights are known, which saves time. The view's world is complete,
// except after NodesFirst, which only watch uses. watch, if not nil, receives the group's
// record and the driver of its run.
func (s *Session) Read(ctx context.Context, at backend.Group, watch *live.Watch) (View, error) {
	defer RaiseGCPercent()()
	v := View{World: world.New(), Cloud: at.Feed(func(feed context.Context) time.Time { return s.began(live.Patient(feed, ctx), at.Name()) })}
	var sources []world.Source
	v.Queue, sources = s.Open(live.WithPatience(ctx, nil), at, v.Cloud, watch) // feeds try again by themselves
	if err := s.Lacks(); err != nil {
		v.Queue.Close()
		return View{}, err
	}
	return v, s.fill(ctx, v, sources...)
}

// fill waits until some sources have been read once, and closes the view if they cannot be.
func (s *Session) fill(ctx context.Context, v View, sources ...world.Source) error {
	err := v.Queue.Fill(ctx, v.World, ReadLimit, sources...)
	if err != nil {
		v.Queue.Close()
	}
	return exitcode.Usage(err)
}

// began returns the start of the group's unfinished run, zero if there is none:
// launches that failed since then count. An unreadable record is reported by
// who needs it.
func (s *Session) began(ctx context.Context, group string) time.Time {
	run, found, err := s.Record(group).Load(ctx)
	if err != nil || !found || run.State == record.Finished {
		return time.Time{}
	}
	return run.Started
}

// User returns the operator for the audit trail: user@host.
func User() string {
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
