package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
)

// The budgets of a pod are those that cover it, whatever they ask for, and as they come and go.
func TestBudgetsOfAPod(t *testing.T) {
	selectors := []string{"app=a", "app=b", "app in (a,b)", "app notin (a)", "tier=x,app=a", "app", "!app", "tier!=x", "tier in (x)", "n>3"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		one := func(list ...string) string { return list[r.IntN(len(list))] }
		w, all := New(), map[string]*Budget{}
		for range 40 {
			b := &Budget{Namespace: one("x", "y"), Name: fmt.Sprint("b", r.IntN(12)), Healthy: r.IntN(9)}
			switch r.IntN(12) {
			case 0: // none
			case 1:
				b.Selector = labels.Nothing()
			case 2:
				b.Selector = labels.Everything()
			default:
				selector, err := labels.Parse(one(selectors...))
				if err != nil {
					t.Fatal(err)
				}
				b.Selector = selector
			}
			if r.IntN(4) == 0 {
				w.DeleteBudget(b.Ref())
				delete(all, b.Ref())
			} else {
				w.SetBudget(b)
				all[b.Ref()] = b
			}
			p := &Pod{Namespace: one("x", "y"), Labels: map[string]string{"app": one("a", "b", "c"), "tier": one("x", "y"), "n": one("2", "4")}}
			delete(p.Labels, one("app", "tier", "none", "none"))
			var want []string
			for ref, b := range all {
				if b.Covers(p) {
					want = append(want, ref)
				}
			}
			slices.Sort(want)
			var got []string
			for _, b := range w.BudgetsOf(p) {
				if b != all[b.Ref()] {
					t.Errorf("seed %d: an old %s", seed, b.Ref())
				}
				got = append(got, b.Ref())
			}
			if len(got) != len(want) || len(want) > 0 && !slices.IsSorted(got) || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
				t.Fatalf("seed %d: %v cover %v, not %v", seed, got, p.Labels, want)
			}
		}
	}
}

// A list of machines that is as it was leaves all as it is, in any order; a changed, a new and a
// missing one are found.
func TestMachinesThatStay(t *testing.T) {
	list := []Machine{{ID: "i-1", Zone: "b"}, {ID: "i-2", Zone: "a", Managed: &ManagedMachine{Name: "m"}}, {ID: "i-3\x1b", Zone: "a"}}
	w := New()
	w.SetMachines(list)
	first, changes := slices.Clone(w.Machines()), w.Changes()
	again := slices.Clone(list)
	again[1].Managed = &ManagedMachine{Name: "m"}
	for _, same := range [][]Machine{list, again, {list[2], list[0], list[1]}, {list[1], list[2], list[0]}} {
		if w.SetMachines(same); !slices.Equal(first, w.Machines()) || w.Changes() != changes {
			t.Errorf("%v is something else", same)
		}
	}
	list[0].State = MachineTerminating
	if w.SetMachines(list); w.Machine("i-1").State != MachineTerminating || w.Machine("i-2") != first[0] || w.Changes() != changes+1 {
		t.Errorf("%+v", w.Machines())
	}
	list[0].State = MachineStandby // the caller's list is its own
	if w.Machine("i-1").State != MachineTerminating {
		t.Error("a list that was given is kept")
	}
	if w.SetMachines(list[:2]); len(w.Machines()) != 2 || w.Machine("i-1").State != MachineStandby || w.Changes() != changes+3 {
		t.Errorf("%+v", w.Machines())
	}
}
