package world_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// A pod is passed after so many refusals only where that is before the drain's own end.
func TestPastABudget(t *testing.T) {
	l := world.DefaultLimits("")
	if l.Past() != 0 {
		t.Errorf("by default a pod is forced after %s, want never before the drain timeout", l.Past())
	}
	l.EvictRetries = 10
	if l.Past() != 200*time.Second {
		t.Errorf("10 refusals take %s", l.Past())
	}
}

// A machine whose Machine changed is another one, and one that did not is the same pointer,
// also if it was read again.
func TestMachinesOfAPool(t *testing.T) {
	list := func(phase string) []world.Machine {
		return []world.Machine{{ID: "m", Managed: &world.ManagedMachine{Name: "m", Phase: phase, Limits: world.DefaultLimits("")}}}
	}
	w := world.New()
	w.SetMachines(list(world.PhaseRunning))
	m := w.Machine("m")
	if w.SetMachines(list(world.PhaseRunning)); w.Machine("m") != m {
		t.Error("nothing changed, and the machine is another one")
	}
	if w.SetMachines(list(world.PhaseFailed)); w.Machine("m") == m || m.Managed.Phase != world.PhaseRunning {
		t.Error("its phase changed, and the machine is the same")
	}
}

// What a pool and its machines are told to be is clean in the world.
func TestPoolIsCleaned(t *testing.T) {
	const evil, good = "a\x1b[2Jb", "a[2Jb"
	w := world.New()
	p := &world.Pool{Name: evil, Notes: []string{evil}, Deployments: []world.MachineDeployment{{Progress: evil, Failed: []string{evil}}}, Limits: world.MachineLimits{Conditions: []string{evil}}}
	w.SetGroup(world.Group{Pool: p})
	g := &world.ManagedMachine{Description: evil, Limits: world.MachineLimits{Conditions: []string{evil}}}
	w.SetMachines([]world.Machine{{ID: "m", Managed: g}})
	got, m := w.Group.Pool, w.Machine("m").Managed
	if got.Name != good || got.Notes[0] != good || got.Deployments[0].Progress != good || got.Deployments[0].Failed[0] != good || got.Limits.Conditions[0] != good || m.Description != good || m.Limits.Conditions[0] != good {
		t.Errorf("%+v, %+v", got, m)
	}
	if p.Notes[0] != evil || p.Deployments[0].Failed[0] != evil || g.Limits.Conditions[0] != evil {
		t.Error("the caller's own lists were changed")
	}
}
