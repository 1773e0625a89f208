package present

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// The hooks around nodes are told in one line.
func TestHooksInThePlan(t *testing.T) {
	s := record.Settings{BeforeNode: 3 * time.Minute, AfterNode: 30 * time.Second}
	if got := hookText(record.Run{Settings: s}); got != "before each node, at most 3m0s; after each node, at most 30s" {
		t.Errorf("the plan says %q", got)
	}
}
