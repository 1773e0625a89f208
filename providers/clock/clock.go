// Package clock tells the time of a service: what a run's times are in, so that nothing
// depends on the clock of the machine that happens to drive it.
package clock

import (
	"net/http"
	"sync"
	"time"
)

// Remote tells a service's time from the Date headers of its answers. They have whole
// seconds, so each answer only bounds how far the local clock is off; the bounds of the
// latest answers together are narrower than any one. Zero offset is assumed as long as
// the bounds allow it. The zero value is the local clock. It is a live.Clock, and safe
// for concurrent use.
//
// It follows the wall clock, not the monotonic one, so that time spent asleep
// counts. Where the local clock is set to another time in between, the next
// answer puts it right.
type Remote struct {
	mu      sync.Mutex
	bounds  [16]bound // a ring; the newest is at next-1
	next    int
	offset  time.Duration // its time - local time
	lastNow time.Time
	local   func() time.Time // nil: time.Now; set by tests
}

// bound says that its time - local time is in [lo, hi].
type bound struct{ lo, hi time.Duration }

// backstep is how far Now may be held back so that a finer estimate does not
// turn time round.
const backstep = 2 * time.Second

// Now is the service's time, in milliseconds and without a monotonic reading: runs
// are written down with many times in them.
func (c *Remote) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.wall().Add(c.offset).Truncate(time.Millisecond)
	if back := c.lastNow.Sub(now); back > 0 && back < backstep {
		return c.lastNow
	}
	c.lastNow = now
	return now
}

// Skew is how far the local clock is ahead of the service's.
func (c *Remote) Skew() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return -c.offset
}

func (c *Remote) wall() time.Time {
	if c.local != nil {
		return c.local().Round(0)
	}
	return time.Now().Round(0)
}

// Saw takes in that the service's clock showed date (cut to the second) at some
// moment between sent and received of the local clock, without monotonic readings.
func (c *Remote) Saw(date, sent, received time.Time) {
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

// Hear takes in the Date header of an answer that was asked for at sent. One that has
// none says nothing.
func (c *Remote) Hear(answer http.Header, sent time.Time) {
	if date, err := http.ParseTime(answer.Get("Date")); err == nil {
		c.Saw(date, sent.Round(0), c.wall())
	}
}

// Listen wraps a transport so that every answer's Date header is taken in.
func (c *Remote) Listen(next http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		sent := c.wall()
		resp, err := next.RoundTrip(req)
		if err == nil {
			c.Hear(resp.Header, sent)
		}
		return resp, err
	})
}

// roundTrip is a function as an http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
