package check

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/world"
)

// A node says in whole seconds when it was made. One made in the second in which the run began is
// older than the run only if the run knew it at its start.
func TestOlder(t *testing.T) {
	began := time.Date(2026, 11, 2, 9, 8, 37, 318e6, time.UTC)
	c := Checker{d: &drive.Driver{Run: record.Run{Started: began}}, atStart: map[string]bool{"known": true}}
	for _, n := range []struct {
		machine string
		made    time.Time
		older   bool
	}{
		{"known", began.Add(-time.Millisecond), true},
		{"new", began.Add(-time.Millisecond), false},
		{"new", began.Add(-time.Second), true},
		{"new", began.Add(time.Millisecond), false},
	} {
		if got := c.older(&world.Node{Machine: n.machine, Created: n.made}); got != n.older {
			t.Errorf("the node of %s, made at %s, is older: %v", n.machine, n.made, got)
		}
	}
}
