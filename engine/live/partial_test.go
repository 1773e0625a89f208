package live_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// A watch shows the nodes before the pods are read, and tells nothing by them: a node that
// a user drains is not said to be drained because no pod of it is known. When all is
// read, what is told begins with that.
func TestWatchOfAPartialWorld(t *testing.T) {
	feed := make(posts)
	w := &live.Watch{World: world.New(), Clock: wallClock{}, Rules: strategy.Named, Idle: strategy.EKS{}}
	var machines []world.Machine
	for i := range 3 {
		id := fmt.Sprint("i-", i)
		machines = append(machines, world.Machine{ID: id, Zone: "a", State: world.MachineInService, Template: world.Template{ID: "lt", Version: 1}})
		n := &world.Node{Name: fmt.Sprint("n", i), Machine: id, Zone: "a", Version: "v1.31.4", Ready: true}
		if i == 0 {
			n.Taints = []world.Taint{{Key: "ToBeDeletedByClusterAutoscaler", Effect: "NoSchedule"}}
		}
		w.World.SetNode(n)
	}
	w.World.SetGroup(world.Group{Name: "ng", Provider: "asg", Template: world.Template{ID: "lt", Version: 2}})
	w.World.SetMachines(machines)
	now := time.Now()
	w.World.SetHealth(world.Cloud, world.Health{Fresh: now})
	w.World.SetHealth(world.Nodes, world.Health{Fresh: now})

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.Queue = live.Open(ctx, feed)
	defer w.Queue.Close()
	shown := make(chan *snapshot.Snapshot, 100)
	w.Publish = func(s *snapshot.Snapshot) { shown <- s }
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	next := func() *snapshot.Snapshot {
		t.Helper()
		select {
		case s := <-shown:
			return s
		case <-time.After(10 * time.Second):
			t.Fatal("nothing is shown")
			return nil
		}
	}
	partly := func(s *snapshot.Snapshot) {
		t.Helper()
		if !s.Partial || len(s.Blockers)+len(s.Evictions)+len(s.Events) > 0 || s.Zones[0].Rows[0].Stage != record.Draining {
			t.Errorf("it tells of what it does not know: %+v, first row %+v", s, s.Zones[0].Rows[0])
		}
	}

	s := next()
	partly(s)
	for _, r := range s.Zones[0].Rows {
		if !r.PodsUnread || r.Version == "" {
			t.Errorf("%+v", r)
		}
	}
	pod := func(name, node string) *world.Pod {
		return &world.Pod{UID: name, Namespace: "app", Name: name, Node: node, Phase: world.PodRunning, Owner: world.Owner{Kind: "ReplicaSet", Name: "web", UID: "rs"}}
	}
	feed <- func(w *world.World) { w.SetEarly("n1", []*world.Pod{pod("p", "n1")}) }
	for s = next(); s.Zones[0].Rows[1].PodsUnread; s = next() {
		partly(s)
	}
	partly(s)
	if r := s.Zones[0].Rows; r[1].Pods != 1 || !r[2].PodsUnread {
		t.Errorf("%+v, %+v", r[1], r[2])
	}
	feed <- func(w *world.World) {
		w.SetPod(pod("p", "n1"))
		w.SetPod(pod("q", "n2"))
		w.SetHealth(world.Cluster, world.Health{Fresh: now})
	}
	for s = next(); s.Partial; s = next() {
		partly(s)
	}
	if r := s.Zones[0].Rows; r[0].Stage != record.Settling || r[1].Pods != 1 || r[2].Pods != 1 || r[2].PodsUnread {
		t.Errorf("%+v, %+v, %+v", r[0], r[1], r[2])
	}
	told := map[record.EventType]bool{}
	for _, e := range s.Events {
		if e.Node == "n0" {
			told[e.Type] = true
		}
	}
	if !told[record.NodeDrained] || told[record.NodeDraining] {
		t.Errorf("told of n0: %v", told)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A run in a partial world is told by its record, which knows its stages.
func TestWatchOfARunInAPartialWorld(t *testing.T) {
	w := &live.Watch{World: world.New(), Clock: wallClock{}, Rules: strategy.Named, Idle: strategy.EKS{}}
	w.World.SetGroup(world.Group{Name: "ng", Provider: "asg"})
	w.World.SetHealth(world.Cloud, world.Health{Fresh: time.Now()})
	w.World.SetHealth(world.Nodes, world.Health{Fresh: time.Now()})
	run := engine.Start(assess.NewRun(strategy.EKS{}, "r1", 1, w.World, strategy.EKS{}.Defaults(), record.Target{}), time.Now(), "ann@laptop")
	run.Seen = time.Now()
	run.Nodes = shards.Of(map[string]record.Node{"i-1": {Name: "n1", Zone: "a", Stage: record.Draining, Since: time.Now()}})
	w.SeeRecord(run, true, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.Queue = live.Open(ctx)
	defer w.Queue.Close()
	shown := make(chan *snapshot.Snapshot, 100)
	w.Publish = func(s *snapshot.Snapshot) { shown <- s }
	go func() { _ = w.Run(ctx) }()
	select {
	case s := <-shown:
		if !s.Partial || s.State != record.Running || !s.Zones[0].Rows[0].PodsUnread || len(s.Events) == 0 {
			t.Errorf("%+v", s)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is shown")
	}
}
