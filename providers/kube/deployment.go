package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// What is read and scaled of a Deployment of one replica.
var (
	replicaSets = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	autoscalers = schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
)

// readOwner reads the Deployment behind a pod, and what else decides on its replicas.
func (e *Executor) readOwner(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	pod, err := e.c.urgent.pods(a.Namespace).Get(ctx, a.Pod, metav1.GetOptions{})
	if err != nil {
		return e.unread(err, "get", "pods")
	}
	none := record.Outcome{Verdict: record.Done}
	owner := metav1.GetControllerOf(pod)
	if string(pod.UID) != a.UID || owner == nil || owner.Kind != "ReplicaSet" {
		return none
	}
	set, err := e.c.custom.Resource(replicaSets).Namespace(a.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		return e.unreadIn(err, "get", "apps", "replicasets")
	}
	if owner = metav1.GetControllerOf(set); owner == nil || owner.Kind != "Deployment" {
		return none
	}
	found, err := e.c.custom.Resource(deployments).Namespace(a.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		return e.unreadIn(err, "get", "apps", "deployments")
	}
	d := world.Deployment{Name: found.GetName(), UID: string(found.GetUID()), Replicas: 1, Holder: gitHolder(found)}
	if n, set, _ := unstructured.NestedInt64(found.Object, "spec", "replicas"); set {
		d.Replicas = int(n)
	}
	how, _, _ := unstructured.NestedString(found.Object, "spec", "strategy", "type")
	d.Recreate = how == "Recreate"
	scalers, err := e.c.custom.Resource(autoscalers).Namespace(a.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return e.unreadIn(err, "list", "autoscaling", "horizontalpodautoscalers")
	}
	for _, h := range scalers.Items {
		kind, _, _ := unstructured.NestedString(h.Object, "spec", "scaleTargetRef", "kind")
		name, _, _ := unstructured.NestedString(h.Object, "spec", "scaleTargetRef", "name")
		if kind == "Deployment" && name == d.Name {
			d.Holder = "HorizontalPodAutoscaler " + h.GetName()
		}
	}
	return record.Outcome{Verdict: record.Done, Deployment: d.Clean()}
}

// The marks by which tools that apply what is in a repository are known: labels and annotations (their docs on tracking
// resources), and the names by which their controllers write fields.
var (
	gitLabels = []struct{ prefix, tool string }{
		{"argocd.argoproj.io/", "Argo CD"}, {"kustomize.toolkit.fluxcd.io/", "Flux"}, {"helm.toolkit.fluxcd.io/", "Flux"}, {"fluxcd.io/", "Flux"},
	}
	gitManagers = map[string]string{
		"argocd-controller": "Argo CD", "argocd-application-controller": "Argo CD", "kustomize-controller": "Flux", "helm-controller": "Flux", "flux": "Flux",
	}
)

// gitHolder is the tool that keeps an object as it is in a repository, "" where nothing shows one.
func gitHolder(o metav1.Object) string {
	for _, marks := range []map[string]string{o.GetLabels(), o.GetAnnotations()} {
		for key := range marks {
			for _, l := range gitLabels {
				if strings.HasPrefix(key, l.prefix) {
					return l.tool
				}
			}
		}
	}
	if i := slices.IndexFunc(o.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return gitManagers[f.Manager] != "" }); i >= 0 {
		return gitManagers[o.GetManagedFields()[i].Manager]
	}
	return ""
}

// scale sets a Deployment's replicas through its scale, if it still has those that it had. The resource version makes
// sure that nobody changes them in between.
func (e *Executor) scale(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	at := e.c.custom.Resource(deployments).Namespace(a.Namespace)
	now, err := at.Get(ctx, a.Object, metav1.GetOptions{}, "scale")
	if err != nil {
		return e.unreadIn(err, "get", "apps", "deployments/scale")
	}
	has, _, _ := unstructured.NestedInt64(now.Object, "spec", "replicas")
	switch {
	case string(now.GetUID()) != a.UID:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedGone, Message: "another Deployment has this name now"}
	case int(has) == a.Replicas:
		return record.Outcome{Verdict: record.Done}
	case int(has) != a.FromReplicas:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: fmt.Sprintf("it has %d replicas, not %d", has, a.FromReplicas)}
	}
	if err := unstructured.SetNestedField(now.Object, int64(a.Replicas), "spec", "replicas"); err != nil {
		return invalid("cannot write the scale: %v", err)
	}
	_, err = at.Update(ctx, now, metav1.UpdateOptions{FieldManager: "drainboard"}, "scale")
	if apierrors.IsConflict(err) { // of the version; what it has now is read again
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedStale, Message: e.c.words(err)}
	}
	out := classify(err)
	if out.Refusal == record.RefusedForbidden {
		out.Message = (&ForbiddenError{Right: Right{Verb: "update", Group: "apps", Resource: "deployments/scale"}}).Error()
	}
	return out
}

// checkScale reads whether a Deployment has the replicas that were asked for.
func (e *Executor) checkScale(ctx context.Context, of record.Action) record.Outcome {
	now, err := e.c.custom.Resource(deployments).Namespace(of.Namespace).Get(ctx, of.Object, metav1.GetOptions{}, "scale")
	switch {
	case apierrors.IsNotFound(err):
		return happened(false)
	case err != nil:
		return e.unreadIn(err, "get", "apps", "deployments/scale")
	}
	has, _, _ := unstructured.NestedInt64(now.Object, "spec", "replicas")
	return happened(string(now.GetUID()) == of.UID && int(has) == of.Replicas)
}
