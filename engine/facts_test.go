package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// TestFacts changes small worlds and runs at random, in every way there is, and holds after
// each change that what is kept of the machines and pods is what one would work out from them.
func TestFacts(t *testing.T) {
	stages := []record.Stage{record.Outdated, record.Queued, record.Draining, record.Settling, record.Terminating, record.Replaced, record.Launching, record.Ready, record.Surplus, record.Updating, record.NodeFail, record.Skipped}
	states := []string{world.MachinePending, world.MachineInService, world.MachineInService, world.MachineTerminating, world.MachineStandby}
	taint := world.Taint{Key: "old", Effect: "NoSchedule"}
	now := time.Unix(1000, 0)
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 0))
		one := func() (id, name string) { return fmt.Sprintf("i-%d", rng.IntN(8)), fmt.Sprintf("n%d", rng.IntN(8)) }
		some := func() bool { return rng.IntN(2) == 0 }
		at := func() (moment time.Time) {
			if some() {
				moment = now
			}
			return moment
		}
		w, r := world.New(), record.Run{Order: []string{"i-3", "i-0", "i-1", "i-5", "i-4", "i-2"}}
		s := newStep(nil, now, w, r)
		for step := range 150 {
			did := ""
			switch id, name := one(); rng.IntN(12) {
			case 0, 1:
				n := &world.Node{Name: name, Machine: id, Ready: some(), Unschedulable: some()}
				if some() {
					n.Taints = []world.Taint{taint}
				}
				w.SetNode(n)
				did = fmt.Sprintf("the world's %s: %+v", name, *n)
			case 2:
				w.DeleteNode(name)
				did = "no " + name
			case 3:
				var list []world.Machine
				for i := range 8 {
					if rng.IntN(4) > 0 {
						list = append(list, world.Machine{ID: fmt.Sprintf("i-%d", i), Zone: []string{"a", "b"}[i%2], State: states[rng.IntN(len(states))], Unhealthy: some(), Detached: some()})
					}
				}
				w.SetMachines(list)
				did = fmt.Sprintf("machines %+v", list)
			case 4, 5:
				n := record.Node{Name: name, Stage: stages[rng.IntN(len(stages))], Began: at(), Missing: at(), PendingValidation: at(), Validated: some(), Detached: some()}
				s.SetNode(id, n)
				did = fmt.Sprintf("the run's %s: %+v", id, n)
			case 6:
				s.dropNode(id)
				did = "no " + id
			case 7:
				put := []record.Action{record.TaintOf(id, name, taint), record.CordonOf(id, name)}[rng.IntN(2)]
				s.remember(record.Mark{Put: put, Foreign: rng.IntN(4) == 0})
				did = "mark " + put.Key
			case 8:
				for _, m := range s.Run.Marks[id] {
					s.forget(m)
				}
				did = "no marks on " + id
			case 9:
				w.SetPod(&world.Pod{UID: "pod of " + id, Node: name})
				did = "the world's pod of " + id
			case 10:
				w.DeletePod("pod of " + id)
				did = "no pod of " + id + " in the world"
			case 11:
				if uid := "pod of " + id; rng.IntN(4) == 0 {
					dropPod(s, uid)
					did = "no pod of " + id
				} else {
					p := record.Pod{Node: name, Gone: at()}
					setPod(s, uid, p)
					did = fmt.Sprintf("the run's %s: %+v", uid, p)
				}
			}
			if rng.IntN(3) == 0 { // the next decision
				s = newStep(nil, now, w, s.Run)
			}
			if stale := assess.StaleFact(nil, w, s.Run); stale != nil {
				t.Fatalf("seed %d, step %d: %s: %s", seed, step, did, stale)
			}
			s.Untainted(taint) // it is asked for, and with it all others
			s.NextQueued()
			kept := w.Kept()
			if newStep(nil, now, w, s.Run).Count(record.Queued); w.Kept() != kept || kept == nil {
				t.Fatalf("seed %d, step %d: %s: what is kept is not with the world", seed, step, did)
			}
		}
	}
}

// Facts are of one run at one moment: for another they are worked out again.
func TestFactsOfAnotherRun(t *testing.T) {
	w := world.New()
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}})
	r := record.Run{Nodes: shards.Of(map[string]record.Node{"i-1": {Name: "n1", Stage: record.Queued}}), Marks: map[string][]record.Mark{}}
	s := newStep(nil, time.Unix(1000, 0), w, r)
	s.Count(record.Queued)
	before := w.Kept()
	s.SetNode("i-1", record.Node{Name: "n1", Stage: record.Draining})
	if s.Count(record.Draining) != 1 || w.Kept() != before {
		t.Error("what is kept is not renewed for the run that changed")
	}
	s.remember(record.Mark{Put: record.CordonOf("i-1", "n1")})
	if s.Count(record.Draining) != 1 || w.Kept() != before {
		t.Error("what is kept is not that of the marks that changed")
	}
	old := newStep(nil, time.Unix(1000, 0), w, r)
	if old.Count(record.Queued) != 1 || w.Kept() == before {
		t.Error("the run as it was before has what is kept for another one")
	}
	s.Count(record.Draining)
	twin := w.Copy()()
	c := newStep(nil, time.Unix(1000, 0), twin, s.Run)
	if c.Count(record.Draining) != 1 || twin.Kept() == w.Kept() {
		t.Error("a copy of the world has what is kept for another one")
	}
}
