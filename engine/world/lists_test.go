package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// The lists of nodes and machines hold what there is, as it is now and in order, however it came
// there, and a list that was given away stays as it was.
func TestListsAreAsThingsAre(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, nodes, machines := New(), map[string]*Node{}, map[string]Machine{}
		zoneOf := func(i int) string { return []string{"a", "b", "c"}[i%3] }
		for range 60 {
			givenNodes, givenMachines := w.Nodes(), w.Machines()
			wereNodes, wereMachines := slices.Clone(givenNodes), slices.Clone(givenMachines)
			for range r.IntN(4) {
				name := fmt.Sprintf("node-%02d", r.IntN(40))
				if r.IntN(5) == 0 {
					w.DeleteNode(name)
					delete(nodes, name)
				} else {
					n := &Node{Name: name, Ready: r.IntN(2) == 0}
					w.SetNode(n)
					nodes[name] = n
				}
			}
			for range r.IntN(4) {
				i := r.IntN(40)
				id := fmt.Sprintf("i-%02d", i)
				switch r.IntN(6) {
				case 0:
					delete(machines, id)
				case 1:
					machines[id] = Machine{ID: id, Zone: zoneOf(r.IntN(3)), State: MachinePending}
				default:
					machines[id] = Machine{ID: id, Zone: zoneOf(i), State: []string{MachineInService, MachinePending, MachineTerminating}[r.IntN(3)], Node: []string{"", fmt.Sprintf("node-%02d", i)}[r.IntN(2)]}
				}
			}
			if r.IntN(3) > 0 {
				list := slices.Collect(maps.Values(machines)) // in any order
				if r.IntN(2) == 0 {
					slices.SortFunc(list, func(a, b Machine) int { return byPlace(&a, &b) })
				}
				w.SetMachines(list)
				var want, got []string
				for _, m := range slices.SortedFunc(maps.Values(machines), func(a, b Machine) int { return byPlace(&a, &b) }) {
					want = append(want, fmt.Sprintf("%+v", m))
				}
				for _, m := range w.Machines() {
					got = append(got, fmt.Sprintf("%+v", *m))
					if w.Machine(m.ID) != m {
						t.Fatalf("seed %d: the machine %s is another one than listed", seed, m.ID)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: the machines are\n%v, not\n%v", seed, got, want)
				}
			}
			if r.IntN(3) > 0 {
				names := slices.Sorted(maps.Keys(nodes))
				for i, n := range w.Nodes() {
					if len(w.Nodes()) != len(names) || n.Name != names[i] || n != w.Node(n.Name) || n.Ready != nodes[n.Name].Ready {
						t.Fatalf("seed %d: the nodes are %v, not %v: %+v", seed, len(w.Nodes()), names, *n)
					}
				}
			}
			if !slices.Equal(givenNodes, wereNodes) || !slices.Equal(givenMachines, wereMachines) {
				t.Fatalf("seed %d: a list that was given away was changed", seed)
			}
		}
	}
}
