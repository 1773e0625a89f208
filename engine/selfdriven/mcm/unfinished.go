package mcm

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
)

// succeeded is the state of an operation that is done (LastOperationStateSucceeded).
const succeeded = "Succeeded"

// unfinished lists what shows that Gardener is not done with the pool, by the Shoot and the
// machine deployments as far as they are read: nothing where neither is.
func unfinished(p *world.Pool) (out []world.Unfinished) {
	if p == nil {
		return nil
	}
	add := func(kind world.UnfinishedKind, format string, args ...any) {
		out = append(out, world.Unfinished{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	if p.Unread != "" {
		add(world.UnfinishedUnread, "the Shoot cannot be read: %s", p.Unread)
	}
	if s := p.Progress; s != nil {
		switch {
		case s.Observed < s.Generation:
			add(world.UnfinishedGeneration, "Gardener has not started generation %d of Shoot %s (observed: %d)", s.Generation, p.Shoot, s.Observed)
		case s.State == "":
			add(world.UnfinishedOperation, "Shoot %s has no operation yet", p.Shoot)
		case s.State != succeeded:
			add(world.UnfinishedOperation, "the last operation of Shoot %s, %s, is %s (%d %%)", p.Shoot, s.Operation, s.State, s.Percent)
		}
		if p.Pending {
			add(world.UnfinishedInPlace, "the Shoot lists pool %s as pending an in-place update", p.Name)
		}
		if s.Rollout {
			add(world.UnfinishedRollout, "the Shoot lists pool %s as pending a rollout", p.Name)
		}
	}
	if p.Control && len(p.Deployments) == 0 {
		add(world.UnfinishedDeployment, "namespace %s of the control cluster has no machine deployment of pool %s", p.Namespace, p.Name)
	}
	for i := range p.Deployments {
		if d := &p.Deployments[i]; !d.Complete() {
			add(world.UnfinishedDeployment, "machine deployment %s", missing(d))
		}
	}
	return out
}

// missing says what keeps the machine deployment from being complete.
func missing(d *world.MachineDeployment) string {
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
func Unseen(p *world.Pool) string {
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
