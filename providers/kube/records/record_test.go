package records

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// store is the API server of a client.
type store struct {
	*kubetest.Store
	*kube.Client
	t *testing.T
}

func newStore(t *testing.T) *store {
	s := kubetest.NewStore(t)
	return &store{s, kubetest.Client(t, kube.Open, s.Serve), t}
}

func testRun(id string) record.Run {
	return record.Run{Version: record.RecordVersion, ID: id, Group: "ng-web", Provider: "asg", State: record.Finished}
}

// A write without an answer is given up soon, and the next Save finds out what came of it. While
// answers stay away each request has longer, and after a write that went through the first limit
// holds again.
func TestRecordGivesUpAWriteWithoutAnswer(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	if err := r.Save(t.Context(), testRun("r0")); err != nil {
		t.Fatal(err)
	}
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut {
			_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not seen
			<-r.Context().Done()
			return true
		}
		return false
	})
	for _, limit := range []time.Duration{firstLimit, firstLimit * 3 / 2} {
		begun := time.Now()
		if err := r.Save(t.Context(), testRun("r1")); err == nil {
			t.Fatal("it was written")
		}
		if took := time.Since(begun); took < limit-100*time.Millisecond || took > limit+time.Second {
			t.Errorf("given up after %s, want %s", took, limit)
		}
	}
	s.Intercept(nil)
	if err := r.Save(t.Context(), testRun("r2")); err != nil || r.late != 0 {
		t.Errorf("%v, %s", err, r.late)
	}
}

func TestRecordRoundTrip(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	if _, found, err := r.Load(t.Context()); found || err != nil {
		t.Fatalf("found %v, %v", found, err)
	}
	// The namespace is not there either: it is made.
	for i := range 3 {
		if err := r.Save(t.Context(), testRun(fmt.Sprint("r", i))); err != nil {
			t.Fatal(err)
		}
	}
	got, found, err := New(s.Client, "drainboard", "ng-web").Load(t.Context())
	if err != nil || !found || got.ID != "r2" {
		t.Errorf("got %+v, %v, %v", got, found, err)
	}
	all, err := All(t.Context(), s.Client, "drainboard")
	if err != nil || len(all) != 1 || all[0].Run.ID != "r2" || all[0].Err != nil {
		t.Errorf("records %+v, %v", all, err)
	}
	if s.Object("/api/v1/namespaces/drainboard") == nil {
		t.Error("no namespace")
	}
}

func TestRecordLost(t *testing.T) {
	s := newStore(t)
	a, b := New(s.Client, "drainboard", "ng-web"), New(s.Client, "drainboard", "ng-web")
	if err := a.Save(t.Context(), testRun("a")); err != nil {
		t.Fatal(err)
	}
	if err := b.Save(t.Context(), testRun("b")); !errors.Is(err, live.ErrLost) {
		t.Errorf("a save without a load over a user's record: %v", err)
	}
	if _, _, err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Save(t.Context(), testRun("b")); err != nil {
		t.Errorf("a save after a load: %v", err)
	}
	if err := a.Save(t.Context(), testRun("a2")); !errors.Is(err, live.ErrLost) {
		t.Errorf("a save after another user's: %v", err)
	}
	if err := a.Save(t.Context(), testRun("a3")); !errors.Is(err, live.ErrLost) {
		t.Errorf("and again: %v", err)
	}
	s.Remove("/api/v1/namespaces/drainboard/configmaps/" + b.name)
	if err := b.Save(t.Context(), testRun("b2")); !errors.Is(err, live.ErrLost) {
		t.Errorf("a save after the record was removed: %v", err)
	}
}

func TestRecordSurvivesLostAnswers(t *testing.T) {
	for _, carriedOut := range []bool{true, false} {
		s := newStore(t)
		r := New(s.Client, "drainboard", "ng-web")
		var spoil atomic.Bool
		cut := func(_ http.ResponseWriter, req *http.Request) bool {
			if spoil.Load() && (req.Method == http.MethodPut || req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, "configmaps")) {
				panic(http.ErrAbortHandler)
			}
			return false
		}
		if carriedOut {
			s.Spoil(cut)
		} else {
			s.Intercept(cut)
		}
		for i := range 6 {
			cutting := i%2 == 0 // the first create among them
			spoil.Store(cutting)
			if i == 0 {
				s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
			}
			err := r.Save(t.Context(), testRun(fmt.Sprint("r", i)))
			if cutting == (err == nil) || errors.Is(err, live.ErrLost) {
				t.Fatalf("carried out %v, save %d: %v", carriedOut, i, err)
			}
		}
		if got, _, err := New(s.Client, "drainboard", "ng-web").Load(t.Context()); err != nil || got.ID != "r5" {
			t.Errorf("carried out %v: got %q, %v", carriedOut, got.ID, err)
		}
	}
}

