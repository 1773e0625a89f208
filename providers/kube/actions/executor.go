package actions

import (
	"context"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/actions/routes"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// Executor carries out the actions on nodes and pods. Each takes at most
// transport.RequestTimeout for a request; no request that changes something is repeated
// behind the engine's back. It implements live.Executor and is safe for
// concurrent use.
type Executor struct {
	c      *kube.Client
	routes routes.Lists
}

var _ live.Executor = (*Executor)(nil)

// New returns the executor of a cluster.
func New(c *kube.Client) *Executor { return &Executor{c: c} }

// Do carries out an action and says what came of it, at the cluster's time.
func (e *Executor) Do(ctx context.Context, a record.Action) record.Outcome {
	out := e.do(ctx, a)
	out.Key, out.At = a.Key, e.c.Clock().Now()
	return out
}

func (e *Executor) do(ctx context.Context, a record.Action) record.Outcome {
	switch lacks := a.Lacks(); {
	case a.Place() != record.InCluster:
		return invalid("the Kubernetes API cannot %s", a.Kind)
	case lacks != "":
		return invalid("the action %s lacks the %s", a.Kind, lacks)
	}
	switch a.Kind {
	case record.Evict:
		return e.evict(ctx, a)
	case record.Delete:
		return e.delete(ctx, a)
	case record.LookAtPods:
		return e.readPods(ctx, a)
	case record.LookAtOwner:
		return e.readOwner(ctx, a)
	case record.Scale:
		return e.scale(ctx, a)
	case record.LookAtRoutes:
		return e.lookAtRoutes(ctx, a)
	case record.CheckEffect:
		return e.check(ctx, *a.Of)
	}
	return e.mark(ctx, a)
}

// evict asks for the eviction of exactly this pod: the UID keeps a StatefulSet's
// next pod of the same name safe.
func (e *Executor) evict(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	eviction := &policyv1.Eviction{
		TypeMeta:      metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"},
		ObjectMeta:    metav1.ObjectMeta{Namespace: a.Namespace, Name: a.Pod},
		DeleteOptions: deleteOptions(a),
	}
	// client-go's own Evict waits and tries again, up to ten times, whenever a 429
	// comes with Retry-After; the engine wants to know at once.
	return e.answer(e.c.Urgent().Core.Post().
		Namespace(a.Namespace).Resource("pods").Name(a.Pod).SubResource("eviction").
		Body(eviction).MaxRetries(0).Do(ctx))
}

// delete removes exactly this pod, past its budgets. It takes a force order.
func (e *Executor) delete(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	return e.answer(e.c.Urgent().Core.Delete().
		Namespace(a.Namespace).Resource("pods").Name(a.Pod).
		Body(deleteOptions(a)).MaxRetries(0).Do(ctx))
}

func deleteOptions(a record.Action) *metav1.DeleteOptions {
	uid := types.UID(a.UID)
	return &metav1.DeleteOptions{
		TypeMeta:           metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		GracePeriodSeconds: a.Grace,
		Preconditions:      &metav1.Preconditions{UID: &uid},
	}
}

// answer is what became of a request that changes something.
func (e *Executor) answer(result rest.Result) record.Outcome {
	err := result.Error()
	out := kube.Classify(err)
	if kube.NoCredentials(err) {
		out.Message = e.c.Words(err) // the API's own word is only "Unauthorized"
	}
	return out
}

// check reads directly whether an earlier action happened.
func (e *Executor) check(ctx context.Context, of record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	switch of.Kind {
	case record.LookAtPods, record.LookAtOwner, record.LookAtRoutes:
		return record.Outcome{Verdict: record.Done} // it leaves nothing behind
	case record.Scale:
		return e.checkScale(ctx, of)
	case record.Evict, record.Delete:
		pod, err := e.c.Urgent().Pods(of.Namespace).Get(ctx, of.Pod, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return happened(true)
		case err != nil:
			return e.unread(err, "get", "pods")
		case string(pod.UID) != of.UID:
			return happened(true)
		case of.Kind == record.Delete && of.Grace != nil:
			return happened(pod.DeletionTimestamp != nil && pod.DeletionGracePeriodSeconds != nil && *pod.DeletionGracePeriodSeconds <= *of.Grace)
		}
		return happened(pod.DeletionTimestamp != nil)
	}
	node, err := e.c.Urgent().Nodes().Get(ctx, of.Node, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return happened(true) // there is nothing left that could show it
	case err != nil:
		return e.unread(err, "get", "nodes")
	}
	change, _ := markOf(of, node)
	return happened(change == nil)
}

func happened(yes bool) record.Outcome {
	return record.Outcome{Verdict: record.Done, Happened: yes}
}

// unread is the outcome of a read that failed: nothing has changed, and asking
// again later may help unless the right is missing.
func (e *Executor) unread(err error, verb, resource string) record.Outcome {
	return e.unreadIn(err, verb, "", resource)
}

// unreadIn is the same for a resource of an API group.
func (e *Executor) unreadIn(err error, verb, group, resource string) record.Outcome {
	out := kube.Classify(err)
	out.Verdict = record.Refused
	switch out.Refusal {
	case record.RefusedGone:
	case record.RefusedForbidden:
		out.Message = e.c.Words(kube.Forbidden(err, verb, group, resource, ""))
	default:
		out.Refusal, out.Message = record.RefusedBusy, e.c.Words(err)
	}
	return out
}

func invalid(format string, args ...any) record.Outcome {
	return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedInvalid, Message: fmt.Sprintf(format, args...)}
}
