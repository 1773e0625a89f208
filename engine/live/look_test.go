package live

import (
	"context"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// What is looked at comes with the next snapshot, at once and although nothing else
// changes; what is not looked at any more is not worked out.
func TestLoopLook(t *testing.T) {
	b := newBench(t)
	b.World.SetMachines([]world.Machine{{ID: "i-1"}, {ID: "i-2"}})
	b.World.SetNode(&world.Node{Name: "n1", Machine: "i-1"})
	b.World.SetPod(&world.Pod{UID: "u1", Namespace: "app", Name: "web-1", Node: "n1"})
	b.World.SetBudget(&world.Budget{Namespace: "app", Name: "web"})
	run := b.planned()
	run.State, run.Why = record.Paused, "nothing is to happen"
	run.Nodes = shards.Of(map[string]record.Node{"i-1": {Name: "n1"}, "i-2": {}})
	b.Loop.Before = []record.Event{{Type: record.RunStarted, Message: "long ago"}}
	shown := make(chan *snapshot.Snapshot, 100)
	b.Loop.Publish = func(s *snapshot.Snapshot) { shown <- s }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		b.Run(ctx, run)
		close(ended)
	}()
	next := func() *snapshot.Snapshot {
		t.Helper()
		select {
		case s := <-shown:
			return s
		case <-time.After(engine.Heartbeat - time.Second): // by then a decision is due, which publishes by itself
			t.Fatal("no snapshot came")
			return nil
		}
	}
	if s := next(); s.Node != nil || s.Budget != nil {
		t.Error("details came that nobody looks at")
	} else if len(s.Events) == 0 || s.Events[0].Message != "long ago" {
		t.Errorf("the log begins with %+v, and not with what was before", s.Events)
	}
	for _, at := range []snapshot.Look{{Machine: "i-1"}, {Machine: "i-1", Budget: "app/web"}, {Budget: "app/web"}, {Machine: "i-2"}, {}, {Machine: "i-9", Budget: "app/none"}} {
		b.Look(at)
		s := next()
		if known := at.Machine == "i-1" || at.Machine == "i-2"; known != (s.Node != nil) || known && s.Node.ID != at.Machine {
			t.Errorf("looking at %+v: got the node %+v", at, s.Node)
		}
		if known := at.Budget == "app/web"; known != (s.Budget != nil) || known && s.Budget.Ref != at.Budget {
			t.Errorf("looking at %+v: got the budget %+v", at, s.Budget)
		}
		if at.Machine == "i-1" && (len(s.Node.Pods) != 1 || s.Node.Pods[0].UID != "u1") {
			t.Errorf("the pods of i-1 are %+v", s.Node.Pods)
		}
	}
	stop()
	<-ended
	for range 1000 { // nobody takes these, and nobody is held up
		b.Look(snapshot.Look{Machine: "i-1"})
	}
}
