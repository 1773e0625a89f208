package clock

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ticking is a clock on a local clock that the test moves.
func ticking() (*Remote, *time.Time) {
	local := noon
	return &Remote{local: func() time.Time { return local }}, &local
}

// answers lets the service's clock, off by offset, answer once a period.
func answers(c *Remote, local *time.Time, offset, period time.Duration, n int) {
	for range n {
		sent := *local
		shown := sent.Add(10 * time.Millisecond).Add(offset).Truncate(time.Second)
		*local = sent.Add(20 * time.Millisecond)
		c.Saw(shown, sent, *local)
		*local = sent.Add(period)
	}
}

func TestOffset(t *testing.T) {
	for _, tt := range []struct{ offset, tolerance time.Duration }{
		{0, 0}, {5 * time.Second, 200 * time.Millisecond}, {-90 * time.Second, 200 * time.Millisecond},
		{time.Hour + 300*time.Millisecond, 200 * time.Millisecond},
	} {
		c, local := ticking()
		answers(c, local, tt.offset, 2137*time.Millisecond, 16)
		if got := -c.Skew() - tt.offset; got.Abs() > tt.tolerance {
			t.Errorf("offset %v: off by %v", tt.offset, got)
		}
		if got := c.Now().Sub(*local); (got + c.Skew()).Abs() > time.Millisecond {
			t.Errorf("offset %v: Now is off by %v, skew %v", tt.offset, got, c.Skew())
		}
	}
}

func TestOneAnswer(t *testing.T) {
	c, local := ticking()
	answers(c, local, 400*time.Millisecond, time.Second, 1)
	if c.Skew() != 0 {
		t.Errorf("skew %v, though the local clock may be right", c.Skew())
	}
}

func TestLocalClockSet(t *testing.T) {
	c, local := ticking()
	answers(c, local, 0, 2137*time.Millisecond, 10)
	*local = local.Add(time.Hour) // set ahead: the service is now an hour behind it
	answers(c, local, -time.Hour, 2137*time.Millisecond, 1)
	if got := c.Skew() - time.Hour; got.Abs() > time.Second {
		t.Errorf("skew %v after one answer", c.Skew())
	}
}

func TestNeverTurnsBackALittle(t *testing.T) {
	c, local := ticking()
	before := c.Now()
	*local = local.Add(-time.Second)
	if got := c.Now(); got.Before(before) {
		t.Errorf("%v after %v", got, before)
	}
	*local = local.Add(-time.Hour)
	if got := c.Now(); !got.Before(before) {
		t.Errorf("an hour back, and still %v", got)
	}
}
