package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// markTries is how often a mark is tried when the node changes between the read
// and the patch.
const markTries = 5

// mark puts a taint, cordon, label or annotation on a node or takes it off. The patch holds
// the resource version that was read, so that marks which others put on
// in between are never lost; a conflict is retried a few times.
func (e *Executor) mark(ctx context.Context, a record.Action) record.Outcome {
	var out record.Outcome
	for try := range markTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return out
			case <-time.After(time.Duration(try) * 50 * time.Millisecond):
			}
		}
		out = e.tryMark(ctx, a)
		if out.Refusal != record.RefusedConflict {
			break
		}
	}
	return out
}

func (e *Executor) tryMark(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	node, err := e.c.API().Nodes().Get(ctx, a.Node, metav1.GetOptions{})
	if apierrors.IsNotFound(err) && a.Undoes() {
		return record.Outcome{Verdict: record.Done}
	}
	if err != nil {
		return e.unread(err, "get", "nodes")
	}
	if other := elsewhere(a, node); other != "" {
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedGone, Message: other}
	}
	change, problem := markOf(a, node)
	if problem != "" {
		return invalid("%s", problem)
	}
	if change == nil {
		return record.Outcome{Verdict: record.Done} // it is so already
	}
	meta, _ := change["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		change["metadata"] = meta
	}
	meta["resourceVersion"] = node.ResourceVersion
	meta["uid"] = node.UID
	body, err := json.Marshal(change)
	if err != nil {
		return invalid("cannot write the patch: %v", err)
	}
	out := e.answer(e.c.API().Core.Patch(types.MergePatchType).
		Resource("nodes").Name(a.Node).Body(body).MaxRetries(0).Do(ctx))
	if out.Refusal == record.RefusedForbidden {
		out.Message = (&kube.ForbiddenError{Right: kube.Right{Verb: "patch", Resource: "nodes"}}).Error()
	}
	return out
}

// elsewhere says that the node of this name runs on another machine than the
// action means, "" if it does not (or the cloud has not named the machine yet).
func elsewhere(a record.Action, n *corev1.Node) string {
	if m := objects.MachineOf(n.Labels, n.Spec.ProviderID); a.Machine != "" && m != "" && m != a.Machine {
		return fmt.Sprintf("node %s is now machine %s, not %s", world.Clean(a.Node), m, world.Clean(a.Machine))
	}
	return ""
}

// markOf is the merge patch that puts the mark of an action on a node or takes
// it off, nil where the node is so already. problem says why it cannot be done.
func markOf(a record.Action, n *corev1.Node) (patch map[string]any, problem string) {
	switch a.Kind {
	case record.AddTaint, record.RemoveTaint:
		return taintPatch(a, n)
	case record.Cordon, record.Uncordon:
		if cordon := a.Kind == record.Cordon; cordon != n.Spec.Unschedulable {
			return map[string]any{"spec": map[string]any{"unschedulable": cordon}}, ""
		}
	case record.AddLabel:
		if have, ok := n.Labels[a.Label]; !ok || have != a.Value {
			return metaPatch("labels", a.Label, a.Value), ""
		}
	case record.RemoveLabel:
		// Another value is another user's label by now.
		if have, ok := n.Labels[a.Label]; ok && have == a.Value {
			return metaPatch("labels", a.Label, nil), ""
		}
	case record.Annotate:
		if have, ok := n.Annotations[a.Annotation]; !ok || have != a.Value {
			return metaPatch("annotations", a.Annotation, a.Value), ""
		}
	case record.Unannotate:
		if have, ok := n.Annotations[a.Annotation]; ok && have == a.Value {
			return metaPatch("annotations", a.Annotation, nil), ""
		}
	}
	return nil, ""
}

func metaPatch(what, key string, value any) map[string]any {
	return map[string]any{"metadata": map[string]any{what: map[string]any{key: value}}}
}

// taintPatch gives the whole list of taints: a merge patch replaces it, and the
// resource version makes sure that it is the list that was read.
func taintPatch(a record.Action, n *corev1.Node) (map[string]any, string) {
	want := *a.Taint
	kept := make([]corev1.Taint, 0, len(n.Spec.Taints)+1)
	found := false
	for _, t := range n.Spec.Taints {
		switch {
		case toTaint(t) == want:
			found = true
		case a.Kind == record.AddTaint && t.Key == want.Key && string(t.Effect) == want.Effect:
			return nil, fmt.Sprintf("node %s already has the taint %s with this key and effect", world.Clean(n.Name), toTaint(t))
		default:
			kept = append(kept, t)
		}
	}
	if found == (a.Kind == record.AddTaint) {
		return nil, ""
	}
	if a.Kind == record.AddTaint {
		kept = append(kept, corev1.Taint{Key: want.Key, Value: want.Value, Effect: corev1.TaintEffect(want.Effect)})
	}
	return map[string]any{"spec": map[string]any{"taints": kept}}, ""
}

func toTaint(t corev1.Taint) world.Taint {
	return world.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)}
}
