package world

import (
	"slices"
	"time"
)

// Update strategies of a Gardener worker pool (Shoot, spec.provider.workers[].updateStrategy).
const (
	AutoRollingUpdate   = "AutoRollingUpdate"
	AutoInPlaceUpdate   = "AutoInPlaceUpdate"
	ManualInPlaceUpdate = "ManualInPlaceUpdate"
)

// ShootStatus is what a Shoot tells of one of its worker pools.
type ShootStatus struct {
	// Shoot is the Shoot's namespace and name, "" where it is not read.
	Shoot string
	// Pending: its status lists the pool as awaiting an update in place.
	Pending bool
	// Opens and Closes are the next maintenance time window, or the one that is open; Closes
	// is when the last operation starts, 15 minutes before its end. Zero where not known.
	Opens, Closes time.Time
	// WindowFrom is where the window is read: the Shoot, or the ConfigMap of ShootInfo.
	WindowFrom string
	// Info is what the Shoot's own cluster says of its Shoot, nil where the Shoot itself is
	// read, or nobody has asked yet.
	Info *ShootInfo
	// Progress is how far Gardener is with the Shoot, nil where the Shoot is not read.
	Progress *ShootProgress
	// NodeSecret is what the label GardenerSecret is to be on every node of the pool: by the Shoot,
	// else as the newest node has it; "" where it tells nothing. Behind are the nodes with another
	// one.
	NodeSecret string
	Behind     []string
	// Unhashed is why that hash does not tell whether the nodes are up to date although the Shoot
	// is read, "" where it does, or where the pool has none. Disproved: none of the nodes has the
	// Shoot's although Gardener says that it is through. Unmarked are nodes without any.
	Unhashed  string
	Disproved bool
	Unmarked  []string
	// Unread is why the Shoot cannot be read although it is asked for, "" if it can: what is
	// known of it is then old, or nothing.
	Unread string
}

// ShootInfo is what Gardener writes of a Shoot into the Shoot's own cluster: the ConfigMap
// shoot-info in kube-system (gardener/gardener pkg/component/shoot/system, shootInfoData).
type ShootInfo struct {
	// Name and Project are the Shoot's, Version its Kubernetes version, which a pool may
	// differ from.
	Name, Project, Version string
	// Unread is why none of this is known, "" if it is.
	Unread string
}

// Marks of ours in the control cluster, and what a Machine has without them
// (machine-controller-manager pkg/util/provider/machineutils).
const (
	// ForceDeletion is the label of a Machine that has it deleted by force.
	ForceDeletion = "force-deletion"
	// MachinePriority is the annotation of a Machine by which its machine set deletes first
	// what has the lowest; UsualPriority without it.
	MachinePriority = "machinepriority.machine.sapcloud.io"
	UsualPriority   = 3
)

// Phases of a Machine of machine-controller-manager.
const (
	PhaseCreating          = "" // not seen to by the driver yet
	PhaseCrashLoop         = "CrashLoopBackOff"
	PhasePending           = "Pending"
	PhaseAvailable         = "Available"
	PhaseRunning           = "Running"
	PhaseUnknown           = "Unknown"
	PhaseFailed            = "Failed"
	PhaseTerminating       = "Terminating"
	PhaseInPlaceUpdating   = "InPlaceUpdating"
	PhaseInPlaceSuccessful = "InPlaceUpdateSuccessful"
	PhaseInPlaceFailed     = "InPlaceUpdateFailed"
)

const (
	// RetryEvery is how long machine-controller-manager waits between two evictions of a pod
	// that a budget refuses (its pkg/util/provider/drain, PodEvictionRetryInterval).
	RetryEvery = 20 * time.Second
	// SickFor is for how long a node may be not Ready, or its file system read-only, before a
	// drain of it that begins is by force (machine-controller-manager pkg/util/provider/machinecontroller,
	// nodeNotReadyDuration).
	SickFor = 5 * time.Minute
)

// DefaultLimits are those of a machine for which nothing is set: the flags' defaults of
// machine-controller-manager (cmd/machine-controller-manager and pkg/util/provider/app
// options), and what the Shoot's API sets for a pool that is updated in place.
func DefaultLimits(update string) MachineLimits {
	return MachineLimits{
		Drain: gardenerLimit, Health: 10 * time.Minute, Creation: 20 * time.Minute, InPlace: 20 * time.Minute,
		EvictRetries: int(gardenerLimit / RetryEvery), NoHealth: InPlace(update), Guessed: true,
		Conditions: slices.Clone(HealthConditions),
	}
}

// InPlace reports whether an update strategy keeps the machines.
func InPlace(update string) bool { return update == AutoInPlaceUpdate || update == ManualInPlaceUpdate }

// PartOfZone is a zone's part of a number of machines of a pool: the same for all, what is left
// over goes to the zones in turn, from the first on (gardener,
// extensions/pkg/controller/worker/machines.go, DistributeOverZones).
func PartOfZone(n, zone, zones int) int {
	part := n / zones
	if zone < n%zones {
		part++
	}
	return part
}

// Past is how long an eviction that a budget refuses is tried before the pod is deleted past
// the budget; 0 where the drain is over before.
func (l MachineLimits) Past() time.Duration {
	if d := time.Duration(l.EvictRetries) * RetryEvery; d < l.Drain {
		return d
	}
	return 0
}
