package session

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// RunRecord is the stored record of a group's run.
type RunRecord interface {
	live.Store
	// Load reads the run; found is false if there is no record. If it cannot be read
	// the error is a live.DamagedError or a live.NewerError.
	Load(ctx context.Context) (run record.Run, found bool, err error)
	// Keep copies the record to those of the group's earlier runs, and returns the copy's
	// name, "" if there is no record. discarded is the reason, if the run had not ended.
	Keep(ctx context.Context, discarded string) (name string, err error)
}

// HeldLock is the lock of a group while this process holds it.
type HeldLock interface {
	Lost() <-chan struct{}
	Sure() bool
	Release()
}

// Environment stores and locks the runs of groups: in the cluster, or on this machine.
type Environment interface {
	// Clock returns the time by which runs are timed.
	Clock() live.Clock
	// Cluster is the displayed name.
	Cluster() string
	// Context is matched against the contexts of config.yaml.
	Context() string
	// Lacks waits until the rights are known, and returns those missing.
	Lacks() error
	// Record is the record of a group.
	Record(group string) RunRecord
	// Lease is the lock and the record of a group, neither taken nor read yet. waiting, if
	// not nil, is called once if the lock belongs to a process that may be dead, with the
	// time by which that is known.
	Lease(group string, waiting func(holder string, until time.Time)) *Lease
	// Nodes are the cluster's nodes, none where there is no cluster.
	Nodes(ctx context.Context) ([]*world.Node, error)
	// Note adds to rows the runs of the groups, and external movers of their nodes.
	Note(ctx context.Context, rows []present.GroupRow, nodes []*world.Node) error
	// Open starts to read a group: the part of feed and that of the cluster. The returned
	// sources have to be read once. watch, if not nil, receives the group's record and the
	// driver of its run.
	Open(ctx context.Context, group backend.Group, feed backend.Feed, watch *live.Watch) (*live.FeedQueue, []world.Source)
	// Executor carries out actions on nodes and pods.
	Executor() live.Executor
	// Free returns why a run may not start although the lock is free, nil if it may.
	Free(g *world.Group) error
	// MayForce returns which rights to force pods are missing, nil if none.
	MayForce(ctx context.Context) error
	// MayScale returns which rights to give a Deployment a second replica are missing, nil if none.
	MayScale(ctx context.Context) error
	// Log reads the end of a pod's log; nil where there are no pods.
	Log() podlog.Reader
	// Announce publishes a group's run to other users.
	Announce(group string, trouble func(string)) Announcer
	// Listen passes commands from other processes to the run until the returned function
	// is called, which writes pending answers first.
	Listen(ctx context.Context, loop *live.Loop, group string) (stop func())
	// Shows is the subcommand that shows a run driven by another process, Follow the text
	// before it.
	Shows() string
	Follow() string
	// RecordName is a record's displayed name, "" for none.
	RecordName(name string) string
}

// Announcer publishes a run to other users.
type Announcer interface {
	Events(list []record.Event)
	Close()
}
