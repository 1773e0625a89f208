package engine

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// lowering is a step of a run that ends, whose group has so many machines in service and a desired
// size of 6, as a read of that moment shows it. 4 of the 6 are the group's own.
func lowering(machines int, desired int, l record.Lowering, now, read time.Time) *Step {
	w := world.New()
	w.SetGroup(world.Group{Name: "ng", Sizes: world.Sizes{Max: 9, Desired: desired}, Suspended: []string{launching, ending}})
	var list []world.Machine
	for i := range machines {
		list = append(list, world.Machine{ID: string(rune('a' + i)), State: world.MachineInService})
	}
	w.SetMachines(list)
	w.SetHealth(world.Cloud, world.Health{Fresh: read})
	r := record.Run{
		State: record.Ending, Settings: record.Common(), Base: world.Sizes{Max: 4, Desired: 4}, Raise: 2, Raised: true, MaxSet: 9,
		Suspended: []string{launching, ending}, Lowering: &l,
	}
	return newStep(noRules{}, now, w, r)
}

// One read does not say what a group has: the desired size is set after two that are alike.
func TestLowerAfterTwoReads(t *testing.T) {
	now := time.Unix(1000, 0)
	l := record.Lowering{Began: now.Add(-9 * time.Second), Stopped: now.Add(-8 * time.Second)}
	s := lowering(4, 6, l, now, now.Add(-5*time.Second))
	s.LowerToMachines()
	if len(s.actions) > 0 {
		t.Fatalf("asked for %v after one read", s.actions)
	}
	l = *s.Run.Lowering
	s = lowering(4, 6, l, now, now.Add(-5*time.Second))
	if s.LowerToMachines(); len(s.actions) > 0 {
		t.Fatalf("asked for %v after the same read", s.actions)
	}
	s = lowering(5, 6, l, now, now)
	if s.LowerToMachines(); len(s.actions) > 0 {
		t.Fatalf("asked for %v after a read that shows something else", s.actions)
	}
	s = lowering(4, 6, l, now, now)
	if s.LowerToMachines(); len(s.actions) != 1 || s.actions[0].Sizes.Desired != 4 {
		t.Errorf("asked for %v, want a desired size of 4", s.actions)
	}
}

// A machine that shows only once the desired size is lower is kept: the size is set back before
// the group may end any.
func TestLowerKeepsWhatShowsLate(t *testing.T) {
	now := time.Unix(1000, 0)
	l := record.Lowering{Began: now.Add(-9 * time.Second), Stopped: now.Add(-8 * time.Second), SetAt: now.Add(-time.Second)}
	s := lowering(5, 4, l, now, now)
	s.LowerToMachines()
	if len(s.actions) != 1 || s.actions[0].Kind != record.SetSizes || s.actions[0].Sizes.Desired != 5 {
		t.Errorf("asked for %v, want a desired size of 5", s.actions)
	}
	l.Over = true
	s = lowering(5, 4, l, now, now)
	if s.LowerToMachines() || len(s.actions) > 0 {
		t.Errorf("with a machine too many the group may act again: %v", s.actions)
	}
	s = lowering(4, 4, l, now, now)
	if s.LowerToMachines(); len(s.actions) != 1 || s.actions[0].Process != ending {
		t.Errorf("asked for %v, want that the group may end machines again, and nothing else yet", s.actions)
	}
}

// What others lower further stands: it is not raised again, and the group may end what it has more.
func TestLoweredFurtherByOthers(t *testing.T) {
	now := time.Unix(1000, 0)
	l := record.Lowering{Began: now.Add(-9 * time.Second), Stopped: now.Add(-8 * time.Second), SetAt: now.Add(-time.Second), Sizes: world.Sizes{Max: 9, Desired: 4}, By: 2}
	s := lowering(4, 1, l, now, now)
	if s.LowerToMachines(); len(s.actions) > 0 || !s.Run.Lowering.Over {
		t.Fatalf("asked for %v, over %v", s.actions, s.Run.Lowering.Over)
	}
	s = lowering(4, 1, *s.Run.Lowering, now, now)
	if s.LowerToMachines(); len(s.actions) != 1 || s.actions[0].Process != ending {
		t.Errorf("asked for %v, want that the group may end machines again", s.actions)
	}
}

// Where the answer to the lowering was lost, a smaller size counts as ours: a machine that shows late is not left to the group.
func TestLoweredWithoutAnAnswer(t *testing.T) {
	now := time.Unix(1000, 0)
	l := record.Lowering{Began: now.Add(-9 * time.Second), Stopped: now.Add(-8 * time.Second), Sizes: world.Sizes{Max: 9, Desired: 6}, Unsure: 2}
	s := lowering(5, 4, l, now, now)
	if s.LowerToMachines(); !s.Run.Lowering.Over {
		t.Fatalf("%+v", s.Run.Lowering)
	}
	s = lowering(5, 4, *s.Run.Lowering, now, now)
	if s.LowerToMachines(); len(s.actions) > 0 {
		t.Errorf("with a machine too many, which our lowering may have made so, the group may act again: %v", s.actions)
	}
}
