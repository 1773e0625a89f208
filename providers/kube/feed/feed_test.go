package feed

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
	"github.com/drainboard/drainboard/providers/kube/transport"
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

// feeding runs a feed and gives a function that lets its changes in until the
// world is as wanted.
func feeding(t *testing.T, c *kube.Client, set ...func(*Feed)) (until func(string, func(*world.World) bool) *world.World, ended <-chan error) {
	ctx, cancel := context.WithCancel(t.Context())
	changes, done := make(chan live.Change, 100), make(chan error, 1)
	f := New(c)
	for _, set := range set {
		set(f)
	}
	go func() {
		done <- f.Run(ctx, func(ch live.Change) {
			select {
			case changes <- ch:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(cancel)
	w := world.New()
	return func(what string, want func(*world.World) bool) *world.World {
		t.Helper()
		late := time.After(10 * time.Second)
		for !want(w) {
			select {
			case ch := <-changes:
				ch(w)
			case <-late:
				t.Fatalf("never: %s; health %+v", what, w.Health)
			}
		}
		return w
	}, done
}

func fresh(w *world.World) bool {
	return !w.Health[world.Cluster].Fresh.IsZero() && w.Health[world.Cluster].Problem == ""
}

const (
	nodePath   = "/api/v1/nodes/n1"
	plainN1    = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","uid":"nu1","labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{"providerID":"aws:///z/i-1"}}`
	podPath    = "/api/v1/pods/p1"
	pod1       = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p1","namespace":"shop","uid":"u1"},"spec":{"nodeName":"n1"}}`
	budgetPath = "/apis/policy/v1/poddisruptionbudgets/b1"
	closed     = `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"b1","namespace":"shop"},"status":{"disruptionsAllowed":0}}`
	opened     = `{"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"b1","namespace":"shop"},"status":{"disruptionsAllowed":1}}`
)

func TestFeed(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Put(nodePath, plainN1)
	s.Put(podPath, pod1)
	s.Put(budgetPath, closed)
	s.Put("/apis/apps/v1/daemonsets/d1", `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"d1","namespace":"shop","uid":"d1"}}`)
	until, _ := feeding(t, s.Client)
	w := until("fresh", fresh)
	if w.NodeOf("i-1") == nil || len(w.PodsOn("n1")) != 1 || w.Budget("shop/b1") == nil || !w.HasDaemonSet("d1") || w.HasDaemonSet("d2") {
		t.Fatalf("fresh, but not whole: %v %v %v", w.Nodes(), w.PodsOn("n1"), w.Budgets())
	}

	node := w.Node("n1")
	start := time.Now()
	s.Put(budgetPath, opened)
	until("the budget opens", func(w *world.World) bool { return w.Budget("shop/b1").Allowed == 1 })
	if took := time.Since(start); took > time.Second {
		t.Errorf("an opened budget took %v", took)
	}
	s.Put(nodePath, plainN1) // a new version that says nothing new
	s.Put("/api/v1/pods/p2", strings.NewReplacer("p1", "p2", "u1", "u2").Replace(pod1))
	s.Remove(podPath)
	until("a pod goes, another comes", func(w *world.World) bool { return w.Pod("u1") == nil && w.Pod("u2") != nil })
	if w.Node("n1") != node {
		t.Error("a node that did not change was replaced")
	}
}

func TestFeedComesBack(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Put(podPath, pod1)
	until, _ := feeding(t, s.Client)
	until("fresh", fresh)

	s.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		kubetest.Say(w, 401, kubetest.Status(401, "Unauthorized", "Unauthorized", ""))
		return true
	})
	s.Cut("/api/v1/pods")
	w := until("a problem", func(w *world.World) bool { return w.Health[world.Cluster].Problem != "" })
	h := w.Health[world.Cluster]
	if !strings.Contains(h.Problem, "expired") || h.Fresh.IsZero() || h.Retry.IsZero() {
		t.Errorf("got %+v", h)
	}
	s.Remove(podPath)
	s.Intercept(nil)
	until("fresh again", fresh)
}

// What was listed in full is fresh as of then, also while the watches are not open yet.
func TestFeedIsFreshOnceListed(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Put(podPath, pod1)
	s.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("watch") == "" {
			return false
		}
		<-r.Context().Done()
		return true
	})
	until, _ := feeding(t, s.Client)
	if w := until("fresh", fresh); w.Pod("u1") == nil {
		t.Error("fresh, but not whole")
	}
	until("watches that do not open are a problem", func(w *world.World) bool { return w.Health[world.Cluster].Problem != "" })
}

