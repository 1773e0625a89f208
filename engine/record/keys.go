package record

// RaiseKey is the key of the action that raises the group.
const RaiseKey = "raise"

// PaceKey is the key of the action that sets the pace of a group's own controller, and
// RestorePaceKey of the one that restores it.
const (
	PaceKey        = "pace"
	RestorePaceKey = "restore-pace"
)

// RestoreMaxKey is the key of the action that gives the group its maximum size back.
const RestoreMaxKey = "restore-max"

// LowerKey is the key of the action that sets the desired size to the machines that there are,
// and KeepKey of the one that sets it back where there are more.
const (
	LowerKey = "lower"
	KeepKey  = "keep"
)

// RestoreTemplate is the key of the action that gives the group its template back.
const RestoreTemplate = "restore-template"

// DeferralKey names a yield: the machine, and who takes it out of service.
func DeferralKey(machine, who string) string { return machine + "/" + who }

func DetachKey(machine string) string { return "detach/" + machine }

func EvictKey(uid string) string { return "evict/" + uid }

func DeleteKey(uid string) string { return "delete/" + uid }

func HookKey(phase HookPhase, machine string) string { return "hook/" + string(phase) + "/" + machine }

func BalancersKey(machine string) string { return "balancers/" + machine }

func RoutesKey(machine string) string { return "routes/" + machine }

func DeregisterKey(machine string) string { return "deregister/" + machine }

// ExcludeLabel takes a node out of the load balancers that Kubernetes' service
// controller keeps (k8s.io/api/core/v1 LabelNodeExcludeBalancers).
const ExcludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers"
