package gardener

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// Executor carries out what a run asks of the control cluster: that a machine deployment
// pauses or continues, that a Machine is deleted by force, earlier or later. Each is a small merge
// patch, and the same one twice does no harm. In the garden cluster it sets the pace of a pool
// (pace.go). It implements live.Executor and is safe for
// concurrent use.
type Executor struct {
	c   *Client // nil without a control and a garden cluster
	now func() time.Time
}

// Executor returns the executor of both clusters. c may be nil: then it can do nothing. now
// is the cluster's time, nil for time.Now.
func (c *Client) Executor(now func() time.Time) *Executor {
	if now == nil {
		now = time.Now
	}
	return &Executor{c, now}
}

// Do carries out an action and says what came of it.
func (e *Executor) Do(ctx context.Context, a record.Action) record.Outcome {
	out := e.do(ctx, a)
	out.Key, out.At = a.Key, e.now()
	return out
}

func (e *Executor) do(ctx context.Context, a record.Action) record.Outcome {
	if a.Place() == record.InGardenCluster {
		return e.inGarden(ctx, a)
	}
	if e.c == nil || e.c.control == nil || a.Place() != record.InControlCluster {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: fmt.Sprintf("requires the control cluster: %s", a.Sentence())}
	}
	if a.Kind == record.CheckEffect {
		return e.check(ctx, *a.Of)
	}
	patch, err := json.Marshal(patchOf(a))
	if err != nil {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: err.Error()}
	}
	return e.c.control.PatchCustom(ctx, e.object(a), patch)
}

// object is what an action changes.
func (e *Executor) object(a record.Action) kube.Kind {
	k := e.c.kind(machines)
	if a.Kind == record.HoldRoll || a.Kind == record.LetRoll {
		k = e.c.kind(deployments)
	}
	k.Name = a.Object
	return k
}

// patchOf is the merge patch that an action comes to.
func patchOf(a record.Action) map[string]any {
	meta := func(what, key, value string) map[string]any {
		return map[string]any{"metadata": map[string]any{what: map[string]any{key: value}}}
	}
	switch a.Kind {
	case record.ForceMachine:
		return meta("labels", world.ForceDeletion, "true")
	case record.Prioritize:
		return meta("annotations", world.MachinePriority, strconv.Itoa(a.Priority))
	}
	return map[string]any{"spec": map[string]any{"paused": a.Kind == record.HoldRoll}}
}

// check reads directly whether an earlier action happened. One whose object has gone needs
// no doing any more.
func (e *Executor) check(ctx context.Context, of record.Action) record.Outcome {
	list, out := e.c.control.LookAtCustom(ctx, e.object(of))
	if out.Verdict == record.Done {
		out.Happened = len(list) == 0 || is(of, &list[0])
	}
	return out
}

// is reports whether an object is as an action would have it.
func is(a record.Action, u *unstructured.Unstructured) bool {
	switch a.Kind {
	case record.ForceMachine:
		return toMachine(u).is.Forced
	case record.Prioritize:
		return toMachine(u).is.Priority == a.Priority
	}
	return truth(u.Object, "spec", "paused") == (a.Kind == record.HoldRoll)
}

// WriteRights are what a run needs in the control cluster to hold machine deployments and to
// order and force Machines.
func (c *Client) WriteRights() (rights []kube.Right) {
	for _, resource := range []string{deployments, machines} {
		k := c.kind(resource)
		rights = append(rights, kube.Right{Verb: "patch", Group: k.Group, Resource: k.Resource, Namespace: k.Namespace})
	}
	return rights
}
