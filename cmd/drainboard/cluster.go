package main

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/gardener"
	"github.com/drainboard/drainboard/providers/kube"
)

// inCluster keeps runs in the cluster: a ConfigMap and a Lease for each group.
type inCluster struct {
	kube      *kube.Client
	namespace string
	// reading, if not nil, is a feed that the next Open goes on with: it returns as soon as
	// the nodes are known.
	reading *kube.Feed
	lacks   func() error
}

func (h *inCluster) Clock() live.Clock { return h.kube.Clock() }
func (h *inCluster) Cluster() string   { return h.kube.ClusterName() }
func (h *inCluster) Context() string   { return h.kube.ContextName() }
func (h *inCluster) Lacks() error      { return h.lacks() }

func (h *inCluster) Record(group string) runRecord { return h.kube.Record(h.namespace, group) }

func (h *inCluster) Lease(group string, waiting func(holder string, until time.Time)) *lease {
	lock := h.kube.Lock(h.namespace, group)
	lock.Waiting = waiting
	return &lease{record: h.Record(group), take: func(ctx context.Context) (heldLock, error) { return lock.Acquire(ctx) }}
}

func (h *inCluster) Nodes(ctx context.Context) ([]*world.Node, error) { return h.kube.Nodes(ctx) }

// Note says what runs in the groups, and who else moves their nodes.
func (h *inCluster) Note(ctx context.Context, rows []present.GroupRow, nodes []*world.Node) error {
	runs, err := h.runs(ctx)
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

// runs are the runs of the groups that have one, as far as their records can be read.
func (h *inCluster) runs(ctx context.Context) (map[string]record.Run, error) {
	records, err := h.kube.Records(ctx, h.namespace)
	if err != nil {
		return nil, exitcode.Usage(err)
	}
	out := map[string]record.Run{}
	for _, r := range records {
		if r.Err == nil {
			out[r.Run.Group] = r.Run
		}
	}
	return out, nil
}

func (h *inCluster) Open(ctx context.Context, group backend.Group, feed backend.Feed, watch *live.Watch) (*live.FeedQueue, []world.Source) {
	cluster, enough := h.reading, world.Nodes
	if h.reading = nil; cluster == nil {
		cluster, enough = h.kube.Feed(), world.Cluster
	}
	if pool, ok := feed.(*gardener.Feed); ok {
		cluster.OnNodes(pool.NodesChanged)
	}
	cluster.OnNodeGone(feed.Poke) // the cloud controller deletes the node of a machine that has ended
	feeds := []live.Feed{cluster, feed}
	if watch != nil {
		cluster.OnRecord(h.namespace, group.Name(), watch.SeeRecord)
		feeds = append(feeds, h.kube.Holder(h.namespace, group.Name(), watch.SeeHolder))
	}
	return live.Open(ctx, feeds...), []world.Source{enough, world.Cloud}
}

func (h *inCluster) Executor() live.Executor { return h.kube.Executor() }

// Free says whether a run without Kubernetes is under way in the group, or has not ended.
func (h *inCluster) Free(g *world.Group) error {
	return runWithoutKubernetes(g.Name, g.Tags, h.Clock().Now())
}

func (h *inCluster) MayForce(ctx context.Context) error {
	return allowed(ctx, h.kube, kube.ForceRights())
}

func (h *inCluster) Announce(group string, trouble func(string)) announcer {
	return h.kube.Announcer(h.namespace, group, trouble)
}

func (h *inCluster) Listen(ctx context.Context, loop *live.Loop, group string) (stop func()) {
	l := h.kube.CommandListener(h.namespace, group)
	l.By, l.Send = who(), loop.Send
	l.Unheard = func(why string) {
		loop.Tell(record.Event{Type: record.Warning, Reason: "not heard", Message: "commands from elsewhere are not heard: " + why})
	}
	loop.Acknowledge = l.Acknowledge
	return l.Listen(context.WithoutCancel(ctx))
}

func (*inCluster) Shows() string  { return "watch" }
func (*inCluster) Follow() string { return "follow the run with: " }

func (*inCluster) RecordName(name string) string {
	if name == "" {
		return ""
	}
	return "configmap " + name
}
