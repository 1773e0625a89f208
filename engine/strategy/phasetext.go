package strategy

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase of DEFAULT will do, for the user who approves it.
func (e EKS) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case scaleUp:
		more := e.Extra(w, r)
		return text.EKSScalesUp(w.Group.Sizes.Desired, w.Group.Sizes.Desired+more)
	case scaleDown:
		return text.EKSScalesDown
	}
	return doesUpgrade(phase, r)
}

// Does says what a phase of MINIMAL will do, for the user who approves it.
func (EKSMinimal) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case cordon:
		return text.EKSCordons
	case finish:
		return text.EKSFinishes
	}
	return doesUpgrade(phase, r)
}

func doesUpgrade(phase string, r *record.Run) string {
	if phase != upgrade {
		return ""
	}
	return text.EKSUpgrades(r.Limit)
}
