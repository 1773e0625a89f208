package status

import (
	"context"
	"sync"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/session"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
)

const (
	// looksFor is for how long an update is looked at in which nothing is seen to move: after some seconds
	// it can be told at which nodes EKS may be.
	looksFor = 8 * time.Second
	// readsFor is how long it may take until the update is seen at all, which a slow API delays.
	readsFor = time.Minute
)

// followed looks at an update of a managed node group that is under way, as a watch does, until it is
// known what it is at. It returns false where none is to be seen.
func (a *Status) followed(ctx context.Context, s *session.Session, group string) (of present.Status, found bool, err error) {
	at, err := s.Find(ctx, group)
	if err != nil {
		return of, false, err
	}
	v, err := s.Read(ctx, at, nil)
	if err != nil {
		return of, false, err
	}
	defer v.Queue.Close()
	ctx, sees := untilKnown(ctx)
	w := &live.Watch{World: v.World, Queue: v.Queue, Clock: s.Clock(), Rules: strategy.Named, Idle: strategy.EKS{}, Follow: strategy.EKSManaged{}, Cluster: s.Cluster(),
		NewID: func(now time.Time) string { return session.RunID(group, now) }}
	why := ""
	w.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Reason == record.ReasonCandidates {
				why = e.Message
			}
		}
	}
	var last *snapshot.Snapshot
	w.Publish = func(v *snapshot.Snapshot) {
		last = v
		sees(w.Followed())
	}
	if err := live.Caught(func() error { return w.Run(ctx) }); err != nil {
		return of, false, err
	}
	run := w.Followed()
	if run.ID == "" {
		return of, false, nil
	}
	return present.FollowedOf(run, last.Blockers, why), true, nil
}

// untilKnown returns a context that ends once it is known what the update is at that sees was called with;
// else looksFor after it was first seen, or after readsFor if it never was.
func untilKnown(ctx context.Context) (_ context.Context, sees func(record.Run)) {
	ctx, stop := context.WithTimeout(ctx, readsFor)
	began := sync.OnceFunc(func() { time.AfterFunc(looksFor, stop) })
	return ctx, func(run record.Run) {
		switch {
		case known(run):
			stop()
		case run.ID != "":
			began()
		}
	}
}

// known reports whether it can be told what an update is at.
func known(run record.Run) bool {
	if run.ID == "" || run.State == record.Finished {
		return run.ID != ""
	}
	phase := present.StatusOf(run).Phase
	for _, n := range run.Nodes.All() {
		if n.Stage == record.Draining || n.Stage == record.Settling || n.Stage == record.Terminating {
			return true
		}
	}
	return len(run.Candidates) > 0 || phase != "" && phase != "upgrade"
}
