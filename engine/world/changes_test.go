package world_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/drainboard/drainboard/engine/world"
)

// Whatever becomes of a machine, of the node on it, of the machine of a name or of a pod is among the
// changes, and a copy of the world keeps nothing of what was derived from it.
func TestChanges(t *testing.T) {
	type seen struct {
		machine *world.Machine
		node    *world.Node
		of      string // of a node, its machine
		there   bool
	}
	machine := func(i int) string { return fmt.Sprintf("i-%d", i) }
	look := func(w *world.World) map[world.Change]seen {
		all := map[world.Change]seen{}
		for i := range 6 {
			all[world.Change{What: world.ChangedMachine, ID: machine(i)}] = seen{machine: w.Machine(machine(i)), node: w.NodeOf(machine(i))}
			uid, name := fmt.Sprintf("p%d", i), fmt.Sprintf("n%d", i)
			all[world.Change{What: world.ChangedPod, ID: uid}] = seen{there: w.Pod(uid) != nil}
			if n := w.Node(name); n != nil {
				all[world.Change{What: world.ChangedName, ID: name}] = seen{of: n.Machine, there: true}
			} else {
				all[world.Change{What: world.ChangedName, ID: name}] = seen{}
			}
		}
		return all
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		w := world.New()
		for step := range 200 {
			before, count := look(w), w.Changes()
			did := ""
			switch name := fmt.Sprintf("n%d", rng.IntN(4)); rng.IntN(6) {
			case 0, 1:
				n := &world.Node{Name: name, Ready: rng.IntN(2) == 0}
				if rng.IntN(5) > 0 {
					n.Machine = machine(rng.IntN(6))
				}
				w.SetNode(n)
				did = fmt.Sprintf("SetNode %s on %q", name, n.Machine)
			case 2:
				w.DeleteNode(name)
				did = "DeleteNode " + name
			case 3:
				did = "SetPod p0 on " + name
				w.SetPod(&world.Pod{UID: "p0", Node: name})
			case 4:
				did = "DeletePod p0"
				w.DeletePod("p0")
			case 5:
				var list []world.Machine
				for i := range 6 {
					m := world.Machine{ID: machine(i), State: world.MachineInService, Unhealthy: rng.IntN(4) == 0}
					if rng.IntN(3) == 0 {
						m.Node = fmt.Sprintf("n%d", rng.IntN(4))
					}
					if rng.IntN(3) > 0 {
						list = append(list, m)
					}
				}
				w.SetMachines(list)
				did = fmt.Sprintf("SetMachines %v", list)
			}
			changed, known := w.ChangedSince(count)
			if !known {
				t.Fatalf("seed %d, step %d: %s is forgotten at once", seed, step, did)
			}
			for what, is := range look(w) {
				if is != before[what] && !slices.Contains(changed, what) {
					t.Fatalf("seed %d, step %d: %s changed %v, and the changes are %v", seed, step, did, what, changed)
				}
			}
		}
		w.Keep("derived")
		if w.Kept() != "derived" || w.Copy()().Kept() != nil {
			t.Fatal("what is kept is not with this world alone")
		}
	}
}

// Changes are remembered for a while, and none is passed over.
func TestChangesAreForgotten(t *testing.T) {
	w := world.New()
	first := w.Changes()
	for i := range 5000 {
		w.SetNode(&world.Node{Name: "n", Machine: fmt.Sprintf("i-%d", i%7)})
	}
	if _, known := w.ChangedSince(first); known {
		t.Error("the oldest change is still remembered")
	}
	if _, known := w.ChangedSince(w.Changes() + 1); known {
		t.Error("a change that is to come is known")
	}
	for since := w.Changes() - 900; since <= w.Changes(); since++ {
		if changed, known := w.ChangedSince(since); !known || len(changed) != w.Changes()-since {
			t.Fatalf("%d changes since %d of %d", len(changed), since, w.Changes())
		}
	}
}
