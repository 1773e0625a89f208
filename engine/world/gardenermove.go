package world

// Marks of Gardener's machine controller that others than Moves read.
const (
	// GardenerPool is the label with the pool of a node, on machine deployments too
	// (gardener/gardener pkg/apis/core/v1beta1/constants, LabelWorkerPool).
	GardenerPool = "worker.gardener.cloud/pool"
	// GardenerInPlace is the condition that tells how far an update in place is; its reasons
	// follow (machine-controller-manager pkg/apis/machine/v1alpha1, NodeInPlaceUpdate).
	GardenerInPlace = "InPlaceUpdate"
	// GardenerSelected: it is drained; GardenerDrained: that is over; GardenerReady: it is
	// updated; GardenerFailed: that failed.
	GardenerSelected = "SelectedForUpdate"
	GardenerDrained  = "DrainSuccessful"
	GardenerReady    = "ReadyForUpdate"
	GardenerFailed   = "UpdateFailed"
)

// Terminating is the condition by which Gardener says that it ends the machine of a node,
// the zero one without it. It is put when the end begins.
func (n *Node) Terminating() Condition { return n.Condition(gardenerEnds) }
