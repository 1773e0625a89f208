package strategy

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase of DEFAULT will do, for the user who approves it.
func (e EKS) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case scaleUp:
		more := e.Extra(w, r)
		return systems.EKSScalesUp(w.Group.Sizes.Desired, w.Group.Sizes.Desired+more, e.SurgeReason(w, r))
	case scaleDown:
		return systems.EKSScalesDown
	}
	return doesUpgrade(phase, r)
}

// Does says what a phase of MINIMAL will do, for the user who approves it.
func (EKSMinimal) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case cordon:
		return systems.EKSCordons
	case finish:
		return systems.EKSFinishes
	}
	return doesUpgrade(phase, r)
}

func doesUpgrade(phase string, r *record.Run) string {
	if phase != upgrade {
		return ""
	}
	return systems.EKSUpgrades(r.Limit)
}
