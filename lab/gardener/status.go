package gardener

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	machineapi "github.com/gardener/machine-controller-manager/pkg/apis/machine/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// complete reports whether all machines of a machine deployment are as it says, and there, or
// preserved though they failed (Gardener's waitUntilWantedMachineDeploymentsAvailable).
func complete(d *machineapi.MachineDeployment) bool {
	want := d.Spec.Replicas
	return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == want && d.Status.Replicas == want &&
		d.Status.AvailableReplicas <= want && want-d.Status.AvailableReplicas <= d.Status.PreservedFailedReplicas
}

// report writes the Shoot's status, if it changed.
func (g *gardenlet) report(ctx context.Context, shoot *shootObject) error {
	list, err := g.shoot.machines.MachineDeployments(g.shoot.ControlNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	status := shootStatus{TechnicalID: g.shoot.ControlNamespace, ObservedGeneration: max(g.generation, g.kept), Gardener: shootGardener{ID: "lab", Name: "gardenlet", Version: gardenerVersion}}
	done, all, waits := 0, 0, []string{}
	inPlace := shootInPlaceStatus{}
	for _, w := range shoot.Spec.Provider.Workers {
		finished := true
		for i := range list.Items {
			d := &list.Items[i]
			if d.Labels[poolLabel] != w.Name {
				continue
			}
			all++
			if complete(d) {
				done++
				continue
			}
			finished = false
			// Nobody waits for updates by hand.
			if w.UpdateStrategy == ManualInPlaceUpdate && g.settled[w.Name] != "" && d.Status.ObservedGeneration >= d.Generation {
				done++
				continue
			}
			waits = append(waits, fmt.Sprintf("%s wants %d machines, has %d: %d updated, %d available", d.Name, d.Spec.Replicas, d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.AvailableReplicas))
		}
		if finished {
			g.settled[w.Name] = g.hashes[w.Name]
			delete(g.rollouts, w.Name)
		}
		if before := g.settled[w.Name]; before == "" || before == g.hashes[w.Name] {
			continue
		}
		switch w.UpdateStrategy {
		case AutoInPlaceUpdate:
			inPlace.Pending.Auto = append(inPlace.Pending.Auto, w.Name)
		case ManualInPlaceUpdate:
			inPlace.Pending.Manual = append(inPlace.Pending.Manual, w.Name)
		}
	}
	if len(inPlace.Pending.Auto)+len(inPlace.Pending.Manual) > 0 {
		status.InPlaceUpdates = &inPlace
	} else if shoot.Annotations[operationKey] == forceUpdate {
		if err := g.take(ctx, shoot, forceUpdate); err != nil {
			return err
		}
	}
	if len(g.rollouts) > 0 {
		status.Rollout = &shootRollout{}
		for _, name := range slices.Sorted(maps.Keys(g.rollouts)) {
			status.Rollout.Pending = append(status.Rollout.Pending, shootRolloutOfPool{name, g.rollouts[name]})
		}
	}
	status.LastOperation = g.lastOperation(done, all, waits)
	if status.LastOperation.State == "Error" {
		status.LastErrors = []shootError{{Description: status.LastOperation.Description}}
	}
	if pending := inPlace.Pending.Manual; len(pending) > 0 {
		status.Constraints = []shootCondition{{
			Type: "ManualInPlaceWorkersUpdated", Status: "False", Reason: "WorkerPoolsWithManualInPlaceUpdateStrategyPending",
			Message: "Some worker pools in your Shoot with update strategy ManualInPlaceUpdate are pending update: " + strings.Join(pending, ", "),
		}}
	}
	if told := g.shoot.troubles.Load(); told != nil {
		status.Constraints = append(status.Constraints, *told...)
	}
	status.Conditions = []shootCondition{everyNodeReady(waits)}
	return g.write(ctx, shoot, status)
}

// lastOperation is how far the reconciliation is.
func (g *gardenlet) lastOperation(done, all int, waits []string) *shootOperation {
	o := &shootOperation{Type: g.operation, State: "Processing", Description: "Waiting until shoot worker nodes have been reconciled", Progress: 80}
	if all > 0 {
		o.Progress += 19 * done / all
	}
	switch limit := g.shoot.options.Times.Wait; {
	case len(waits) == 0:
		o.State, o.Progress, o.Description = "Succeeded", 100, "Shoot cluster has been successfully reconciled."
	case time.Since(g.began) > limit+10*time.Second: // it is tried again
		g.began = time.Now()
	case time.Since(g.began) > limit:
		o.State = "Error"
		o.Description = fmt.Sprintf("failed while waiting for all machine deployments to be ready: retry failed with context deadline exceeded, last error: %s", strings.Join(waits, "; "))
	}
	return o
}

// everyNodeReady is what a Shoot says of its nodes.
func everyNodeReady(waits []string) shootCondition {
	c := shootCondition{Type: "EveryNodeReady", Status: "True", Reason: "EveryNodeReady", Message: "All nodes are ready."}
	if len(waits) > 0 {
		c.Status, c.Reason = "Progressing", "NodesRollOutScalingUp"
		c.Message = "machine rollout or scale-up in progress: " + strings.Join(waits, "; ")
	}
	return c
}

// write writes a status, with the times of what changed, unless it is as it was.
func (g *gardenlet) write(ctx context.Context, shoot *shootObject, status shootStatus) error {
	bare, err := json.Marshal(status)
	if err != nil || string(bare) == g.wrote {
		return err
	}
	now := metav1.Now()
	status.LastOperation.LastUpdateTime = now
	for i := range status.LastErrors {
		status.LastErrors[i].LastUpdateTime = now
	}
	for _, conditions := range [][]shootCondition{status.Conditions, status.Constraints} {
		for i := range conditions {
			c := &conditions[i]
			c.LastTransitionTime, c.LastUpdateTime = now, now
			for _, old := range slices.Concat(shoot.Status.Conditions, shoot.Status.Constraints) {
				if old.Type == c.Type && old.Status == c.Status {
					c.LastTransitionTime = old.LastTransitionTime
				}
			}
		}
	}
	if err := g.shoot.patch(ctx, map[string]any{"status": status}, "status"); err != nil {
		return err
	}
	g.wrote = string(bare)
	return g.removeClasses(ctx)
}
