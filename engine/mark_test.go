package engine

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// A mark that the run is taking off shows until the watch has caught up: it is not another
// user's, nor is it the one that is to be put now.
func TestMarkWaitsForItsUndo(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	put := record.CordonOf("i-1", "n1")
	undo := record.Mark{Put: put}.Undo()
	look := func(cordoned bool, pending map[string]record.Pending) (there bool, r record.Run) {
		w := world.New()
		w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}})
		w.SetNode(&world.Node{Name: "n1", Machine: "i-1", Ready: true, Unschedulable: cordoned})
		w.SetHealth(world.Cluster, world.Health{Fresh: now})
		s := &Step{Reader: assess.Reader{Now: now, W: w, Run: record.Run{
			State: record.Running, Settings: record.Settings{ClusterMaxAge: time.Minute}, Nodes: shards.Of(map[string]record.Node{"i-1": {Name: "n1"}}),
			Pending: pending, Retries: map[string]record.Retry{},
		}}}
		return s.Mark(put), s.Run
	}
	under := map[string]record.Pending{undo.Key: {Action: undo, Asked: now, Accepted: now, Expires: now.Add(expiry)}}
	if there, r := look(true, under); there || len(r.Marks) > 0 {
		t.Errorf("the cordon that is being lifted counts: %v, %v", there, r.Marks)
	}
	if there, r := look(true, map[string]record.Pending{}); !there || !r.Marks["i-1"][0].Foreign {
		t.Errorf("the cordon of another user does not count: %v, %v", there, r.Marks)
	}
}

// A node that is found set apart is written down at once, whatever else changes in that decision: a
// process that resumes the run would else wait once more for the node's time to drain.
func TestSetApartIsWritten(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	w := world.New()
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}})
	w.SetNode(&world.Node{Name: "n1", Machine: "i-1", Ready: true, Unschedulable: true})
	w.SetHealth(world.Cluster, world.Health{Fresh: now})
	cordon := record.Mark{Put: record.CordonOf("i-1", "n1")}
	s := &Step{Reader: assess.Reader{Now: now, W: w, Run: record.Run{
		State: record.Running, Settings: record.Settings{ClusterMaxAge: time.Minute, DrainTimeout: time.Hour},
		Nodes: shards.Of(map[string]record.Node{"i-1": {Name: "n1", Stage: record.Draining}}), Marks: map[string][]record.Mark{"i-1": {cordon}},
		Pending: map[string]record.Pending{}, Retries: map[string]record.Retry{},
	}}}
	if !cordonFirst(s, "i-1", s.Run.Nodes.Get("i-1")) || !s.Run.Nodes.Get("i-1").Isolated {
		t.Fatal("a cordoned node is not set apart")
	}
	if !s.changed {
		t.Error("that the node is set apart is not written down")
	}
}

// A machine that others end after its termination was refused takes no size down with it: that is written
// down at once, whatever else changes in that decision.
func TestEndedByOthersIsWritten(t *testing.T) {
	m := world.Machine{ID: "i-1", State: world.MachineTerminating}
	w := world.New()
	w.SetMachines([]world.Machine{m})
	n := record.Node{Stage: record.Terminating, Decrement: true}
	s := &Step{Reader: assess.Reader{W: w, Run: record.Run{Nodes: shards.Of(map[string]record.Node{"i-1": n}), Lowered: 1}}}
	if n = (observer{s}).follow(&m, n); n.Decrement || s.Run.Lowered != 0 {
		t.Fatalf("it counts as taken down: %v, %d", n.Decrement, s.Run.Lowered)
	}
	if !s.changed {
		t.Error("that it takes nothing down is not written down")
	}
}

// That a machine has left its group is written down at once, whatever else changes in that decision: the
// cluster has to prove valid without it, and a process that resumes the run would not know that it left.
func TestLeftIsWritten(t *testing.T) {
	w := world.New()
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService, Detached: true}})
	s := &Step{Reader: assess.Reader{W: w, Rules: noRules{}, Run: record.Run{Nodes: shards.Of(map[string]record.Node{"i-1": {Stage: record.Ready}})}}}
	if (observer{s}).left("i-1"); !s.Run.Nodes.Get("i-1").Detached {
		t.Fatal("a machine that has left its group has not")
	}
	if !s.changed {
		t.Error("that it has left is not written down")
	}
}

// provesRules is a strategy by which the cluster has to prove valid after each end.
type provesRules struct{ noRules }

func (provesRules) Capabilities() assess.Capabilities {
	return assess.Capabilities{RequiresValidation: true}
}

// A proof that was owed before a machine's end was granted has to follow that; one that was given stands.
func TestProofFollowsTheEnd(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		owed   time.Time
		proved bool
		want   time.Time
	}{{time.Time{}, false, now}, {now.Add(-time.Minute), false, now}, {now.Add(-time.Minute), true, now.Add(-time.Minute)}, {time.Time{}, true, time.Time{}}} {
		n := record.Node{Name: "a1", Stage: record.Terminating, PendingValidation: c.owed, Validated: c.proved}
		s := newStep(provesRules{}, now, world.New(), record.Run{Nodes: shards.Of(map[string]record.Node{"i-1": n})})
		took(s, record.Action{Kind: record.Terminate, Key: "terminate/i-1", Machine: "i-1", Node: "a1"}, record.Outcome{Verdict: record.Done})
		if got := s.Run.Nodes.Get("i-1").PendingValidation; !got.Equal(c.want) {
			t.Errorf("owed since %s, proved %v: owed since %s then, want %s", c.owed, c.proved, got, c.want)
		}
	}
}
