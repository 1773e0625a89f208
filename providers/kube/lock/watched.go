package lock

import (
	"context"
	"errors"
	"sync"
	"time"
)

// watchedLock is a lease lock that shows what the elector sees. An elector goes
// on trying for renewDeadline after another process has taken its lease; here the
// loss is known at once.
type watchedLock struct {
	lease    leaseObject
	identity string
	news     chan struct{} // of one: something was read or refused
	lost     func()

	mu   sync.Mutex
	held bool // a write of ours was accepted
	// renewed is when the last such write was sent, with the monotonic reading.
	renewed time.Time
	read    *holding
	err     error
}

// last is what was last read, and the error of the last request.
func (w *watchedLock) last() (*holding, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.read, w.err
}

// get reads the lease.
func (w *watchedLock) get(ctx context.Context) (holding, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	h, err := w.lease.get(ctx)
	w.mu.Lock()
	// Also if nobody holds it: another process did, and has finished.
	taken := err == nil && w.held && h.holder != w.identity
	if err == nil {
		w.read = &h
	}
	w.mu.Unlock()
	if taken {
		w.lost()
	}
	w.note(err)
	return h, err
}

// create makes the lease.
func (w *watchedLock) create(ctx context.Context, h holding) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	sent := time.Now()
	return w.wrote(h, sent, w.lease.create(ctx, h))
}

// update renews, takes or releases the lease. What another process holds is not released.
func (w *watchedLock) update(ctx context.Context, h holding) error {
	if now, _ := w.last(); h.holder == "" && now != nil && now.holder != w.identity {
		return errors.New("the lease is not ours to release")
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	sent := time.Now()
	return w.wrote(h, sent, w.lease.update(ctx, h))
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

func (w *watchedLock) wrote(h holding, sent time.Time, err error) error {
	if err == nil {
		w.mu.Lock()
		w.held, w.read, w.renewed = h.holder != "", &h, sent
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

// letGoPause is the pause between two tries to give a lease up.
const letGoPause = 200 * time.Millisecond

// letGo gives the lease up: the next process would have to wait until it has run out. It
// takes lockTimeout at most, of which a request that is not answered takes a part.
func (w *watchedLock) letGo() {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	for part := lockTimeout / 5; ctx.Err() == nil && w.holds(); part *= 2 {
		if w.clears(ctx, part) == nil {
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

// clears takes this process off the lease within a time.
func (w *watchedLock) clears(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	h, err := w.lease.get(ctx)
	if err != nil || h.holder != w.identity {
		return err
	}
	now := micro(time.Now())
	return w.lease.update(ctx, holding{duration: time.Second, acquired: now, renewed: now, transitions: h.transitions})
}

// holds reports whether the last write of ours that was accepted took or renewed the
// lease.
func (w *watchedLock) holds() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held
}
