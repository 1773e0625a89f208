package mcm

import (
	"testing"

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
		{"Set machine status to termination. Now, getting VM Status", "its VM is looked up", false, ""},
		{"Initiate node drain", "it is drained", false, ""},
		{"Drain failed due to - pod disruption budget shop/web is misconfigured. Will retry in next sync. Initiate node drain", "it is drained", false, "pod disruption budget shop/web is misconfigured"},
		{"Drain successful. Delete Volume Attachments", "its volumes are detached", true, ""},
		{"Force Drain successful. Initiate VM deletion", "its VM is deleted", true, ""},
		{"Drain failed due to - x. However, since it's a force deletion shall continue deletion of VM. Initiate VM deletion", "its VM is deleted", true, "x"},
		{"VM deletion failed due to - quota. Aborting operation. Initiate VM deletion", "its VM is deleted", true, "quota"},
		{"VM deletion was successful. Initiate node object deletion", "its Node is deleted", true, ""},
		{`Deletion of Node Object "n" is successful. Initiate machine object finalizer removal`, "its Machine object is removed", true, ""},
	} {
		g := &world.ManagedMachine{Description: tt.description}
		step, drained := Ending(g)
		if step != tt.step || drained != tt.drained || Trouble(g) != tt.trouble {
			t.Errorf("%q: %q, drained %t, %q", tt.description, step, drained, Trouble(g))
		}
	}
}
