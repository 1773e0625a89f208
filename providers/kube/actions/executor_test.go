package actions

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// store is the API server of a client.
type store struct {
	*kubetest.Store
	*kube.Client
}

func newStore(t *testing.T) *store {
	s := kubetest.NewStore(t)
	return &store{s, kubetest.Client(t, kube.Open, s.Serve)}
}

var eviction = record.Action{Kind: record.Evict, Key: "evict/u1", Namespace: "shop", Pod: "cart-1", UID: "u1"}

func TestEvictOutcomes(t *testing.T) {
	const cannot = "Cannot evict pod as it would violate the pod's disruption budget."
	for _, tt := range []struct {
		name       string
		code       int
		body       string
		retryAfter string
		verdict    record.Verdict
		refusal    record.Refusal
		message    string // part of it
		after      time.Duration
	}{
		{name: "accepted", code: 201, body: `{"kind":"Status","apiVersion":"v1","status":"Success"}`, verdict: record.Done},
		{name: "budget", code: 429, body: kubetest.Status(429, "TooManyRequests", cannot, `{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget checkout needs 3 healthy pods and has 3 currently"}]}`),
			verdict: record.Refused, refusal: record.RefusedBudget, message: "checkout needs 3 healthy"},
		{name: "budget being processed", code: 429, retryAfter: "10", body: kubetest.Status(429, "TooManyRequests", cannot, `{"retryAfterSeconds":10,"causes":[{"reason":"DisruptionBudget","message":"The disruption budget checkout is still being processed by the server."}]}`),
			verdict: record.Refused, refusal: record.RefusedBudget, message: "still being processed", after: 10 * time.Second},
		{name: "budget without cause", code: 429, body: kubetest.Status(429, "TooManyRequests", cannot, ""),
			verdict: record.Refused, refusal: record.RefusedBudget},
		{name: "throttled", code: 429, retryAfter: "1", body: "Too many requests, please try again later.",
			verdict: record.Refused, refusal: record.RefusedBusy, after: time.Second},
		{name: "two budgets", code: 500, body: kubetest.Status(500, "", "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.", ""),
			verdict: record.Refused, refusal: record.RefusedBudgets, message: "more than one"},
		{name: "webhook denies", code: 403, body: kubetest.Status(403, "Forbidden", `admission webhook "guard.example.com" denied the request: not now`, ""),
			verdict: record.Refused, refusal: record.RefusedWebhook, message: "guard.example.com"},
		{name: "webhook denies as 429", code: 429, body: kubetest.Status(429, "TooManyRequests", `admission webhook "guard.example.com" denied the request: not now`, ""),
			verdict: record.Refused, refusal: record.RefusedWebhook},
		{name: "webhook fails", code: 500, body: kubetest.Status(500, "InternalError", `Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: EOF`, ""),
			verdict: record.Refused, refusal: record.RefusedWebhook, message: "EOF"},
		{name: "policy denies", code: 422, body: kubetest.Status(422, "Invalid", `pods "cart-1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`, ""),
			verdict: record.Refused, refusal: record.RefusedWebhook},
		{name: "no right", code: 403, body: kubetest.Status(403, "Forbidden", `pods "cart-1" is forbidden: User "ann" cannot create resource "pods/eviction" in API group "" in the namespace "shop"`, `{"name":"cart-1","kind":"pods"}`),
			verdict: record.Refused, refusal: record.RefusedForbidden, message: "cannot create"},
		{name: "namespace terminating", code: 403, body: kubetest.Status(403, "Forbidden", `unable to create new content in namespace shop because it is being terminated`, `{"causes":[{"reason":"NamespaceTerminating","message":"namespace shop is being terminated"}]}`),
			verdict: record.Refused, refusal: record.RefusedBusy},
		{name: "budget overrun", code: 403, body: kubetest.Status(403, "Forbidden", `poddisruptionbudget.policy "checkout" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller`, `{"name":"checkout","group":"policy","kind":"poddisruptionbudget"}`),
			verdict: record.Refused, refusal: record.RefusedBudget, message: "too big"},
		{name: "credentials expired", code: 401, body: kubetest.Status(401, "Unauthorized", "Unauthorized", ""),
			verdict: record.Refused, refusal: record.RefusedBusy, message: "log in again"},
		{name: "gone", code: 404, body: kubetest.Status(404, "NotFound", `pods "cart-1" not found`, `{"name":"cart-1","kind":"pods"}`),
			verdict: record.Refused, refusal: record.RefusedGone},
		{name: "not the API", code: 404, body: "<html>not here</html>",
			verdict: record.Refused, refusal: record.RefusedBusy},
		{name: "another pod of the name", code: 409, body: kubetest.Status(409, "Conflict", `Operation cannot be fulfilled on Pod "cart-1": the UID in the precondition (u1) does not match the UID in record (u2). The object might have been deleted and then recreated`, ""),
			verdict: record.Refused, refusal: record.RefusedGone},
		{name: "another pod, older wording", code: 409, body: kubetest.Status(409, "Conflict", `Operation cannot be fulfilled on pods "cart-1": Precondition failed: UID in precondition: u1, UID in object meta: u2`, ""),
			verdict: record.Refused, refusal: record.RefusedGone},
		{name: "conflict", code: 409, body: kubetest.Status(409, "Conflict", `Operation cannot be fulfilled on pods "cart-1": the object has been modified`, ""),
			verdict: record.Refused, refusal: record.RefusedConflict},
		{name: "budget conflicts", code: 504, body: kubetest.Status(504, "Timeout", `Timeout: couldn't update PodDisruptionBudget "checkout" due to conflicts`, `{"retryAfterSeconds":10}`),
			verdict: record.Refused, refusal: record.RefusedBusy, after: 10 * time.Second},
		{name: "server timeout", code: 504, body: kubetest.Status(504, "Timeout", "Timeout: request did not complete within the allotted timeout", ""),
			verdict: record.Unknown},
		{name: "etcd away", code: 500, body: kubetest.Status(500, "InternalError", "etcdserver: leader changed", ""), verdict: record.Unknown},
		{name: "bad gateway", code: 502, body: "bad gateway", verdict: record.Unknown},
		{name: "unavailable", code: 503, body: "upstream gone", verdict: record.Unknown},
		{name: "malformed", code: 400, body: kubetest.Status(400, "BadRequest", "name in URL does not match", ""),
			verdict: record.Refused, refusal: record.RefusedInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, r *http.Request) {
				asked++
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				kubetest.Say(w, tt.code, tt.body)
			})
			got := New(c).Do(context.Background(), eviction)
			if got.Verdict != tt.verdict || got.Refusal != tt.refusal || got.After != tt.after || !strings.Contains(got.Message, tt.message) {
				t.Errorf("got %+v", got)
			}
			if got.Key != eviction.Key || got.At.IsZero() {
				t.Errorf("key %q, at %v", got.Key, got.At)
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

func TestEvictSendsUID(t *testing.T) {
	var path, body string
	c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		path, body = r.Method+" "+r.URL.Path, string(b)
		kubetest.Say(w, 201, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
	})
	New(c).Do(context.Background(), eviction)
	if path != "POST /api/v1/namespaces/shop/pods/cart-1/eviction" {
		t.Error(path)
	}
	for _, want := range []string{`"kind":"Eviction"`, `"apiVersion":"policy/v1"`, `"preconditions":{"uid":"u1"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

func TestLostAnswers(t *testing.T) {
	t.Run("connection cut", func(t *testing.T) {
		c := kubetest.Client(t, kube.Open, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		if got := New(c).Do(context.Background(), eviction); got.Verdict != record.Unknown {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("no answer in time", func(t *testing.T) {
		release := make(chan struct{})
		c := kubetest.Client(t, kube.Open, func(http.ResponseWriter, *http.Request) { <-release })
		defer close(release)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		if got := New(c).Do(ctx, eviction); got.Verdict != record.Unknown || got.Message != "no answer in time" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("cancelled before", func(t *testing.T) {
		c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, _ *http.Request) { kubetest.Say(w, 201, "{}") })
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if got := New(c).Do(ctx, eviction); got.Verdict != record.Unknown {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("not ready to serve", func(t *testing.T) {
		c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			io.WriteString(w, "[+]ping ok\n[-]etcd failed: reason withheld\n[+]log ok\n[-]etcd-readiness failed: reason withheld\nreadyz check failed\n")
		})
		if got, want := c.Words(c.Heartbeat(context.Background(), time.Second)), " is not ready to serve: etcd, etcd-readiness"; !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want ...%q", got, want)
		}
	})
	t.Run("nothing listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		c, err := kube.Open(&rest.Config{Host: "http://" + l.Addr().String()}, "test")
		if err != nil {
			t.Fatal(err)
		}
		if got := New(c).Do(context.Background(), eviction); got.Verdict != record.Refused || got.Refusal != record.RefusedBusy {
			t.Errorf("got %+v", got)
		}
		if got, want := c.Words(c.Heartbeat(context.Background(), time.Second)), "connection refused by http://"; !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q...", got, want)
		}
	})
}

func TestDeleteNeedsOrder(t *testing.T) {
	asked := 0
	c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, r *http.Request) {
		asked++
		kubetest.Say(w, 200, `{"kind":"Pod","apiVersion":"v1"}`)
	})
	a := record.Action{Kind: record.Delete, Namespace: "shop", Pod: "cart-1", UID: "u1"}
	if got := New(c).Do(context.Background(), a); got.Refusal != record.RefusedInvalid || asked != 0 {
		t.Errorf("without an order: %+v, asked %d", got, asked)
	}
	a.Order = "o1"
	if got := New(c).Do(context.Background(), a); got.Verdict != record.Done || asked != 1 {
		t.Errorf("with an order: %+v, asked %d", got, asked)
	}
}

func TestForeignAction(t *testing.T) {
	e := New(kubetest.Client(t, kube.Open, http.NotFound))
	if got := e.Do(context.Background(), record.Action{Kind: record.Terminate}); got.Refusal != record.RefusedInvalid {
		t.Errorf("got %+v", got)
	}
	if got := e.Do(context.Background(), record.Action{Kind: record.CheckEffect, Of: &record.Action{Kind: record.Terminate, Machine: "i-1"}}); got.Refusal != record.RefusedInvalid {
		t.Errorf("a check of an action in the cloud: %+v", got)
	}
}
