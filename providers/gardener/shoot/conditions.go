package shoot

import "slices"

// Condition is a condition or constraint of a Shoot that may stall a roll of its pools while it is
// not True.
type Condition struct {
	// Type is the name that Gardener gives it (gardener/gardener
	// pkg/apis/core/v1beta1/types_shoot.go), Constraint whether it is in status.constraints.
	Type       string
	Constraint bool
	// Means says in a clause what that is to a roll, "" where its message says it.
	Means string
}

// Conditions are those that are told. The others are about other things: live migration, metrics.
func Conditions() []Condition { return slices.Clone(conditions) }

var conditions = []Condition{
	{"EveryNodeReady", false, ""},
	{"APIServerAvailable", false, "machine-controller-manager stops while the Shoot's API server does not answer"},
	{"ControlPlaneHealthy", false, "machine-controller-manager runs in the control plane: it may not work"},
	{"SystemComponentsHealthy", false, "new nodes take no pods before the system components on them are ready"},
	{"MaintenancePreconditionsSatisfied", true, "a webhook may keep new nodes from joining, or pods from being evicted and started"},
	{hibernationPossible, true, "a webhook may keep nodes from joining when the Shoot wakes up"},
	{"CACertificateValiditiesAcceptable", true, "a CA expires within a year: when it has, no node joins"},
	{"CRDsWithProblematicConversionWebhooks", true, "Gardener may not be able to reconcile the Shoot"},
	{"HasIgnoredManagedResources", true, "Gardener does not reconcile parts of the Shoot"},
	{"ManualInPlaceWorkersUpdated", true, ""},
	{"PreservedFailedMachinesAbsent", true, ""},
}

// hibernationPossible is checked by the same webhooks as MaintenancePreconditionsSatisfied
// (gardener/gardener pkg/gardenlet/controller/shoot/care/constraints.go,
// CheckForProblematicWebhooks), and told only where that does not say the same.
const hibernationPossible = "HibernationPossible"

// stalls are the conditions and constraints that may stall a roll now, a sentence each.
func (s status) stalls() (out []string) {
	said := map[string]bool{}
	for _, c := range conditions {
		list := s.Conditions
		if c.Constraint {
			list = s.Constraints
		}
		for _, is := range list {
			if is.Type != c.Type || is.Status == "True" || is.Status == "" || c.Type == hibernationPossible && said[is.Message] {
				continue
			}
			said[is.Message] = true
			text := is.Type + " is " + is.Status
			if is.Reason != "" {
				text += " (" + is.Reason + ")"
			}
			if c.Means != "" {
				text += ", " + c.Means
			}
			out = append(out, text+": "+is.Message)
		}
	}
	return out
}
