package flags

import (
	"strings"
	"testing"
	"time"
)

func TestParseUntil(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	night := time.Date(2026, 3, 28, 23, 30, 0, 0, berlin) // the clocks go forward at 02:00
	autumn := time.Date(2026, 10, 25, 1, 30, 0, 0, berlin)
	for _, c := range []struct {
		text string
		now  time.Time
		want string // RFC 3339, or what the error says
	}{
		{"05:00", night, "2026-03-29T05:00:00+02:00"},
		{"5:00", night, "2026-03-29T05:00:00+02:00"},
		{"23:31", night, "2026-03-28T23:31:00+01:00"},
		{"23:30", night, "2026-03-29T23:30:00+02:00"}, // now is not in the future
		{"05:00", autumn, "2026-10-25T05:00:00+01:00"},
		{"2026-03-29 05:00", night, "2026-03-29T05:00:00+02:00"},
		{"2026-03-29T05:00", night, "2026-03-29T05:00:00+02:00"},
		{"2026-03-29T05:00:00Z", night, "2026-03-29T05:00:00Z"},
		{"2026-03-29T05:00:00-07:00", night, "2026-03-29T05:00:00-07:00"},
		{"2026-03-28 05:00", night, "in the past: it is Sat 28 Mar 2026 23:30:00 CET (+01:00) now"},
		{"2026-03-28T21:00:00Z", night, "in the past"},
		{"24:00", night, "is not a time"},
		{"soon", night, "is not a time"},
		{"", night, "is not a time"},
	} {
		got, err := parseUntil(c.text, c.now)
		switch {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		case err == nil && got.Format(time.RFC3339) != c.want:
			t.Errorf("%q: %s, want %s", c.text, got.Format(time.RFC3339), c.want)
		}
	}
}
