package strategy

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// RollByName are the rules for groups that know nothing of each other: by name, one at a
// time, and an error stops, as it stops make: what made one group fail is likely to make
// the next one fail, too.
func RollByName() roll.Rules {
	return roll.Rules{
		Steps: []roll.Step{{Any: true}},
		About: plans.RollByName,
	}
}

// RoleManaged is that of managed node groups in a roll.
const RoleManaged world.Role = "managed"

// RollManaged are the rules where EKS updates some of the groups: these come last, atOnce of them side by side.
func RollManaged(atOnce int) roll.Rules {
	return roll.Rules{
		Steps: []roll.Step{{Any: true}, {Role: RoleManaged, AtOnce: atOnce, Any: true}},
		About: plans.RollManaged(max(1, atOnce)),
	}
}

// RollKops are kops's rules (pkg/instancegroups/rollingupdate.go, RollingUpdate and
// isExitableError). bastionsAtOnce rolls the groups of bastions side by side, as the code
// does; the documentation has one group at a time.
func RollKops(bastionsAtOnce bool) roll.Rules {
	bastions := roll.Step{Role: world.RoleBastion, Any: true}
	if bastionsAtOnce {
		bastions.AtOnce = 1 << 10
	}
	// A cluster that does not validate will hardly do so after another group, and a machine
	// that cannot be deregistered would be ended while it gets traffic.
	exitable := []record.Result{record.InvalidFail, record.DeregisterFail}
	return roll.Rules{
		Steps: []roll.Step{
			bastions,
			{Role: world.RoleControlPlane, Any: true},
			{Role: world.RoleAPIServer, Stop: exitable},
			{Role: world.RoleNode, Stop: exitable},
		},
		About: plans.RollKops(bastionsAtOnce),
		Fixed: plans.KopsErrorsFixed,
	}
}
