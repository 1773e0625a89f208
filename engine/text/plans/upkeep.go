package plans

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"time"
)

// ProcessSuspended says what does not happen because a process of the group is suspended, ""
// where that is nothing to a run.
func ProcessSuspended(process string) string {
	without := map[string]string{
		"Launch":            "the group launches no machines, so no new node will come up",
		"Terminate":         "the group ends no machine by itself",
		"HealthCheck":       "the group does not notice machines that fail",
		"ReplaceUnhealthy":  "the group does not replace machines that fail",
		"AddToLoadBalancer": "new machines are not registered with the group's load balancers",
	}[process]
	if without == "" {
		return ""
	}
	return fmt.Sprintf("%s is suspended: %s", process, without)
}

// LifetimeLimited and those below say in a plan what a group does to its machines by itself.
func LifetimeLimited(age time.Duration) string {
	return fmt.Sprintf("the group replaces machines older than %s by itself (MaxInstanceLifetime), without a drain", text.Span(age))
}

const (
	RebalancesCapacity = "the group replaces Spot machines that may soon be taken back (Capacity Rebalancing), without a drain"
	ShiftsZones        = "zonal shift is enabled: while a zone is shifted away from, the group launches in the others only"
)

func MaintenanceBounded(least, most int) string {
	return fmt.Sprintf("the group's instance maintenance policy (%d %% to %d %% healthy) bounds what it replaces by itself", least, most)
}
