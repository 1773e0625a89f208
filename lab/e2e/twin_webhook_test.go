package e2e

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// guard is an admission webhook that denies evictions in the scene's namespace.
type guard struct {
	mu     sync.Mutex
	denied map[string]bool // beginnings of pod names
}

func (g *guard) deny(prefix string, denied bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.denied[prefix] = denied
}

// guard starts the webhook and makes the API server ask it.
func (s *stage) guard() *guard {
	s.t.Helper()
	g := &guard{denied: map[string]bool{}}
	server := httptest.NewTLSServer(g)
	s.t.Cleanup(server.Close)
	hook := &admissionv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: s.name}}
	hook.Webhooks = []admissionv1.ValidatingWebhook{{
		Name:              "guard.example.com",
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.place.Namespace}},
		Rules: []admissionv1.RuleWithOperations{{
			Operations: []admissionv1.OperationType{admissionv1.Create},
			Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods/eviction"}},
		}},
		ClientConfig: admissionv1.WebhookClientConfig{
			URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
		SideEffects: new(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
	}}
	hooks := shared.Client().AdmissionregistrationV1().ValidatingWebhookConfigurations()
	if _, err := hooks.Create(s.ctx, hook, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = hooks.Delete(context.Background(), hook.Name, metav1.DeleteOptions{}) })
	return g
}

// ServeHTTP answers an admission review.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review struct {
		Request struct{ UID, Name string }
	}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	g.mu.Lock()
	allowed := true
	for prefix, denied := range g.denied {
		allowed = allowed && !(denied && strings.HasPrefix(review.Request.Name, prefix))
	}
	g.mu.Unlock()
	fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":%v,"status":{"message":"not now"}}}`, review.Request.UID, allowed)
}
