package kube

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// letGoPause is the pause between two tries to give a lease up.
const letGoPause = 200 * time.Millisecond

// letGo gives the lease up where the elector's one try did not get through: the next
// process would have to wait until it has run out. It takes lockTimeout at most.
func (w *watchedLock) letGo() {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	for ctx.Err() == nil && w.holds() {
		r, _, err := w.LeaseLock.Get(ctx)
		if err == nil && r.HolderIdentity == w.Identity() {
			now := metav1.Now()
			err = w.LeaseLock.Update(ctx, resourcelock.LeaderElectionRecord{LeaseDurationSeconds: 1, AcquireTime: now, RenewTime: now, LeaderTransitions: r.LeaderTransitions})
		}
		if err == nil {
			w.mu.Lock()
			w.held = false
			w.mu.Unlock()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(letGoPause):
		}
	}
}

// holds reports whether the last write of ours that was accepted took or renewed the
// lease.
func (w *watchedLock) holds() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}
