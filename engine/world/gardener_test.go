package world_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// The step of a machine's end is read from the description of its last operation, and why
// that failed with it.
func TestEndingOfAMachine(t *testing.T) {
	for _, tt := range []struct {
		description, step string
		drained           bool
		trouble           string
	}{
		{"", "", false, ""},
		{"Set machine status to termination. Now, getting VM Status", "its machine is looked up", false, ""},
		{"Initiate node drain", "it is drained", false, ""},
		{"Drain failed due to - pod disruption budget shop/web is misconfigured. Will retry in next sync. Initiate node drain", "it is drained", false, "pod disruption budget shop/web is misconfigured"},
		{"Drain successful. Delete Volume Attachments", "its volumes are detached", true, ""},
		{"Force Drain successful. Initiate VM deletion", "its machine is ended", true, ""},
		{"Drain failed due to - x. However, since it's a force deletion shall continue deletion of VM. Initiate VM deletion", "its machine is ended", true, "x"},
		{"VM deletion failed due to - quota. Aborting operation. Initiate VM deletion", "its machine is ended", true, "quota"},
		{"VM deletion was successful. Initiate node object deletion", "its Node is deleted", true, ""},
		{`Deletion of Node Object "n" is successful. Initiate machine object finalizer removal`, "its Machine goes", true, ""},
	} {
		g := &world.GardenerMachine{Description: tt.description}
		step, drained := g.Ending()
		if step != tt.step || drained != tt.drained || g.Trouble() != tt.trouble {
			t.Errorf("%q: %q, drained %t, %q", tt.description, step, drained, g.Trouble())
		}
	}
}

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
// also if it was read anew.
func TestMachinesOfAPool(t *testing.T) {
	list := func(phase string) []world.Machine {
		return []world.Machine{{ID: "m", Gardener: &world.GardenerMachine{Name: "m", Phase: phase, Limits: world.DefaultLimits("")}}}
	}
	w := world.New()
	w.SetMachines(list(world.PhaseRunning))
	m := w.Machine("m")
	if w.SetMachines(list(world.PhaseRunning)); w.Machine("m") != m {
		t.Error("nothing changed, and the machine is another one")
	}
	if w.SetMachines(list(world.PhaseFailed)); w.Machine("m") == m || m.Gardener.Phase != world.PhaseRunning {
		t.Error("its phase changed, and the machine is the same")
	}
}

// What a pool and its machines are told to be is clean in the world.
func TestPoolIsCleaned(t *testing.T) {
	const evil, good = "a\x1b[2Jb", "a[2Jb"
	w := world.New()
	p := &world.Pool{Name: evil, Notes: []string{evil}, Deployments: []world.MachineDeployment{{Progress: evil, Failed: []string{evil}}}, Limits: world.MachineLimits{Conditions: []string{evil}}}
	w.SetGroup(world.Group{Pool: p})
	g := &world.GardenerMachine{Description: evil, Limits: world.MachineLimits{Conditions: []string{evil}}}
	w.SetMachines([]world.Machine{{ID: "m", Gardener: g}})
	got, m := w.Group.Pool, w.Machine("m").Gardener
	if got.Name != good || got.Notes[0] != good || got.Deployments[0].Progress != good || got.Deployments[0].Failed[0] != good || got.Limits.Conditions[0] != good || m.Description != good || m.Limits.Conditions[0] != good {
		t.Errorf("%+v, %+v", got, m)
	}
	if p.Notes[0] != evil || p.Deployments[0].Failed[0] != evil || g.Limits.Conditions[0] != evil {
		t.Error("the caller's own lists were changed")
	}
}
