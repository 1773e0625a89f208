package world

// ShootProgress is how far Gardener is with a Shoot, as the Shoot's metadata and status tell
// (gardener/gardener pkg/apis/core/v1beta1/types_shoot.go, ShootStatus). At the start of an
// operation Gardener writes the observed generation and the operation, Processing, in one
// update of the status (pkg/gardenlet/controller/shoot/shoot/reconciler.go).
type ShootProgress struct {
	// Generation is that of the spec, Observed the one that the last operation is for.
	Generation, Observed int64
	// Operation is the type of the last operation (Reconcile), State where it stands
	// (Processing, Succeeded, ...), Percent how far it is; "" before the first one.
	Operation, State string
	Percent          int
	// Rollout: the pool is listed as pending a rollout that was asked for with
	// rollout-workers (status.manualWorkerPoolRollout.pendingWorkersRollouts).
	Rollout bool
	// Confined: the spec's changes wait for the maintenance time window. Such a change does
	// not raise the generation before (confineSpecUpdateRollout; gardener/gardener
	// pkg/apiserver/registry/core/shoot/strategy.go, mustIncreaseGenerationForSpecChanges), so
	// nothing here tells of it.
	Confined bool
}

// UnfinishedKind is what of a controller's work on a group is not done.
type UnfinishedKind string

// Kinds of unfinished work.
const (
	UnfinishedUnread     UnfinishedKind = "shoot-unread"       // the Shoot cannot be read, so nobody knows
	UnfinishedGeneration UnfinishedKind = "generation"         // not started for the Shoot's current generation
	UnfinishedOperation  UnfinishedKind = "operation"          // the Shoot's last operation has not succeeded
	UnfinishedInPlace    UnfinishedKind = "in-place-pending"   // the pool is listed as pending an in-place update
	UnfinishedRollout    UnfinishedKind = "rollout-pending"    // the pool is listed as pending a rollout
	UnfinishedDeployment UnfinishedKind = "machine-deployment" // a machine deployment is not complete
	UnfinishedHash       UnfinishedKind = "node-hash"          // nodes carry another hash than is asked for
	UnfinishedUnseen     UnfinishedKind = "unseen"             // nothing that is read can prove it done
)

// Unfinished is one sign that a controller is not done with a group.
type Unfinished struct {
	Kind UnfinishedKind
	// Text is a clause for people, without a period.
	Text string
}
