package gardener

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// inGarden sets the pace of a pool in its Shoot, or looks up whether it was set.
func (e *Executor) inGarden(ctx context.Context, a record.Action) record.Outcome {
	no := func(why record.Refusal, format string, args ...any) record.Outcome {
		return record.Outcome{Verdict: record.Refused, Refusal: why, Message: fmt.Sprintf(format, args...)}
	}
	of := a
	if a.Kind == record.CheckEffect {
		of = *a.Of
	}
	switch {
	case e.c == nil || e.c.garden == nil:
		return no(record.RefusedInvalid, "requires the %s: %s", gardenCluster, of.Sentence())
	case of.Kind != record.SetPace || of.Pace == nil || of.FromPace == nil || of.Pace.Halts():
		return no(record.RefusedInvalid, "not a change of a Shoot that can be made: %s", of.Sentence())
	}
	k := e.c.shootKind()
	if k.Namespace != of.Namespace || k.Name != of.Object {
		return no(record.RefusedInvalid, "--shoot is %s/%s: %s", k.Namespace, k.Name, of.Sentence())
	}
	list, out := e.c.garden.LookAtCustom(ctx, k)
	switch {
	case out.Verdict != record.Done:
		return out
	case len(list) == 0 && a.Kind == record.CheckEffect:
		out.Happened = true // there is nothing left to set it in
		return out
	case len(list) == 0:
		return no(record.RefusedGone, "there is no Shoot %s/%s", k.Namespace, k.Name)
	}
	i, now := paceIn(list[0].Object, of.Group)
	switch {
	case a.Kind == record.CheckEffect:
		out.Happened = i < 0 || now == *of.Pace
		return out
	case i < 0:
		return no(record.RefusedGone, "Shoot %s/%s has no pool %s", k.Namespace, k.Name, of.Group)
	case now != *of.FromPace:
		return no(record.RefusedConflict, "pool %s has %s, not %s", of.Group, now, of.FromPace)
	}
	patch, err := json.Marshal(pacePatch(i, of))
	if err != nil {
		return no(record.RefusedInvalid, "%s", err)
	}
	return e.c.garden.PatchCustomIf(ctx, k, patch)
}

// paceIn is where a Shoot has a pool, -1 for nowhere, and the pace that it has there.
func paceIn(shoot map[string]any, pool string) (int, world.Pace) {
	for i, w := range entries(shoot, "spec", "provider", "workers") {
		if textAt(w, "name") == pool {
			return i, world.Pace{MaxSurge: share(w, "maxSurge"), MaxUnavailable: share(w, "maxUnavailable")}
		}
	}
	return -1, world.Pace{}
}

// patchStep is a step of a JSON patch.
type patchStep struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// pacePatch sets the pace of the pool at an index, if it is still that pool there and has the
// pace that it is to be changed from.
func pacePatch(i int, a record.Action) []patchStep {
	at := fmt.Sprintf("/spec/provider/workers/%d/", i)
	steps := []patchStep{{"test", at + "name", a.Group}}
	values := []struct{ field, from, to string }{
		{"maxSurge", a.FromPace.MaxSurge, a.Pace.MaxSurge}, {"maxUnavailable", a.FromPace.MaxUnavailable, a.Pace.MaxUnavailable},
	}
	for _, v := range values {
		steps = append(steps, patchStep{"test", at + v.field, amount(v.from)})
	}
	for _, v := range values {
		if v.from != v.to {
			steps = append(steps, patchStep{"replace", at + v.field, amount(v.to)})
		}
	}
	return steps
}

// amount is a number or a percentage as a Shoot has it.
func amount(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return s
}

// PaceRight is what it takes to set the pace of a pool.
func (c *Client) PaceRight() kube.Right {
	k := c.shootKind()
	return kube.Right{Verb: "patch", Group: k.Group, Resource: k.Resource, Namespace: k.Namespace}
}

// MaySetPace checks that right in the garden cluster.
func (c *Client) MaySetPace(ctx context.Context) snapshot.Right {
	right := c.PaceRight()
	out := snapshot.Right{Action: right.String(), Resource: "Shoot " + c.o.Shoot, Verdict: snapshot.RightAllowed}
	missing, err := c.garden.Check(ctx, []kube.Right{right})
	switch {
	case err != nil:
		out.Verdict, out.Message = snapshot.RightUnchecked, err.Error()
	case len(missing) > 0:
		out.Verdict, out.Message = snapshot.RightDenied, "give this user a Role in namespace "+right.Namespace+" of the "+gardenCluster+" with the rule "+right.Rule()
	}
	return out
}