// A server that has just started still lists an older version when a page of that very
// version is asked for, but nothing can be watched from there.
func TestFeedAfterARestart(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Put(podPath, pod1)
	until, _ := feeding(t, s.Client)
	until("fresh", fresh)

	const old = 1000
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		version, err := strconv.Atoi(q.Get("resourceVersion"))
		switch {
		case err != nil || version >= old:
			return false
		case q.Get("watch") != "":
			kubetest.Say(w, 200, `{"type":"ERROR","object":`+kubetest.Status(410, "Expired", "too old resource version", "")+"}\n")
		default:
			list := s.List(r.URL.Path)
			head, _, _ := strings.Cut(strings.Replace(list, strconv.Itoa(old), strconv.Itoa(version), 1), `"items":[`)
			kubetest.Say(w, 200, head+`"items":[]}`)
		}
		return true
	})
	s.Restart(old, "/api/v1/pods/p3", strings.NewReplacer("p1", "p3", "u1", "u3").Replace(pod1))
	until("what came meanwhile", func(w *world.World) bool { return w.Pod("u3") != nil && fresh(w) })
}

func TestFeedForbidden(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"list", "watch"} {
		for _, k := range New(newStore(t).Client).sources {
			s := newStore(t)
			s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				is := "list"
				if r.URL.Query().Get("watch") != "" {
					is = "watch"
				}
				if r.URL.Query().Get("sendInitialEvents") != "" || is != verb || !strings.HasSuffix(r.URL.Path, "/"+k.Resource) {
					return false
				}
				kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
				return true
			})
			_, ended := feeding(t, s.Client)
			select {
			case err := <-ended:
				var missing *kube.ForbiddenError
				if !errors.As(err, &missing) || missing.Right != (kube.Right{Verb: verb, Group: k.Group, Resource: k.Resource}) {
					t.Errorf("%s %s: %v", verb, k.Resource, err)
				}
			case <-time.After(5 * time.Second):
				t.Errorf("%s %s: no error", verb, k.Resource)
			}
		}
	}
}

// Who waits for a node to go is told at once.
func TestOnNodeGone(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Put(nodePath, plainN1)
	gone := make(chan bool, 10)
	until, _ := feeding(t, s.Client, func(f *Feed) { f.OnNodeGone(func() { gone <- true }) })
	until("fresh", fresh)
	if len(gone) > 0 {
		t.Error("told that a node is gone, and none is")
	}
	s.Remove(nodePath)
	until("the node is gone", func(w *world.World) bool { return w.Node("n1") == nil })
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("not told that the node is gone")
	}
}

// No watch waits without end for an API that never answers.
func TestSilentAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := kube.Open(kubetest.Silent(), "test")
		if err != nil {
			t.Fatal(err)
		}
		f := New(c)
		FollowKind(f, kube.Kind{Group: "core.gardener.cloud", Version: "v1beta1", Resource: "shoots", Namespace: "garden-shop"}, func(*unstructured.Unstructured) *string { return nil }, nil)
		if len(f.sources) != 5 {
			t.Fatalf("%d kinds are followed", len(f.sources))
		}
		for _, s := range f.sources {
			begin := time.Now()
			if _, err := s.WatchWithContext(context.WithoutCancel(t.Context()), metav1.ListOptions{}); !transport.IsTimeout(err) || time.Since(begin) != transport.RequestTimeout {
				t.Errorf("a watch of %s was given up after %s: %v", s.Resource, time.Since(begin), err)
			}
		}
	})
}
