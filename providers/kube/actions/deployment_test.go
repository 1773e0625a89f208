package actions

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tools that keep a Deployment as it is in a repository are known by labels, annotations, and who writes its fields.
func TestGitHolder(t *testing.T) {
	for want, o := range map[string]*metav1.ObjectMeta{
		"":        {Labels: map[string]string{"app.kubernetes.io/instance": "web"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl-client-side-apply"}}},
		"Argo CD": {Annotations: map[string]string{"argocd.argoproj.io/tracking-id": "web:apps/Deployment:shop/web"}},
		"Flux":    {Labels: map[string]string{"kustomize.toolkit.fluxcd.io/name": "apps"}},
	} {
		if is := gitHolder(o); is != want {
			t.Errorf("%+v: %q, want %q", o, is, want)
		}
	}
	for manager, want := range map[string]string{"argocd-controller": "Argo CD", "helm-controller": "Flux", "kustomize-controller": "Flux", "drainboard": ""} {
		if is := gitHolder(&metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kube-controller-manager"}, {Manager: manager}}}); is != want {
			t.Errorf("%s: %q, want %q", manager, is, want)
		}
	}
}
