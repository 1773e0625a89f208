package strategy

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase of DEFAULT will do, for whoever is to approve it.
func (EKS) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case scaleUp:
		more := Raise(len(w.Group.Zones), r.Limit)
		return fmt.Sprintf("the group gets %d more machines, desired %d → %d; once every zone has a new node and all of them are Ready, the outdated nodes are tainted",
			more, w.Group.Sizes.Desired, w.Group.Sizes.Desired+more)
	case scaleDown:
		return "the machines that are too many are ended, emptiest first, until the group has its size again"
	}
	return doesUpgrade(phase, r)
}

// Does says what a phase of MINIMAL will do, for whoever is to approve it.
func (EKSMinimal) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case cordon:
		return "every outdated node is cordoned: what is evicted moves to new nodes only"
	case finish:
		return "waits until the last replacements are Ready, and lets the group's processes act again"
	}
	return doesUpgrade(phase, r)
}

func doesUpgrade(phase string, r *record.Run) string {
	if phase != upgrade {
		return ""
	}
	return fmt.Sprintf("the nodes are drained and their machines ended, up to %d at once, with no further question", r.Limit)
}
