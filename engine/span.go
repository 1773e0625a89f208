package engine

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
