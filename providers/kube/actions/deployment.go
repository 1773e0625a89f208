package actions

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
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// What is read and scaled of a Deployment of one replica.
var (
	replicaSets = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	autoscalers = schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
)

// readOwner reads the Deployment behind a pod, and what else decides on its replicas.
func (e *Executor) readOwner(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	pod, err := e.c.Urgent().Pods(a.Namespace).Get(ctx, a.Pod, metav1.GetOptions{})
	if err != nil {
		return e.unread(err, "get", "pods")
	}
	none := record.Outcome{Verdict: record.Done}
	owner := metav1.GetControllerOf(pod)
	if string(pod.UID) != a.UID || owner == nil || owner.Kind != "ReplicaSet" {
		return none
	}
	set, err := e.c.Dynamic().Resource(replicaSets).Namespace(a.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		return e.unreadIn(err, "get", "apps", "replicasets")
	}
	if owner = metav1.GetControllerOf(set); owner == nil || owner.Kind != "Deployment" {
		return none
	}
	found, err := e.c.Dynamic().Resource(deployments).Namespace(a.Namespace).Get(ctx, owner.Name, metav1.GetOptions{})
	if err != nil {
		return e.unreadIn(err, "get", "apps", "deployments")
	}
	d := world.Deployment{Name: found.GetName(), UID: string(found.GetUID()), Replicas: 1, Holder: gitHolder(found)}
	if n, set, _ := unstructured.NestedInt64(found.Object, "spec", "replicas"); set {
		d.Replicas = int(n)
	}
	how, _, _ := unstructured.NestedString(found.Object, "spec", "strategy", "type")
	d.Recreate = how == "Recreate"
	scalers, err := e.c.Dynamic().Resource(autoscalers).Namespace(a.Namespace).List(ctx, metav1.ListOptions{})
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

// manager is the name by which the API server keeps, in managedFields, which fields Drainboard has written.
const manager = "drainboard"

// scaled is a Deployment's replicas as the API server has them.
type scaled struct {
	n             int
	uid, revision string
	// ours: Drainboard has written them last, and no other has since.
	ours bool
}

// replicas reads a Deployment's replicas, and who has written them.
func (e *Executor) replicas(ctx context.Context, namespace, name string) (scaled, error) {
	o, err := e.c.Dynamic().Resource(deployments).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return scaled{}, err
	}
	n, _, _ := unstructured.NestedInt64(o.Object, "spec", "replicas")
	return scaled{int(n), string(o.GetUID()), o.GetResourceVersion(), scaledByUs(o)}, nil
}

// scaledByUs reports whether the replicas of a Deployment are ours: Drainboard is the only one that managedFields names
// for them. The API server takes a field away from a manager when another one changes it.
func scaledByUs(o metav1.Object) (ours bool) {
	for _, f := range o.GetManagedFields() {
		if f.FieldsV1 == nil || !strings.Contains(f.FieldsV1.GetRawString(), `"f:replicas":`) || f.Subresource == "status" {
			continue
		}
		if ours = f.Manager == manager && f.Subresource == "scale"; !ours {
			return false
		}
	}
	return ours
}

// scale sets a Deployment's replicas through its scale, if it still has those that it had. The resource version makes
// sure that nobody changes them in between. A second replica counts only where Drainboard has set it: one that another
// user has set is the user's to keep.
func (e *Executor) scale(ctx context.Context, a record.Action) record.Outcome {
	ctx, cancel := context.WithTimeout(ctx, transport.RequestTimeout)
	defer cancel()
	now, err := e.replicas(ctx, a.Namespace, a.Object)
	if err != nil {
		return e.unreadIn(err, "get", "apps", "deployments")
	}
	more := max(a.Replicas, a.FromReplicas)
	switch {
	case now.uid != a.UID:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedGone, Message: "another Deployment has this name now"}
	case now.n == more && !now.ours:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: text.SetByAnother(now.n)}
	case now.n == a.Replicas:
		return record.Outcome{Verdict: record.Done}
	case now.n != a.FromReplicas:
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedConflict, Message: fmt.Sprintf("it has %d replicas, not %d", now.n, a.FromReplicas)}
	}
	scale := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale",
		"metadata": map[string]any{"name": a.Object, "namespace": a.Namespace, "uid": a.UID, "resourceVersion": now.revision},
		"spec":     map[string]any{"replicas": int64(a.Replicas)},
	}}
	_, err = e.c.Dynamic().Resource(deployments).Namespace(a.Namespace).Update(ctx, scale, metav1.UpdateOptions{FieldManager: manager}, "scale")
	if apierrors.IsConflict(err) { // of the version; what it has now is read again
		return record.Outcome{Verdict: record.Refused, Refusal: record.RefusedStale, Message: e.c.Words(err)}
	}
	out := kube.Classify(err)
	if out.Refusal == record.RefusedForbidden {
		out.Message = (&kube.ForbiddenError{Right: kube.Right{Verb: "update", Group: "apps", Resource: "deployments/scale"}}).Error()
	}
	return out
}

// checkScale reads whether a Deployment has the replicas that were asked for. Two that another user has set are not what
// a lost answer was about.
func (e *Executor) checkScale(ctx context.Context, of record.Action) record.Outcome {
	now, err := e.replicas(ctx, of.Namespace, of.Object)
	switch {
	case apierrors.IsNotFound(err):
		return happened(false)
	case err != nil:
		return e.unreadIn(err, "get", "apps", "deployments")
	}
	return happened(now.uid == of.UID && now.n == of.Replicas && (now.ours || of.Replicas < of.FromReplicas))
}
