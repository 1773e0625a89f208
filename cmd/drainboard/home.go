package main

import (
	"context"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
)

// runRecord is where the run of a group is written down.
type runRecord interface {
	live.Store
	// Load reads the run; found is false when there is no record. Of what cannot be read
	// the error is a live.DamagedError or a live.NewerError.
	Load(ctx context.Context) (run engine.Run, found bool, err error)
	// Keep puts the record as it is beside those of the group's earlier runs, and returns
	// where that is, "" if there is none. discarded says why, if the run had not ended.
	Keep(ctx context.Context, discarded string) (name string, err error)
}

// heldLock is the lock of a group while this process holds it.
type heldLock interface {
	Lost() <-chan struct{}
	Sure() bool
	Release()
}

// clock tells the time that counts in runs.
func (s *session) clock() live.Clock {
	if s.alone != nil {
		return s.aws.Clock()
	}
	return s.kube.Clock()
}

// cluster is the name to show.
func (s *session) cluster() string {
	if s.alone != nil {
		return s.kops.Cluster()
	}
	return s.kube.ClusterName()
}

// context is what config.yaml's contexts are compared with. Without Kubernetes that is the
// cluster's name, as kops names contexts.
func (s *session) context() string {
	if s.alone != nil {
		return s.kops.Cluster()
	}
	return s.kube.ContextName()
}

// record is the record of a group.
func (s *session) record(group string) runRecord {
	if s.alone != nil {
		return s.alone.record(group)
	}
	return s.kube.Record(s.namespace, group)
}

// tenure is the lock and the record of a group, neither taken nor read yet. waiting, if
// not nil, is told once when the lock is somebody's who may be dead: until then it takes
// to see.
func (s *session) tenure(group string, waiting func(holder string, until time.Time)) *tenure {
	if s.alone != nil {
		return s.tenureAlone(group, waiting)
	}
	lock := s.kube.Lock(s.namespace, group)
	lock.Waiting = waiting
	return &tenure{record: s.record(group), take: func(ctx context.Context) (heldLock, error) { return lock.Acquire(ctx) }}
}
