package actions

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

const (
	slicesFirst = `{"kind":"EndpointSliceList","metadata":{"continue":"more"},"items":[
		{"metadata":{"namespace":"shop","labels":{"kubernetes.io/service-name":"cart"}},"endpoints":[
			{"nodeName":"a1","conditions":{"ready":true,"serving":true},"targetRef":{"kind":"Pod","name":"cart-1"}},
			{"nodeName":"a1","conditions":{"ready":false,"serving":true,"terminating":true},"targetRef":{"kind":"Pod","name":"cart-2"}},
			{"nodeName":"a1","conditions":{"ready":false,"serving":false,"terminating":true},"targetRef":{"kind":"Pod","name":"cart-3"}},
			{"nodeName":"a2","conditions":{},"targetRef":{"kind":"Pod","name":"cart-4"}}]}]}`
	slicesRest = `{"kind":"EndpointSliceList","metadata":{},"items":[
		{"metadata":{"namespace":"ops","labels":{"kubernetes.io/service-name":"bare"}},"endpoints":[{"nodeName":"a1"},{"nodeName":"a3","conditions":{"ready":false}}]}]}`
	services = `{"kind":"ServiceList","metadata":{},"items":[
		{"metadata":{"namespace":"shop","name":"front"},"spec":{"type":"LoadBalancer","ports":[{"nodePort":30080},{"nodePort":30443}]}},
		{"metadata":{"namespace":"shop","name":"direct"},"spec":{"type":"LoadBalancer","ports":[{}]}},
		{"metadata":{"namespace":"shop","name":"inside"},"spec":{"type":"NodePort","ports":[{"nodePort":30081}]}}]}`
)

func TestLookAtRoutes(t *testing.T) {
	var forbidden atomic.Pointer[string] // the path that may not be listed
	forbidden.Store(new(string))
	var lists atomic.Int64
	c := kubetest.Client(t, kube.Open, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == *forbidden.Load():
			kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", r.URL.Path+" is forbidden", ""))
		case r.URL.Path == "/api/v1/services":
			kubetest.Say(w, 200, services)
		case r.URL.Query().Get("continue") != "":
			kubetest.Say(w, 200, slicesRest)
		default:
			lists.Add(1)
			kubetest.Say(w, 200, slicesFirst)
		}
	})
	front := record.Route{Service: "shop/front", EveryNode: true}
	at := func(e *Executor, node string) record.Outcome {
		return e.Do(t.Context(), record.Action{Kind: record.LookAtRoutes, Key: record.RoutesKey("i-1"), Machine: "i-1", Node: node})
	}
	e := New(c)
	for node, want := range map[string][]record.Route{
		"a1": {{Service: "shop/cart", Pod: "shop/cart-1"}, {Service: "shop/cart", Pod: "shop/cart-2"}, {Service: "ops/bare"}, front},
		"a2": {{Service: "shop/cart", Pod: "shop/cart-4"}, front},
		"a3": {front},
		"a4": {front},
	} {
		if o := at(e, node); o.Verdict != record.Done || !slices.Equal(o.Routes, want) {
			t.Errorf("%s: %+v, want %+v", node, o, want)
		}
	}
	if n := lists.Load(); n < 1 || n > 2 {
		t.Errorf("nodes looked up together took %d lists", n)
	}
	for path, rule := range map[string]string{
		"/apis/discovery.k8s.io/v1/endpointslices": `{apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"]}`,
		"/api/v1/services":                         `{apiGroups: [""], resources: ["services"], verbs: ["list"]}`,
	} {
		forbidden.Store(&path)
		if o := at(New(c), "a1"); o.Verdict != record.Refused || o.Refusal != record.RefusedForbidden || !strings.Contains(o.Message, rule) {
			t.Errorf("who may not list %s gets %+v, want the rule %s", path, o, rule)
		}
	}
}