// A process that continues with another one's record, or with one that it has put beside those of
// earlier runs, does not take its predecessor's last write for a rival's: not when its own first
// write did not arrive, and not when only the answer did not.
func TestRecordOfAPredecessor(t *testing.T) {
	for _, carriedOut := range []bool{true, false} {
		for _, kept := range []bool{true, false} {
			s := newStore(t)
			if err := New(s.Client, "drainboard", "ng-web").Save(t.Context(), testRun("old")); err != nil {
				t.Fatal(err)
			}
			r := New(s.Client, "drainboard", "ng-web")
			_, _, err := r.Load(t.Context())
			if kept && err == nil {
				_, err = r.Keep(t.Context(), "")
			}
			if err != nil {
				t.Fatal(err)
			}
			lost := 0
			lose := func(_ http.ResponseWriter, req *http.Request) bool {
				if req.Method != http.MethodPut || lost == 3 {
					return false
				}
				lost++
				panic(http.ErrAbortHandler)
			}
			if carriedOut {
				s.Spoil(lose)
			} else {
				s.Intercept(lose)
			}
			for i := range 5 {
				if err := r.Save(t.Context(), testRun(fmt.Sprint("r", i))); errors.Is(err, live.ErrLost) || err != nil && i > 2 {
					t.Fatalf("carried out %t, kept %t, save %d: %v", carriedOut, kept, i, err)
				}
			}
			if lost != 3 {
				t.Errorf("%d answers were lost", lost)
			}
			rival := New(s.Client, "drainboard", "ng-web")
			_, _, err = rival.Load(t.Context())
			if err == nil {
				err = rival.Save(t.Context(), testRun("rival"))
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Save(t.Context(), testRun("late")); !errors.Is(err, live.ErrLost) {
				t.Errorf("after a rival's write: %v", err)
			}
		}
	}
}

func TestRecordToleratesForeignLabels(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	if err := r.Save(t.Context(), testRun("r1")); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/namespaces/drainboard/configmaps/" + r.name
	s.Put(path, kubetest.AsText(s.Object(path))) // a new resource version, the same content
	if err := r.Save(t.Context(), testRun("r2")); err != nil {
		t.Error(err)
	}
}

func TestRecordLarge(t *testing.T) {
	s := newStore(t)
	run := testRun("big")
	run.Nodes = shards.Of(map[string]record.Node{})
	for i := range 4000 {
		run.Nodes = run.Nodes.With(fmt.Sprintf("i-%016x", rand.Uint64()), record.Node{Name: fmt.Sprintf("ip-10-0-%d-%d", i/256, i%256), Stage: record.Outdated})
	}
	r := New(s.Client, "drainboard", "ng-web")
	if err := r.Save(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if o := s.Object("/api/v1/namespaces/drainboard/configmaps/" + r.name); o["data"] != nil || o["binaryData"] == nil {
		t.Error("a large record is not zipped")
	}
	got, _, err := New(s.Client, "drainboard", "ng-web").Load(t.Context())
	if err != nil || got.Nodes.Len() != 4000 {
		t.Errorf("%d nodes, %v", got.Nodes.Len(), err)
	}
}

func TestRecordUnreadable(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		newer         bool
	}{
		{"empty", `{}`, false},
		{"no JSON", `{"data":{"run.json":"{"}}`, false},
		{"no version", `{"data":{"run.json":"{}"}}`, false},
		{"wrong type", `{"data":{"run.json":"{\"version\":1,\"id\":7}"}}`, false},
		{"no gzip", `{"binaryData":{"run.json.gz":"AAAA"}}`, false},
		{"a mark without its taint", `{"data":{"run.json":"{\"version\":1,\"id\":\"r\",\"group\":\"ng-web\",\"provider\":\"asg\",\"state\":\"finished\",\"marks\":{\"i-1\":[{\"put\":{\"kind\":\"taint\",\"key\":\"taint/i-1/k\",\"machine\":\"i-1\",\"node\":\"a\"}}]}}"}}`, false},
		{"an action without its taint", `{"data":{"run.json":"{\"version\":1,\"id\":\"r\",\"group\":\"ng-web\",\"provider\":\"asg\",\"state\":\"finished\",\"pending\":{\"k\":{\"action\":{\"kind\":\"check\",\"key\":\"k\",\"of\":{\"kind\":\"untaint\"}}}}}"}}`, false},
		{"newer", `{"data":{"run.json":"{\"version\":99,\"id\":{\"what\":\"is this\"}}"}}`, true},
		{"no state", `{"data":{"run.json":"{\"version\":1,\"id\":\"r\",\"group\":\"ng-web\",\"provider\":\"asg\"}"}}`, false},
	} {
		s := newStore(t)
		r := New(s.Client, "drainboard", "ng-web")
		rest := strings.TrimPrefix(tt.content, "{")
		if rest != "}" {
			rest = "," + rest
		}
		s.Put("/api/v1/namespaces/drainboard/configmaps/"+r.name, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"`+r.name+`","namespace":"drainboard"}`+rest)
		_, found, err := r.Load(t.Context())
		var damaged *live.DamagedError
		var newer *live.NewerError
		if !found || errors.As(err, &newer) != tt.newer || errors.As(err, &damaged) == tt.newer {
			t.Errorf("%s: found %v, %v", tt.name, found, err)
		}
		if err := r.Save(t.Context(), testRun("r")); !errors.Is(err, live.ErrLost) {
			t.Errorf("%s: a record that cannot be read was overwritten: %v", tt.name, err)
		}
	}
}

func TestRecordForbidden(t *testing.T) {
	s := newStore(t)
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/namespaces") {
			kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
			return true
		}
		return false
	})
	err := New(s.Client, "drainboard", "ng-web").Save(t.Context(), testRun("r"))
	if err == nil || !strings.Contains(err.Error(), "kubectl create namespace drainboard") {
		t.Errorf("got %v", err)
	}
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
		return true
	})
	var missing *kube.ForbiddenError
	if _, _, err := New(s.Client, "drainboard", "ng-web").Load(t.Context()); !errors.As(err, &missing) || missing.Right.String() != "get configmaps in namespace drainboard" {
		t.Errorf("got %v", err)
	}
}

// A write that the API server refuses for certain is told with its reason and what to do, and
// one for its size as such, so that a run that ends is written with less in it. What a 403 says
// is no missing right where a quota or a webhook says it.
func TestRecordRefused(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	if err := r.Save(t.Context(), testRun("a")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code          int
		reason, words string
		want          []string
		large, right  bool
	}{
		{403, "Forbidden", `configmaps "x" is forbidden: User "ann" cannot update resource "configmaps" in API group "" in the namespace "drainboard"`, []string{"this user may not update configmaps in namespace drainboard"}, false, true},
		{403, "Forbidden", `configmaps "x" is forbidden: exceeded quota: small, requested: count/configmaps=1`, []string{"exceeded quota: small", "raise the quota"}, false, false},
		{403, "Forbidden", `admission webhook "guard.example.com" denied the request: frozen`, []string{"guard.example.com", "frozen", "change the webhook"}, false, false},
		{422, "Invalid", `ConfigMap "x" is invalid: []: Too long: may not be more than 1048576 bytes`, []string{"too large", "1048576", "--max-unavailable"}, true, false},
		{413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728", []string{"too large", "3145728"}, true, false},
		{500, "", "etcdserver: request is too large", []string{"too large", "etcdserver"}, true, false},
		{500, "InternalError", "etcdserver: leader changed", []string{"leader changed"}, false, false},
	} {
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPut {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q}`, c.code, c.reason, c.words)
			return true
		})
		err := r.Save(t.Context(), testRun("b"))
		var right *kube.ForbiddenError
		if err == nil || errors.Is(err, live.ErrTooLarge) != c.large || errors.As(err, &right) != c.right || errors.Is(err, live.ErrLost) {
			t.Errorf("%d %s: %v", c.code, c.words, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%d %s: %q does not say %q", c.code, c.words, err, want)
			}
		}
	}
	s.Intercept(nil)
	if err := r.Save(t.Context(), testRun("c")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A run whose record is too large for as many ConfigMaps as it may have is told so before
// anything is sent.
func TestRecordTooLarge(t *testing.T) {
	s := newStore(t)
	run, random := testRun("a"), rand.New(rand.NewPCG(1, 2))
	run.Pods = shards.Of(map[string]record.Pod{})
	for range 8000 {
		uid := fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64())
		run.Pods = run.Pods.With(uid, record.Pod{Ref: fmt.Sprintf("shop/web-%016x", random.Uint64()), Node: "n1"})
	}
	r := New(s.Client, "drainboard", "ng-web")
	r.limit = 4 << 10
	if err := r.Save(t.Context(), run); !errors.Is(err, live.ErrTooLarge) || s.Paths() != "" || !strings.Contains(err.Error(), "KiB") {
		t.Errorf("%v", err)
	}
	if err := r.Save(t.Context(), run.Reduced()); err != nil {
		t.Errorf("with less in it: %v", err)
	}
}
