package actions

import (
	"net/http"
	"reflect"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

const (
	nodePath = "/api/v1/nodes/n1"
	plainN1  = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"nu1","labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{"providerID":"aws:///z/i-1"}}`
)

func on(kind record.ActionKind) record.Action {
	return record.Action{
		Kind: kind, Key: string(kind), Node: "n1", Machine: "i-1",
		Taint: &world.Taint{Key: "k", Value: "v", Effect: "NoSchedule"}, Label: "l", Annotation: "n", Value: "x",
	}
}

func TestMarksComeAndGo(t *testing.T) {
	for _, tt := range []struct{ put, undo record.ActionKind }{
		{record.AddTaint, record.RemoveTaint}, {record.Cordon, record.Uncordon}, {record.AddLabel, record.RemoveLabel},
		{record.Annotate, record.Unannotate},
	} {
		s := newStore(t)
		s.Put(nodePath, plainN1)
		e := New(s.Client)
		did := func(k record.ActionKind) bool {
			a := on(k)
			return e.Do(t.Context(), record.Action{Kind: record.CheckEffect, Of: &a}).Happened
		}
		if did(tt.put) {
			t.Errorf("%s: seen before it was done", tt.put)
		}
		if got := e.Do(t.Context(), on(tt.put)); got.Verdict != record.Done || !did(tt.put) || did(tt.undo) {
			t.Errorf("%s: %+v", tt.put, got)
		}
		version := kubetest.VersionOf(s.Object(nodePath))
		if got := e.Do(t.Context(), on(tt.put)); got.Verdict != record.Done || kubetest.VersionOf(s.Object(nodePath)) != version {
			t.Errorf("%s again: %+v", tt.put, got)
		}
		if got := e.Do(t.Context(), on(tt.undo)); got.Verdict != record.Done || did(tt.put) || !did(tt.undo) {
			t.Errorf("%s: %+v", tt.undo, got)
		}
		if labels := s.Object(nodePath)["metadata"].(map[string]any)["labels"]; !reflect.DeepEqual(labels, map[string]any{"a": "b"}) {
			t.Errorf("%s: others' labels: %v", tt.undo, labels)
		}
		if annotations := s.Object(nodePath)["metadata"].(map[string]any)["annotations"]; !reflect.DeepEqual(annotations, map[string]any{"c": "d"}) {
			t.Errorf("%s: others' annotations: %v", tt.undo, annotations)
		}
	}
}

func TestTaintKeepsOthersTaints(t *testing.T) {
	s := newStore(t)
	s.Put(nodePath, plainN1)
	// Another user taints the node between our read and our patch.
	patched := 0
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPatch {
			if patched++; patched == 1 {
				s.Put(nodePath, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"nu1"},"spec":{"providerID":"aws:///z/i-1","taints":[{"key":"other","effect":"NoExecute"}]}}`)
			}
		}
		return false
	})
	if got := New(s.Client).Do(t.Context(), on(record.AddTaint)); got.Verdict != record.Done {
		t.Fatalf("got %+v", got)
	}
	taints := s.Object(nodePath)["spec"].(map[string]any)["taints"].([]any)
	if len(taints) != 2 || patched != 2 {
		t.Errorf("%d patches, taints %v", patched, taints)
	}
	if got := New(s.Client).Do(t.Context(), on(record.RemoveTaint)); got.Verdict != record.Done {
		t.Fatalf("got %+v", got)
	}
	taints = s.Object(nodePath)["spec"].(map[string]any)["taints"].([]any)
	if len(taints) != 1 || taints[0].(map[string]any)["key"] != "other" {
		t.Errorf("taints %v", taints)
	}
}

func TestMarkRefusals(t *testing.T) {
	s := newStore(t)
	e := New(s.Client)
	if got := e.Do(t.Context(), on(record.Cordon)); got.Refusal != record.RefusedGone {
		t.Errorf("no node: %+v", got)
	}
	if got := e.Do(t.Context(), on(record.Uncordon)); got.Verdict != record.Done {
		t.Errorf("no node to take a mark off: %+v", got)
	}
	s.Put(nodePath, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"spec":{"providerID":"aws:///z/i-1","taints":[{"key":"k","value":"theirs","effect":"NoSchedule"}]}}`)
	if got := e.Do(t.Context(), on(record.AddTaint)); got.Refusal != record.RefusedInvalid {
		t.Errorf("another user's taint: %+v", got)
	}
	if got := e.Do(t.Context(), on(record.RemoveTaint)); got.Verdict != record.Done || len(s.Object(nodePath)["spec"].(map[string]any)["taints"].([]any)) != 1 {
		t.Errorf("another user's taint: %+v", got)
	}
	other := on(record.Cordon)
	other.Machine = "i-2"
	if got := e.Do(t.Context(), other); got.Refusal != record.RefusedGone {
		t.Errorf("another machine of the name: %+v", got)
	}
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPatch {
			return false
		}
		kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", `nodes "n1" is forbidden: User "ann" cannot patch`, ""))
		return true
	})
	got := e.Do(t.Context(), on(record.Cordon))
	if want := `this user may not patch nodes: give it a ClusterRole with the rule {apiGroups: [""], resources: ["nodes"], verbs: ["patch"]}`; got.Refusal != record.RefusedForbidden || got.Message != want {
		t.Errorf("got %+v", got)
	}
}

