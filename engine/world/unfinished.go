package world

import (
	"fmt"
	"strings"
)

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

// succeeded is the state of an operation that is done (LastOperationStateSucceeded).
const succeeded = "Succeeded"

// UnfinishedKind is what of Gardener's work on a pool is not done.
type UnfinishedKind string

// Kinds of unfinished work.
const (
	UnfinishedUnread     UnfinishedKind = "shoot-unread"       // the Shoot cannot be read, so nobody knows
	UnfinishedGeneration UnfinishedKind = "generation"         // not started for the Shoot's current generation
	UnfinishedOperation  UnfinishedKind = "operation"          // the Shoot's last operation has not succeeded
	UnfinishedInPlace    UnfinishedKind = "in-place-pending"   // the pool is listed as pending an in-place update
	UnfinishedRollout    UnfinishedKind = "rollout-pending"    // the pool is listed as pending a rollout
	UnfinishedDeployment UnfinishedKind = "machine-deployment" // a machine deployment is not complete
)

// Unfinished is one sign that Gardener is not done with a pool.
type Unfinished struct {
	Kind UnfinishedKind
	// Text is a clause for people, without a period.
	Text string
}

// Unfinished lists what shows that Gardener is not done with the pool, by the Shoot and the
// machine deployments as far as they are read: nothing where neither is.
func (p *Pool) Unfinished() (out []Unfinished) {
	if p == nil {
		return nil
	}
	add := func(kind UnfinishedKind, format string, args ...any) {
		out = append(out, Unfinished{kind, fmt.Sprintf(format, args...)})
	}
	if p.Unread != "" {
		add(UnfinishedUnread, "the Shoot cannot be read: %s", p.Unread)
	}
	if s := p.Progress; s != nil {
		switch {
		case s.Observed < s.Generation:
			add(UnfinishedGeneration, "Gardener has not started generation %d of Shoot %s (observed: %d)", s.Generation, p.Shoot, s.Observed)
		case s.State == "":
			add(UnfinishedOperation, "Shoot %s has no operation yet", p.Shoot)
		case s.State != succeeded:
			add(UnfinishedOperation, "the last operation of Shoot %s, %s, is %s (%d %%)", p.Shoot, s.Operation, s.State, s.Percent)
		}
		if p.Pending {
			add(UnfinishedInPlace, "the Shoot lists pool %s as pending an in-place update", p.Name)
		}
		if s.Rollout {
			add(UnfinishedRollout, "the Shoot lists pool %s as pending a rollout", p.Name)
		}
	}
	if p.Control && len(p.Deployments) == 0 {
		add(UnfinishedDeployment, "namespace %s of the control cluster has no machine deployment of pool %s", p.Namespace, p.Name)
	}
	for i := range p.Deployments {
		if d := &p.Deployments[i]; !d.Complete() {
			add(UnfinishedDeployment, "machine deployment %s", d.missing())
		}
	}
	return out
}

// missing says what keeps the machine deployment from being complete.
func (d *MachineDeployment) missing() string {
	text := fmt.Sprintf("%s has %d of %d machines updated, %d available, %d in total", d.Name, d.Updated, d.Desired, d.Available, d.Total)
	var also []string
	if d.Observed < d.Generation {
		also = append(also, fmt.Sprintf("its generation %d is not observed yet", d.Generation))
	}
	if d.Paused {
		also = append(also, "it is paused")
	}
	if d.Frozen {
		also = append(also, "it is frozen")
	}
	if len(also) > 0 {
		text += " (" + strings.Join(also, ", ") + ")"
	}
	return text
}

// Unseen says which update of the pool could be due without any sign of it here, "" for none.
func (p *Pool) Unseen() string {
	switch {
	case p == nil:
		return ""
	case p.Progress == nil && !p.Control:
		return "neither the Shoot (--garden-kubeconfig, --shoot) nor the control cluster (--control-kubeconfig, --control-namespace) is read: an update that Gardener has not started cannot be seen"
	case p.Progress == nil:
		return "the Shoot is not read (--garden-kubeconfig, --shoot): a change that has not reached the machine deployments cannot be seen"
	case p.Progress.Confined:
		return "the Shoot's changes wait for its maintenance time window (confineSpecUpdateRollout): a change that waits for it cannot be seen"
	}
	return ""
}
