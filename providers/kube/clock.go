package kube

import (
	"net/http"
	"sync"
	"time"
)

// Clock tells the cluster's time from the Date headers of the API's answers.
// They have whole seconds, so each answer only bounds how far the local clock is
// off; the bounds of the latest answers together are narrower than any one.
// Zero offset is assumed as long as the bounds allow it. The zero value is the
// local clock.
//
// It follows the wall clock, not the monotonic one, so that time spent asleep
// counts. Where the local clock is set to another time meanwhile, the next
// answer puts it right.
type Clock struct {
	mu      sync.Mutex
	bounds  [16]bound // a ring; the newest is at next-1
	next    int
	offset  time.Duration // cluster time - local time
	lastNow time.Time
	local   func() time.Time // nil: time.Now; set by tests
}

// bound says that cluster time - local time is in [lo, hi].
type bound struct{ lo, hi time.Duration }

// backstep is how far Now may be held back so that a finer estimate does not
// turn time round.
const backstep = 2 * time.Second

// Now is the cluster's time, in milliseconds and without a monotonic reading: runs
// are written down with many times in them.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall().Add(c.offset).Truncate(time.Millisecond)
	if back := c.lastNow.Sub(now); back > 0 && back < backstep {
		return c.lastNow
	}
	c.lastNow = now
	return now
}

// Skew is how far the local clock is ahead of the cluster's.
func (c *Clock) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return -c.offset
}

func (c *Clock) wall() time.Time {
	if c.local != nil {
		return c.local().Round(0)
	}
	return time.Now().Round(0)
}

// saw takes in that the cluster's clock showed date (cut to the second) at some
// moment between sent and received of the local clock.
func (c *Clock) saw(date, sent, received time.Time) {
	if received.Before(sent) {
		return // the local clock was set back in between
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bounds[c.next%len(c.bounds)] = bound{lo: date.Sub(received), hi: date.Add(time.Second).Sub(sent)}
	c.next++

	// Newest first, as far back as they agree: an answer from before the local
	// clock was set says nothing about now.
	all := c.bounds[(c.next-1)%len(c.bounds)]
	for i := 2; i <= len(c.bounds) && i <= c.next; i++ {
		b := c.bounds[(c.next-i)%len(c.bounds)]
		lo, hi := max(all.lo, b.lo), min(all.hi, b.hi)
		if lo > hi {
			break
		}
		all.lo, all.hi = lo, hi
	}
	switch {
	case all.lo <= 0 && all.hi >= 0:
		c.offset = 0
	default:
		c.offset = (all.lo + all.hi) / 2
	}
}

// listen wraps a transport so that every answer's Date header is taken in.
func (c *Clock) listen(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		sent := c.wall()
		resp, err := next.RoundTrip(req)
		if err != nil {
			return resp, err
		}
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			c.saw(date, sent, c.wall())
		}
		return resp, nil
	})
}

// roundTrip is a function as an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
