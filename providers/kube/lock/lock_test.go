package lock

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// store is the API server of a client.
type store struct {
	*kubetest.Store
	*kube.Client
	host string // where it is
}

func newStore(t *testing.T) *store {
	s := &store{Store: kubetest.NewStore(t)}
	s.Client = kubetest.Client(t, func(cfg *rest.Config, version string) (*kube.Client, error) {
		s.host = cfg.Host
		return kube.Open(cfg, version)
	}, s.Serve)
	return s
}

const leasePrefix = "/apis/coordination.k8s.io/v1/namespaces/drainboard/leases/"

func TestLock(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lease to be renewed")
	}
	t.Parallel()
	s := newStore(t)
	held, err := New(s.Client, "drainboard", "ng-web").Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := New(s.Client, "drainboard", "ng-web")
	var by *live.HeldError
	if _, err := second.Acquire(t.Context()); !errors.As(err, &by) || by.Holder != Identity() || by.Since.IsZero() {
		t.Errorf("a second process: %v", err)
	}
	select {
	case <-held.Lost():
		t.Error("lost without a reason")
	default:
	}
	held.Release()
	select {
	case <-held.Lost():
		t.Error("a release is no loss")
	default:
	}
	again, err := second.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
}

func TestLockOfDeadHolder(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lease to expire")
	}
	t.Parallel()
	s := newStore(t)
	l := New(s.Client, "drainboard", "ng-web")
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	s.Put(leasePrefix+l.name, lease(l.name, "ann@laptop pid 7 #ABC", 2, time.Now()))
	told := ""
	l.Waiting = func(holder string, _ time.Time) { told = holder }
	held, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if told != "ann@laptop pid 7" {
		t.Errorf("told %q", told)
	}
	// Another process takes it from us: known at the next renewal, not ten seconds later.
	s.Put(leasePrefix+l.name, lease(l.name, "bob@host pid 8", 15, time.Now()))
	select {
	case <-held.Lost():
	case <-time.After(5 * time.Second):
		t.Error("the loss is not noticed")
	}
}

func lease(name, holder string, seconds int, renewed time.Time) string {
	at := renewed.UTC().Format(metav1.RFC3339Micro)
	return fmt.Sprintf(`{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":%q,"namespace":"drainboard"},"spec":{"holderIdentity":%q,"leaseDurationSeconds":%d,"acquireTime":%q,"renewTime":%q}}`, name, holder, seconds, at, at)
}

func TestLockForbidden(t *testing.T) {
	s := newStore(t)
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut} {
		s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != method || !strings.Contains(r.URL.Path, "/leases") {
				return false
			}
			kubetest.Say(w, 403, kubetest.Status(403, "kube.Forbidden", "no", ""))
			return true
		})
		verb := map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update"}[method]
		var missing *kube.ForbiddenError
		if _, err := New(s.Client, "drainboard", "ng-web").Acquire(t.Context()); !errors.As(err, &missing) || missing.Right.Verb != verb {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

func TestLockReleasesOnlyItsOwn(t *testing.T) {
	s := newStore(t)
	l := New(s.Client, "drainboard", "ng-web")
	s.Put(leasePrefix+l.name, lease(l.name, "bob@host pid 8", 15, time.Now()))
	w := l.watched(func() {})
	if _, err := w.get(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.update(t.Context(), holding{}); err == nil {
		t.Error("released another process's lease")
	}
}

// An API that fails a request or two, or does not answer them, does not keep the lock from being given up.
func TestLockIsReleasedAllTheSame(t *testing.T) {
	for name, trouble := range map[string]struct {
		requests int32
		meets    func(http.ResponseWriter, *http.Request)
	}{
		"fails": {3, func(w http.ResponseWriter, _ *http.Request) {
			kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "etcdserver: leader changed", ""))
		}},
		"does not answer": {2, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
			l := New(s.Client, "drainboard", "ng-web")
			held, err := l.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var left atomic.Int32
			left.Store(trouble.requests)
			s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.Contains(r.URL.Path, "/leases/") || left.Add(-1) < 0 {
					return false
				}
				trouble.meets(w, r)
				return true
			})
			held.Release()
			begin := time.Now()
			next, err := New(s.Client, "drainboard", "ng-web").Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			next.Release()
			if took := time.Since(begin); took > leaseDuration/2 {
				t.Errorf("the next process waited for %s", took)
			}
		})
	}
}

// Whether the lease may still be ours is asked of both clocks: the monotonic one
// stands still while a machine sleeps, and the wall clock can be set back.
func TestLeaseIsFreshByBothClocks(t *testing.T) {
	began := time.Now()
	for _, tt := range []struct {
		name       string
		wall, mono time.Duration // since the lease was renewed
		want       bool
	}{
		{"renewed just now", time.Second, time.Second, true},
		{"not renewed in time", renewDeadline, renewDeadline, false},
		{"a lid that was closed", time.Hour, time.Second, false},
		{"a stopped process whose clock was set back", -time.Hour, time.Minute, false},
		{"a clock that was set back", -time.Hour, time.Second, true},
	} {
		// A time with a monotonic reading of its own is made by adding to one that has it;
		// what the wall clock shows then is put beside it.
		if got := freshAt(began, began.Add(tt.mono), began.Round(0).Add(tt.wall)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A holder that slept until another process had taken the lease, finished, and given it
// back, has lost it all the same: what the record says counts, not what it knew.
func TestLockTakenAndGivenBackIsLost(t *testing.T) {
	s := newStore(t)
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	held, err := New(s.Client, "drainboard", "ng-web").Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if !held.Sure() {
		t.Error("just taken, and not sure")
	}
	name := kube.RecordName("ng-web")
	s.Put(leasePrefix+name, lease(name, "", 1, time.Now()))
	select {
	case <-held.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("the loss is not noticed")
	}
	if held.Sure() {
		t.Error("lost, and sure")
	}
}
