package kube

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// watchedLock is a lease lock that shows what the elector sees. An elector goes
// on trying for renewDeadline after another process has taken its lease; here the
// loss is known at once.
type watchedLock struct {
	*resourcelock.LeaseLock
	news chan struct{} // of one: something was read or refused
	lost func()

	mu   sync.Mutex
	held bool // a write of ours was accepted
	// renewed is when the last such write was sent, with the monotonic reading.
	renewed time.Time
	read    *resourcelock.LeaderElectionRecord
	err     error
}

// last is what was last read, and the error of the last request.
func (w *watchedLock) last() (*resourcelock.LeaderElectionRecord, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.read, w.err
}

// Get reads the lease.
func (w *watchedLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	r, raw, err := w.LeaseLock.Get(ctx)
	w.mu.Lock()
	// Also if nobody holds it: another process did, and has finished.
	taken := err == nil && w.held && r.HolderIdentity != w.Identity()
	if err == nil {
		w.read = r
	}
	w.mu.Unlock()
	if taken {
		w.lost()
	}
	w.note(err)
	return r, raw, err
}

// Create makes the lease.
func (w *watchedLock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	sent := time.Now()
	return w.wrote(r, sent, w.LeaseLock.Create(ctx, r))
}

// Update renews, takes or releases the lease. An elector that could not read
// for a while releases what it finds, even if another process has it by now;
// that is refused here.
func (w *watchedLock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if now, _ := w.last(); r.HolderIdentity == "" && now != nil && now.HolderIdentity != w.Identity() {
		return errors.New("the lease is not ours to release")
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	sent := time.Now()
	return w.wrote(r, sent, w.LeaseLock.Update(ctx, r))
}

// fresh reports whether the lease was renewed so lately that nobody else can have it.
func (w *watchedLock) fresh() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	return w.held && freshAt(w.renewed, now, now.Round(0))
}

// freshAt is fresh at a moment: mono has a monotonic reading, as renewed has, and wall
// has none.
func freshAt(renewed, mono, wall time.Time) bool {
	return mono.Sub(renewed) < renewDeadline && wall.Sub(renewed.Round(0)) < renewDeadline
}

// lockTimeout bounds one request, so that a second one fits into renewDeadline.
const lockTimeout = renewDeadline / 2

func (w *watchedLock) wrote(r resourcelock.LeaderElectionRecord, sent time.Time, err error) error {
	if err == nil {
		w.mu.Lock()
		w.held, w.read, w.renewed = r.HolderIdentity != "", &r, sent
		w.mu.Unlock()
	}
	w.note(err)
	return err
}

func (w *watchedLock) note(err error) {
	w.mu.Lock()
	w.err = err
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
}
