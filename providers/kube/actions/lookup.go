package actions

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/objects"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// podPage is how many pods one read asks for, as kubectl does.
const podPage = 500

// readPods reads what is on a node, past every cache: without a resource version
// the API answers with what is true at that moment. The node is read before its
// pods: if it was cordoned at the first read, no pod can have been placed on it
// by the scheduler after the second.
//
// A node that is gone takes no pods, but its kubelet may still run some; a machine
// that has not joined, which the action tells by naming no node, has none.
func (e *Executor) readPods(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	if a.Node == "" {
		return e.lookForNode(ctx, a)
	}
	node, err := e.c.Urgent().Nodes().Get(ctx, a.Node, metav1.GetOptions{})
	out := record.Outcome{Verdict: record.Done, Unschedulable: true}
	if err == nil {
		if other := elsewhere(a, node); other != "" {
			return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: other}
		}
		out.Unschedulable = node.Spec.Unschedulable
	} else if !apierrors.IsNotFound(err) {
		return e.unread(err, "get", "nodes")
	}
	options := metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("spec.nodeName", a.Node).String(),
		Limit:         podPage,
	}
	for {
		page, err := e.c.API().Pods(metav1.NamespaceAll).List(ctx, options)
		if err != nil {
			return e.unread(err, "list", "pods")
		}
		for i := range page.Items {
			out.Pods = append(out.Pods, objects.ToPod(&page.Items[i]))
		}
		if page.Continue == "" {
			return out
		}
		options.Continue = page.Continue
	}
}

// lookForNode makes sure that a machine has no node.
func (e *Executor) lookForNode(ctx context.Context, a record.Action) record.Outcome {
	joined, err := e.c.Machines(ctx)
	switch {
	case err != nil:
		return e.unread(err, "list", "nodes")
	case joined[a.Machine]:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: world.Clean(a.Machine) + " has joined the cluster"}
	}
	return record.Outcome{Verdict: record.Done, Unschedulable: true}
}

// lookAtRoutes reads what routes to a node.
func (e *Executor) lookAtRoutes(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	to, unread, err := e.routes.To(ctx, e.c.API().Core, a.Node)
	if err != nil {
		return e.unreadIn(err, "list", unread.Group, unread.Resource)
	}
	return record.Outcome{Verdict: record.Done, Routes: to}
}