func TestLook(t *testing.T) {
	s := newStore(t)
	look := on(record.LookAtPods)
	if got := New(s.Client).Do(t.Context(), look); got.Verdict != record.Done || !got.Unschedulable || got.Pods != nil {
		t.Errorf("no node: %+v", got)
	}
	s.Put(nodePath, plainN1)
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api/v1/pods" {
			return false
		}
		q := r.URL.Query()
		if q.Get("fieldSelector") != "spec.nodeName=n1" || q.Get("resourceVersion") != "" {
			t.Errorf("query %v", q)
		}
		switch q.Get("continue") {
		case "":
			kubetest.Say(w, 200, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"more"},"items":[{"metadata":{"name":"p1","namespace":"shop","uid":"u1"},"spec":{"nodeName":"n1"}}]}`)
		default:
			kubetest.Say(w, 200, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"p2","namespace":"shop","uid":"u2"},"spec":{"nodeName":"n1"}}]}`)
		}
		return true
	})
	got := New(s.Client).Do(t.Context(), look)
	if got.Verdict != record.Done || got.Unschedulable || len(got.Pods) != 2 || got.Pods[1].UID != "u2" {
		t.Errorf("got %+v", got)
	}
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		kubetest.Say(w, 410, kubetest.Status(410, "Expired", "The provided continue parameter is too old", ""))
		return true
	})
	if got := New(s.Client).Do(t.Context(), look); got.Verdict != record.Refused || got.Refusal != record.RefusedBusy {
		t.Errorf("a read that failed: %+v", got)
	}
}

func TestCheckEviction(t *testing.T) {
	const path = "/api/v1/namespaces/shop/pods/cart-1"
	for _, tt := range []struct {
		name, pod string
		grace     *int64
		kind      record.ActionKind
		want      bool
	}{
		{"gone", "", nil, record.Evict, true},
		{"there", `{"metadata":{"name":"cart-1","uid":"u1"}}`, nil, record.Evict, false},
		{"terminating", `{"metadata":{"name":"cart-1","uid":"u1","deletionTimestamp":"2026-03-01T12:00:00Z","deletionGracePeriodSeconds":30}}`, nil, record.Evict, true},
		{"another", `{"metadata":{"name":"cart-1","uid":"u2"}}`, nil, record.Evict, true},
		{"delete now, still graceful", `{"metadata":{"name":"cart-1","uid":"u1","deletionTimestamp":"2026-03-01T12:00:00Z","deletionGracePeriodSeconds":30}}`, new(int64(0)), record.Delete, false},
		{"delete, shorter", `{"metadata":{"name":"cart-1","uid":"u1","deletionTimestamp":"2026-03-01T12:00:00Z","deletionGracePeriodSeconds":5}}`, new(int64(5)), record.Delete, true},
	} {
		s := newStore(t)
		if tt.pod != "" {
			s.Put(path, `{"kind":"Pod","apiVersion":"v1",`+tt.pod[1:])
		}
		of := eviction
		of.Kind, of.Grace, of.Order = tt.kind, tt.grace, "o1"
		got := New(s.Client).Do(t.Context(), record.Action{Kind: record.CheckEffect, Of: &of})
		if got.Verdict != record.Done || got.Happened != tt.want {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
}
