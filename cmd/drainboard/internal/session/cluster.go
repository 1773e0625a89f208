package session

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/actions"
	"github.com/drainboard/drainboard/providers/kube/commands"
	"github.com/drainboard/drainboard/providers/kube/events"
	"github.com/drainboard/drainboard/providers/kube/feed"
	"github.com/drainboard/drainboard/providers/kube/lock"
	"github.com/drainboard/drainboard/providers/kube/records"
)

// InCluster keeps runs in the cluster: a ConfigMap and a Lease for each group.
type InCluster struct {
	kube      *kube.Client
	namespace string
	// reading, if not nil, is a feed that the next Open uses: it returns as soon as
	// the nodes are known.
	reading *feed.Feed
	lacks   func() error
}

// NewInCluster keeps runs in a namespace of a cluster, assuming that no rights are missing.
func NewInCluster(k *kube.Client, namespace string) *InCluster {
	return &InCluster{kube: k, namespace: namespace, lacks: func() error { return nil }}
}

// NodesFirst makes the next Open read the nodes first, and return as soon as they are known.
// The returned feed starts reading when its Begin is called.
func (h *InCluster) NodesFirst() *feed.Feed {
	h.reading = feed.New(h.kube)
	h.reading.NodesFirst()
	return h.reading
}

func (h *InCluster) Clock() live.Clock { return h.kube.Clock() }
func (h *InCluster) Cluster() string   { return h.kube.ClusterName() }
func (h *InCluster) Context() string   { return h.kube.ContextName() }
func (h *InCluster) Lacks() error      { return h.lacks() }

func (h *InCluster) Record(group string) RunRecord { return records.New(h.kube, h.namespace, group) }

func (h *InCluster) Lease(group string, waiting func(holder string, until time.Time)) *Lease {
	l := lock.New(h.kube, h.namespace, group)
	l.Waiting = waiting
	return &Lease{Record: h.Record(group), take: func(ctx context.Context) (HeldLock, error) { return l.Acquire(ctx) }}
}

func (h *InCluster) Nodes(ctx context.Context) ([]*world.Node, error) { return h.kube.Nodes(ctx) }

// Note adds the runs of the groups, and external movers of their nodes.
func (h *InCluster) Note(ctx context.Context, rows []present.GroupRow, nodes []*world.Node) error {
	runs, unreadable, err := h.runs(ctx)
	if err != nil {
		return err
	}
	on := map[string]*world.Node{}
	for _, n := range nodes {
		if n.Machine != "" {
			on[n.Machine] = n
		}
	}
	for i, g := range rows {
		run := runs[g.Name]
		if run.State != record.Finished {
			rows[i].Running = string(run.State)
		}
		if unreadable[kube.RecordName(g.Name)] {
			rows[i].Running = present.RunUnreadable
		}
		var members []*world.Node
		for _, id := range g.Members {
			if n := on[id]; n != nil {
				members = append(members, n)
			}
		}
		rows[i].Others = present.Others(members, run)
	}
	return nil
}

// runs returns the runs of the groups, and the names of the records that cannot be read.
func (h *InCluster) runs(ctx context.Context) (of map[string]record.Run, unreadable map[string]bool, err error) {
	stored, err := records.All(ctx, h.kube, h.namespace)
	if err != nil {
		return nil, nil, exitcode.Usage(err)
	}
	of, unreadable = map[string]record.Run{}, map[string]bool{}
	for _, r := range stored {
		if r.Err == nil {
			of[r.Run.Group] = r.Run
		} else {
			unreadable[r.Name] = true
		}
	}
	return of, unreadable, nil
}

func (h *InCluster) Open(ctx context.Context, group backend.Group, cloud backend.Feed, watch *live.Watch) (*live.FeedQueue, []world.Source) {
	cluster, enough := h.reading, world.Nodes
	if h.reading = nil; cluster == nil {
		cluster, enough = feed.New(h.kube), world.Cluster
	}
	if pool, ok := cloud.(*gardener.Feed); ok {
		cluster.OnNodes(pool.NodesChanged)
	}
	cluster.OnNodeGone(cloud.Poke) // the cloud controller deletes the node of a machine that has ended
	feeds := []live.Feed{cluster, cloud}
	if watch != nil {
		records.Follow(cluster, h.kube, h.namespace, group.Name(), watch.SeeRecord)
		feeds = append(feeds, lock.NewHolderFeed(h.kube, h.namespace, group.Name(), watch.SeeHolder))
	}
	return live.Open(ctx, feeds...), []world.Source{enough, world.Cloud}
}

func (h *InCluster) Executor() live.Executor { return actions.New(h.kube) }

// Free returns why no run may start: a run without Kubernetes in the group has not ended.
func (h *InCluster) Free(g *world.Group) error {
	return RunWithoutKubernetes(g.Name, g.Tags, h.Clock().Now())
}

func (h *InCluster) MayForce(ctx context.Context) error {
	return Allowed(ctx, h.kube, kube.ForceRights())
}

func (h *InCluster) MayScale(ctx context.Context) error {
	return h.kube.Need(ctx, kube.ScaleRights(), "role drainboard-scale in docs/reference/rbac.yaml; --singles=false does without")
}

func (h *InCluster) Log() podlog.Reader {
	return func(ctx context.Context, of podlog.Pod) (log podlog.Log, err error) {
		err = live.Caught(func() (err error) { log, err = h.kube.PodLog(ctx, of); return err })
		return log, err
	}
}

func (h *InCluster) Announce(group string, trouble func(string)) Announcer {
	return events.New(h.kube, h.namespace, group, trouble)
}

func (h *InCluster) Listen(ctx context.Context, loop *live.Loop, group string) (stop func()) {
	l := commands.NewListener(h.kube, h.namespace, group)
	l.By, l.Send = User(), loop.Send
	l.Unheard = func(why string) {
		loop.Tell(record.Event{Type: record.Warning, Reason: "not heard", Message: "commands from other processes are not received: " + why})
	}
	loop.Acknowledge = l.Acknowledge
	return l.Listen(context.WithoutCancel(ctx))
}

func (*InCluster) Shows() string  { return "watch" }
func (*InCluster) Follow() string { return "follow the run with: " }

func (*InCluster) RecordName(name string) string {
	if name == "" {
		return ""
	}
	return "configmap " + name
}

// Recorded returns the key of the records of the group with a name on screen.
func Recorded(records []live.Stored, group string) string {
	for _, r := range records {
		if r.Err == nil && r.Run.Alias == group {
			return r.Run.Group
		}
	}
	return group
}
