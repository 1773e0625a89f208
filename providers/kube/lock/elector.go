package lock

import (
	"context"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// elector takes a lease and renews it, by the rules of client-go's leader election, so
// that the two can share a lease: it is free when it names no holder, or when it was not
// seen to change for as long as it lasts. Times of other clocks are never compared with
// ours.
type elector struct {
	lock *watchedLock
	// seen is the lease as it was last read or written, since when it was first seen so.
	seen  holding
	since time.Time
}

// acquire tries until the lease is ours, and reports whether it is: not if ctx ends first.
func (e *elector) acquire(ctx context.Context) bool {
	for !e.try(ctx) {
		// Two that wait for one lease must not ask at the same moments.
		if !awhile(ctx, retryPeriod+rand.N(retryPeriod*6/5)) {
			return false
		}
	}
	return true
}

// renew renews the lease until ctx ends, or until that fails for renewDeadline.
func (e *elector) renew(ctx context.Context) {
	for awhile(ctx, retryPeriod) {
		within, cancel := context.WithTimeout(ctx, renewDeadline)
		renewed := e.try(within)
		for !renewed && awhile(within, retryPeriod) {
			renewed = e.try(within)
		}
		cancel()
		if !renewed {
			return
		}
	}
}

// try takes or renews the lease once, and reports whether it is ours.
func (e *elector) try(ctx context.Context) bool {
	now := time.Now()
	want := holding{holder: e.lock.identity, duration: leaseDuration, acquired: micro(now), renewed: micro(now)}
	if e.mine() && e.lasts(now) { // as a rule nobody wrote since, and one request is enough
		want.acquired, want.transitions = e.seen.acquired, e.seen.transitions
		if e.write(ctx, want) {
			return true
		}
	}
	found, err := e.lock.get(ctx)
	if apierrors.IsNotFound(err) {
		if err := e.lock.create(ctx, want); err != nil {
			return false
		}
		e.seen, e.since = want, time.Now()
		return true
	}
	if err != nil {
		return false
	}
	if !found.same(e.seen) {
		e.seen, e.since = found, time.Now()
	}
	switch {
	case e.mine():
		want.acquired, want.transitions = found.acquired, found.transitions
	case found.holder != "" && e.lasts(now):
		return false
	default:
		want.transitions = found.transitions + 1
	}
	return e.write(ctx, want)
}

// write writes the lease, and reports whether that was accepted.
func (e *elector) write(ctx context.Context, h holding) bool {
	if err := e.lock.update(ctx, h); err != nil {
		return false
	}
	e.seen, e.since = h, time.Now()
	return true
}

func (e *elector) mine() bool { return e.seen.holder == e.lock.identity }

// lasts reports whether the lease has not run out.
func (e *elector) lasts(now time.Time) bool { return e.since.Add(e.seen.duration).After(now) }

// micro is a time as precise as a lease keeps it, without the monotonic reading.
func micro(t time.Time) time.Time { return t.Round(0).Truncate(time.Microsecond) }

// awhile waits, and reports whether ctx still runs.
func awhile(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
