package lab

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/lab/try"
)

// A Webhook is a validating admission webhook for evictions: a
// ValidatingWebhookConfiguration and the server that the API server asks.
type Webhook struct {
	// Name is that of the webhook, as a domain with at least two dots. Empty:
	// evictions.lab.drainboard.dev. Webhooks at the same time differ in it.
	Name string
	// Namespace is where it is asked. Empty: everywhere.
	Namespace string
	// Message is what it says to those it denies. Empty: a sentence.
	Message string
	// Hang makes it never answer, so that the API server gives up on it after a
	// second and does what the failure policy says.
	Hang bool
	// Ignore is the failure policy by which a webhook that does not answer lets
	// evictions through; otherwise it denies them (Fail).
	Ignore bool
}

// denier is a webhook at work.
type denier struct {
	server *http.Server
	end    context.CancelFunc // ends requests that hang
	served sync.WaitGroup
}

func (d *denier) close() {
	d.end()
	_ = d.server.Close()
	d.served.Wait()
}

// DenyEvictions sets a webhook up and returns when evictions meet it. A webhook
// of the same name is replaced.
func (l *Lab) DenyEvictions(ctx context.Context, w Webhook) error {
	w.Name = cmp.Or(w.Name, webhookName)
	w.Message = cmp.Or(w.Message, "this pod may not leave now")
	var err error
	if w.Namespace != "" {
		_, err = l.client.CoreV1().Namespaces().Get(ctx, w.Namespace, metav1.GetOptions{})
	}
	if err == nil {
		err = l.AllowEvictions(ctx, w.Name)
	}
	if err == nil {
		err = l.deny(ctx, w)
	}
	if err != nil {
		return fmt.Errorf("deny evictions by the webhook %s: %w", w.Name, err)
	}
	return nil
}

// webhookName is that of a Webhook without one.
const webhookName = "evictions.lab.drainboard.dev"

// AllowEvictions takes a webhook away and returns when evictions do not meet it
// any more. Empty: the one without a name. One that is not there is no error.
func (l *Lab) AllowEvictions(ctx context.Context, name string) error {
	name = cmp.Or(name, webhookName)
	l.faultMu.Lock()
	d := l.deniers[name]
	delete(l.deniers, name)
	l.faultMu.Unlock()
	if d == nil {
		return nil
	}
	api := l.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	config, err := api.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		err = api.Delete(ctx, name, metav1.DeleteOptions{})
	}
	if err == nil {
		err = l.waitWebhook(ctx, name, config.Annotations[webhookNamespace], false)
	}
	d.close()
	return err
}

// webhookNamespace is the annotation with the namespace that a webhook is for.
const webhookNamespace = "lab.drainboard.dev/namespace"

func (l *Lab) deny(ctx context.Context, w Webhook) error {
	ca, cert, key, err := servingCertificate()
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	asked, end := context.WithCancel(context.Background())
	d := &denier{end: end, server: &http.Server{
		Handler:   http.HandlerFunc(w.answer),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}},
		// A client that gives up on a webhook that hangs is no news.
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return asked },
	}}
	d.served.Go(func() { _ = d.server.ServeTLS(listener, "", "") })
	l.faultMu.Lock()
	if l.deniers == nil {
		l.deniers = map[string]*denier{}
	}
	l.deniers[w.Name] = d
	l.faultMu.Unlock()

	config := w.configuration("https://"+listener.Addr().String()+"/evictions", ca)
	_, err = l.client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx, config, metav1.CreateOptions{})
	if err != nil || w.Hang && w.Ignore {
		return err // one that hangs and is ignored cannot be seen
	}
	return l.waitWebhook(ctx, w.Name, w.Namespace, true)
}

// configuration tells the API server when to ask, and where.
func (w Webhook) configuration(url string, ca []byte) *admissionregistrationv1.ValidatingWebhookConfiguration {
	policy, effects := admissionregistrationv1.Fail, admissionregistrationv1.SideEffectClassNone
	if w.Ignore {
		policy = admissionregistrationv1.Ignore
	}
	patience := int32(10) // seconds, for an answer on a busy machine
	if w.Hang {
		patience = 1 // none comes
	}
	hook := admissionregistrationv1.ValidatingWebhook{
		Name:         w.Name,
		ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url, CABundle: ca},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods/eviction"}},
		}},
		FailurePolicy: &policy, SideEffects: &effects, TimeoutSeconds: &patience,
		AdmissionReviewVersions: []string{"v1"},
	}
	if w.Namespace != "" {
		hook.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.Namespace}}
	}
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: w.Name, Annotations: map[string]string{webhookNamespace: w.Namespace}},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{hook},
	}
}

// answer denies what it is asked, or nothing at all.
func (w Webhook) answer(out http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(out, "not an AdmissionReview", http.StatusBadRequest)
		return
	}
	if w.Hang {
		<-r.Context().Done()
		return
	}
	review.Response = &admissionv1.AdmissionResponse{
		UID: review.Request.UID, Result: &metav1.Status{Message: w.Message, Code: http.StatusForbidden},
	}
	review.Request = nil
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(review)
}

// waitWebhook waits until evictions meet a webhook, or do not: the API server
// asks webhooks even about the eviction of a pod that is not there.
func (l *Lab) waitWebhook(ctx context.Context, name, namespace string, there bool) error {
	namespace = cmp.Or(namespace, corev1.NamespaceDefault)
	eviction := &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Name: "lab-nobody", Namespace: namespace},
		DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}},
	}
	return try.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		err := l.client.PolicyV1().Evictions(namespace).Evict(ctx, eviction)
		met := err != nil && strings.Contains(err.Error(), name)
		return met == there && ctx.Err() == nil, nil
	})
}
