package world

// Marks of Gardener's machine controller that others than Moves read.
const (
	// GardenerPool is the label with the pool of a node, on machine deployments too
	// (gardener/gardener pkg/apis/core/v1beta1/constants, LabelWorkerPool).
	GardenerPool = "worker.gardener.cloud/pool"
	// GardenerSecret is the label with the name of the secret that a node was made with. In pools
	// that are rolled it ends with a hash of what a node is made with, so that nodes with another
	// one are outdated (gardener/gardener pkg/apis/core/v1beta1/constants,
	// LabelWorkerPoolGardenerNodeAgentSecretName).
	GardenerSecret = "worker.gardener.cloud/gardener-node-agent-secret-name"
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
