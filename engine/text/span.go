// Package text has the words that sentences share.
package text

import (
	"strings"
	"time"
)

// Span is a duration without what is nought: 2h, 1h30m, 20m, 45s.
func Span(d time.Duration) string {
	d = d.Round(time.Second)
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	s := d.String()
	for _, nought := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, nought) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// Steady is a duration that a sentence tells while it grows: to 10 s, from an hour on to a
// minute, so that the sentence does not change at every look.
func Steady(d time.Duration) time.Duration {
	if d >= time.Hour {
		return d.Truncate(time.Minute)
	}
	return d.Truncate(10 * time.Second)
}

// Seconds is a duration to the second.
func Seconds(d time.Duration) string { return d.Round(time.Second).String() }
