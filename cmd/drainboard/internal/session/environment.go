package session

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// RunRecord is where the run of a group is written down.
type RunRecord interface {
	live.Store
	// Load reads the run; found is false when there is no record. Of what cannot be read
	// the error is a live.DamagedError or a live.NewerError.
	Load(ctx context.Context) (run record.Run, found bool, err error)
	// Keep puts the record as it is beside those of the group's earlier runs, and returns
	// where that is, "" if there is none. discarded says why, if the run had not ended.
	Keep(ctx context.Context, discarded string) (name string, err error)
}

// HeldLock is the lock of a group while this process holds it.
type HeldLock interface {
	Lost() <-chan struct{}
	Sure() bool
	Release()
}

// Environment is where the runs of groups are kept and locked: in the cluster, or on this machine.
type Environment interface {
	// Clock tells the time that counts in runs.
	Clock() live.Clock
	// Cluster is the name to show.
	Cluster() string
	// Context is what config.yaml's contexts are compared with.
	Context() string
	// Lacks waits until the rights are known, and says which are missing.
	Lacks() error
	// Record is the record of a group.
	Record(group string) RunRecord
	// Lease is the lock and the record of a group, neither taken nor read yet. waiting, if
	// not nil, is called once when the lock belongs to a process that may be dead: until then
	// it takes to see.
	Lease(group string, waiting func(holder string, until time.Time)) *Lease
	// Nodes are the cluster's nodes, none where there is no cluster.
	Nodes(ctx context.Context) ([]*world.Node, error)
	// Note says in rows what runs in the groups, and who else moves their nodes.
	Note(ctx context.Context, rows []present.GroupRow, nodes []*world.Node) error
	// Open begins to read what is known of a group, feed's part of it and the cluster's. What
	// it returns as sources has to be read once. watch, if not nil, is told what the group's
	// record says and who drives its run.
	Open(ctx context.Context, group backend.Group, feed backend.Feed, watch *live.Watch) (*live.FeedQueue, []world.Source)
	// Executor carries out what is done to nodes and pods.
	Executor() live.Executor
	// Free says why a run may not start although the lock is free, nil if it may.
	Free(g *world.Group) error
	// MayForce says which rights to force pods are missing, nil if none.
	MayForce(ctx context.Context) error
	// Announce tells others of a group's run.
	Announce(group string, trouble func(string)) Announcer
	// Listen lets commands from elsewhere reach the run until the function that it returns
	// is called: the answers given by then are written first.
	Listen(ctx context.Context, loop *live.Loop, group string) (stop func())
	// Shows is the subcommand that shows a run that another process drives, Follow what is
	// said before it.
	Shows() string
	Follow() string
	// RecordName is a record's name for people, "" for none.
	RecordName(name string) string
}

// Announcer tells others of a run.
type Announcer interface {
	Events(list []record.Event)
	Close()
}
