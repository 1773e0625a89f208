package snapshot

import (
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// The time left follows the pace of the nodes; an hour in which an approval was
// waited for does not stretch it.
func TestTimeLeft(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name           string
		since, longest time.Duration
		want           time.Duration
	}{
		{"at the pace so far", 4 * time.Minute, 5 * time.Minute, 8 * time.Minute},
		{"after a long wait for a user", 2 * time.Hour, 2 * time.Minute, 4 * time.Minute},
		{"nothing measured", 10 * time.Minute, 0, 20 * time.Minute},
	} {
		r := record.Run{State: record.Running, Limit: 2, NodeTime: c.longest, Nodes: shards.Of(map[string]record.Node{}), Phases: []record.Phase{{Name: "upgrade", Start: now.Add(-c.since)}}}
		for i := range 6 {
			n := record.Node{Stage: record.Outdated}
			if i < 2 {
				n.Stage = record.Replaced
			}
			r.Nodes = r.Nodes.With(fmt.Sprint(i), n)
		}
		if got := timeLeft((&assess.Reader{Now: now, W: world.New(), Run: r, Rules: plainRules{}})); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A watch that came late counts from the run's beginning what was replaced before it came. While the group's own
// controller may be stuck, nothing is estimated.
func TestTimeLeftOfWhoCameLate(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	r := record.Run{State: record.Running, Limit: 1, Started: now.Add(-10 * time.Minute), Phases: []record.Phase{{Name: "upgrade", Start: now.Add(-10 * time.Second)}},
		Nodes: shards.Of(map[string]record.Node{"a": {Stage: record.Replaced, Since: now.Add(-time.Minute)}, "b": {Stage: record.Outdated}})}
	left := func() time.Duration {
		return timeLeft(&assess.Reader{Now: now, W: world.New(), Run: r, Rules: plainRules{}})
	}
	if got := left(); got != 10*time.Minute {
		t.Errorf("%s left", got)
	}
	r.Candidates = []string{"b"}
	if got := left(); got != 0 {
		t.Errorf("%s left, and it may be stuck", got)
	}
}

// plainRules are those of a strategy that leaves to the shared parts what is asked here.
type plainRules struct{ assess.Rules }

func (plainRules) Capabilities() assess.Capabilities { return assess.Base{}.Capabilities() }

func (plainRules) Estimate(w *world.World, r *record.Run, left int) time.Duration {
	return assess.Base{}.Estimate(w, r, left)
}
