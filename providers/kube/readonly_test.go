package kube_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/actions"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
	"github.com/drainboard/drainboard/providers/kube/records"
)

var run = record.Run{Version: record.RecordVersion, ID: "r", Group: "ng-web", Provider: "asg", State: record.Finished}

// A client for those who only look sends no change, whatever is asked of it: the
// same executor, record and lock reach nothing.
func TestConnectReadOnly(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		sent = append(sent, r.Method+" "+r.URL.Path)
		mu.Unlock()
		kubetest.Say(w, 200, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true}}`)
	}))
	defer server.Close()
	c, err := kube.ConnectReadOnly(t.Context(), kube.Flags{Kubeconfig: kubetest.Kubeconfig(t, server.URL, "{token: x}")}, "test")
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := c.Check(t.Context(), kube.ReadRights("drainboard")); err != nil || len(missing) > 0 {
		t.Errorf("one's own rights cannot be asked for: %v, %v", missing, err)
	}
	read := len(sent)

	e := actions.New(c)
	taint := world.Taint{Key: "k", Effect: "NoSchedule"}
	for _, a := range []record.Action{
		{Kind: record.Evict, Pod: "shop/web-1", UID: "u"}, {Kind: record.Delete, Pod: "shop/web-1", UID: "u"},
		{Kind: record.Cordon, Node: "n"}, {Kind: record.AddTaint, Node: "n", Taint: &taint},
	} {
		if o := e.Do(t.Context(), a); o.Verdict == record.Done {
			t.Errorf("%s: %+v", a.Kind, o)
		}
	}
	if err := c.MakeNamespace(t.Context(), "drainboard", "run records"); err == nil {
		t.Error("a namespace was made")
	}
	if err := records.New(c, "drainboard", "ng").Save(t.Context(), run); err == nil {
		t.Error("a record was saved")
	}
	mu.Lock()
	defer mu.Unlock()
	if read == 0 {
		t.Error("nothing was read")
	}
	for _, request := range sent {
		if request[:4] != "GET " && !strings.HasPrefix(request, "POST /apis/authorization.k8s.io/v1/selfsubject") {
			t.Errorf("sent: %s", request)
		}
	}
}

// A process that may have lost its lock while it slept sends no change of an action,
// and says so; reads, and what is no action (lock and record), go out.
func TestConnectOnlyWhileSure(t *testing.T) {
	var sent atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			sent.Add(1)
		}
		kubetest.Say(w, 200, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"1"}}`)
	}))
	defer server.Close()
	c, err := kube.Connect(t.Context(), kube.Flags{Kubeconfig: kubetest.Kubeconfig(t, server.URL, "{token: x}")}, "test")
	if err != nil {
		t.Fatal(err)
	}
	var sure atomic.Bool
	ctx := live.WithPermit(t.Context(), sure.Load)
	changes := []record.Action{
		{Kind: record.Evict, Namespace: "shop", Pod: "web-1", UID: "u"}, {Kind: record.Delete, Namespace: "shop", Pod: "web-1", UID: "u", Order: "force-1"},
		{Kind: record.Cordon, Node: "n"},
	}
	for _, a := range changes {
		if o := actions.New(c).Do(ctx, a); o.Verdict == record.Done || sent.Load() > 0 {
			t.Errorf("%s: %+v, %d sent", a.Kind, o, sent.Load())
		}
	}
	if err := records.New(c, "drainboard", "ng-web").Save(t.Context(), run); err != nil || sent.Load() == 0 {
		t.Errorf("the record: %v", err)
	}
	sure.Store(true)
	for _, a := range changes {
		before := sent.Load()
		if o := actions.New(c).Do(ctx, a); o.Verdict != record.Done || sent.Load() == before {
			t.Errorf("%s: %+v", a.Kind, o)
		}
	}
}
