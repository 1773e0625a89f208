package engine

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
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
		{"after a long wait for somebody", 2 * time.Hour, 2 * time.Minute, 4 * time.Minute},
		{"nothing measured", 10 * time.Minute, 0, 20 * time.Minute},
	} {
		r := record.Run{State: record.Running, Limit: 2, NodeTime: c.longest, Nodes: map[string]record.Node{}, Phases: []record.Phase{{Name: "upgrade", Start: now.Add(-c.since)}}}
		for i := range 6 {
			n := record.Node{Stage: record.Outdated}
			if i < 2 {
				n.Stage = record.Replaced
			}
			r.Nodes[fmt.Sprint(i)] = n
		}
		if got := newStep(noRules{}, now, world.New(), r).timeLeft(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A wait that stands still keeps what it says of itself.
func TestWaitsMoveWhole(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	wait := record.Wait{For: "drain", Start: now, End: now.Add(time.Hour), Needs: []world.Source{world.Cluster}, Basis: "its condition was set", Guess: true}
	r := record.Run{State: record.Paused, Seen: now, Nodes: map[string]record.Node{"i-1": {Stage: record.Draining, Wait: &wait}}}
	want := wait
	want.End = want.End.Add(time.Minute)
	if got := Meanwhile(now.Add(time.Minute), r).Nodes["i-1"].Wait; !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, want %+v", *got, want)
	}
}
