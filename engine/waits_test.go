package engine

import (
	"reflect"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// A wait that stands still keeps what it says of itself.
func TestWaitsMoveWhole(t *testing.T) {
	now := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	wait := record.Wait{For: "drain", Start: now, End: now.Add(time.Hour), Needs: []world.Source{world.Cluster}, Basis: "its condition was set", Guess: true}
	r := record.Run{State: record.Paused, Seen: now, Nodes: shards.Of(map[string]record.Node{"i-1": {Stage: record.Draining, Wait: &wait}})}
	want := wait
	want.End = want.End.Add(time.Minute)
	if got := Meanwhile(now.Add(time.Minute), r).Nodes.Get("i-1").Wait; !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, want %+v", *got, want)
	}
}
