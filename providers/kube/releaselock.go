package kube

import (
	"context"
	"time"
)

// letGoPause is the pause between two tries to give a lease up.
const letGoPause = 200 * time.Millisecond

// letGo gives the lease up: the next process would have to wait until it has run out. It
// takes lockTimeout at most.
func (w *watchedLock) letGo() {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	for ctx.Err() == nil && w.holds() {
		h, err := w.lease.get(ctx)
		if err == nil && h.holder == w.identity {
			now := micro(time.Now())
			err = w.lease.update(ctx, holding{duration: time.Second, acquired: now, renewed: now, transitions: h.transitions})
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
