package journal

import (
	"context"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// A whole run with --force on a disk that is full when the first pods are to be
// forced: no pod is deleted before its line is on the disk, the run continues otherwise,
// and ends well once there is room.
func TestRunOnAFullDisk(t *testing.T) {
	s, err := script.Named("forced")
	if err != nil {
		t.Fatal(err)
	}
	script, err := s.Open(1, true)
	if err != nil {
		t.Fatal(err)
	}
	plan, wall := script.Plan("run-1"), realtime.New(script.Sim, 300)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	queue := live.Open(ctx, wall)
	defer queue.Close()
	view := world.New()
	if err := queue.Fill(ctx, view, time.Minute, world.Cluster, world.Cloud); err != nil {
		t.Fatal(err)
	}
	run := engine.Start(plan.Run, wall.Now(), "operator@laptop")
	d := &disk{full: true, room: 100}
	scribe, _ := scribeOn(t, d, run)
	scribe.now = wall.Now
	deleted := map[string]Line{} // by UID: the line that was on the disk before
	loop := &live.Loop{
		Rules: strategy.EKS{}, World: view, Queue: queue, Store: wall, Lock: wall, Clock: wall,
		Heard: scribe.Heard, Decided: scribe.Decided,
	}
	loop.Executor = scribe.Executor(hand(func(a record.Action) record.Outcome {
		if a.Kind == record.Delete {
			for _, l := range d.lines(t, true) {
				if l.Kind == KindAction && l.Action.UID == a.UID && l.Action.Kind == a.Kind {
					deleted[a.UID] = l
				}
			}
			if l, ok := deleted[a.UID]; !ok || l.Action.Forced == nil || l.Action.Forced.By == "" || l.Action.Forced.Why == "" {
				t.Errorf("%s/%s is deleted before its line is on the disk", a.Namespace, a.Pod)
			}
		}
		return wall.Do(ctx, a)
	}))
	refused := 0
	loop.Events = func(list []record.Event) { scribe.Events(list) }
	loop.Publish = func(s *snapshot.Snapshot) {
		for _, b := range s.Blockers {
			if b.Kind == blockers.BlockedByJournal {
				if refused++; refused == 1 { // a user makes room
					d.set(func(d *disk) { d.full = false })
				}
			}
		}
	}
	run, err = loop.Run(ctx, run)
	if err != nil || run.Result != record.Succeeded {
		t.Fatalf("%s: %s, %v", run.Result, run.Why, err)
	}
	if refused == 0 || len(deleted) == 0 {
		t.Errorf("%d times on the list of blockers, %d pods deleted", refused, len(deleted))
	}
}
