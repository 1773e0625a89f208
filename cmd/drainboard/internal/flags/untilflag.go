package flags

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
)

// parseUntil reads the time by which a run must be over: a time of day (the next such time on
// the local clock), a local date and time, or an RFC 3339 time.
func parseUntil(text string, now time.Time) (time.Time, error) {
	if t, err := time.Parse("15:04", text); err == nil {
		y, m, d := now.Date()
		next := time.Date(y, m, d, t.Hour(), t.Minute(), 0, 0, now.Location())
		if !next.After(now) { // by the calendar, not by 24 hours: the clocks may change tonight
			next = time.Date(y, m, d+1, t.Hour(), t.Minute(), 0, 0, now.Location())
		}
		return next, nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		t, err := time.ParseInLocation(form, text, now.Location())
		if err != nil {
			continue
		}
		if !t.After(now) {
			return t, fmt.Errorf("%s is in the past: it is %s now", present.When(t), present.When(now))
		}
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time (examples: 05:00, 2026-11-22 05:00, 2026-11-22T05:00:00Z)", text)
}
