package feed

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// largeStore is a cluster of so many nodes n1, n2, ..., each with a pod of the same number.
func largeStore(t *testing.T, nodes int) *store {
	s := newStore(t)
	for i := 1; i <= nodes; i++ {
		with := strings.NewReplacer(`"n1"`, fmt.Sprintf(`"n%d"`, i), `"nu1"`, fmt.Sprintf(`"nu%d"`, i), `"p1"`, fmt.Sprintf(`"p%d"`, i), `"u1"`, fmt.Sprintf(`"u%d"`, i))
		s.Put(fmt.Sprintf("/api/v1/nodes/n%d", i), with.Replace(plainN1))
		s.Put(fmt.Sprintf("/api/v1/pods/p%d", i), with.Replace(pod1))
	}
	return s
}

// podLists notes which lists of pods are asked for, by their field selectors; before, if
// not nil, may answer one.
func podLists(s *store, before func(selector string, w http.ResponseWriter, r *http.Request) bool) func() []string {
	var mu sync.Mutex
	var asked []string
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		if !strings.HasSuffix(r.URL.Path, "/pods") || q.Get("watch") != "" {
			return false
		}
		mu.Lock()
		asked = append(asked, q.Get("fieldSelector")+" "+q.Get("resourceVersion"))
		mu.Unlock()
		return before != nil && before(q.Get("fieldSelector"), w, r)
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(asked)
	}
}

// In a large cluster all but the pods is known first, then the pods of the nodes that
// a user sees, from the server's cache, and then all pods.
func TestNodesFirst(t *testing.T) {
	t.Parallel()
	s := largeStore(t, fewNodes+1)
	all := make(chan bool)
	asked := podLists(s, func(selector string, w http.ResponseWriter, r *http.Request) bool {
		switch selector {
		case "":
			select {
			case <-all:
			case <-r.Context().Done():
			}
		case "spec.nodeName=n3":
			kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "so it is", ""))
			return true
		}
		return false
	})
	var f *Feed
	until, _ := feeding(t, s.Client, func(feed *Feed) {
		f = feed
		f.NodesFirst()
		f.early.patience = time.Hour
	})
	w := until("the nodes", (*world.World).Partial)
	if len(w.Nodes()) != fewNodes+1 || w.KnowsPodsOn("n1") || len(asked()) > 0 {
		t.Errorf("%d nodes, asked for pods: %q", len(w.Nodes()), asked())
	}
	f.See([]string{"n1", "n2", "n3"})
	until("the pods of what is seen", func(w *world.World) bool { return w.KnowsPodsOn("n1") && w.KnowsPodsOn("n2") })
	if on := w.PodsOn("n2"); len(on) != 1 || on[0].UID != "u2" || w.Pod("u2") != nil || w.KnowsPodsOn("n3") || w.KnowsPodsOn("n4") || !w.Partial() {
		t.Errorf("on n2: %v; of n3, which failed, known: %v", on, w.KnowsPodsOn("n3"))
	}
	f.See([]string{"n3", "n4"}) // scrolled on, while all are being read
	until("the pods of what is seen then", func(w *world.World) bool { return w.KnowsPodsOn("n4") })
	if w.KnowsPodsOn("n3") {
		t.Error("n3 is known")
	}
	close(all)
	until("all", fresh)
	if w.Partial() || len(w.PodsOn("n3")) != 1 || w.Pod("u2") == nil {
		t.Error("fresh, but not whole")
	}
	got := asked()
	first := got[:3]
	slices.Sort(first)
	if !slices.Equal(first, []string{"spec.nodeName=n1 0", "spec.nodeName=n2 0", "spec.nodeName=n3 0"}) {
		t.Errorf("asked for %q first", first)
	}
	rest := got[3:]
	slices.Sort(rest)
	if !slices.Equal(rest, []string{" ", "spec.nodeName=n4 0"}) {
		t.Errorf("asked for %q then", rest)
	}
}

// The pods of a small cluster are read all together, and it is shown when all is read.
func TestFewNodesAtOnce(t *testing.T) {
	t.Parallel()
	s := largeStore(t, 3)
	asked := podLists(s, nil)
	until, _ := feeding(t, s.Client, func(f *Feed) {
		f.NodesFirst()
		f.early.patience = time.Hour
	})
	w := until("all", func(w *world.World) bool {
		if w.Partial() {
			t.Error("it is partial")
		}
		return fresh(w)
	})
	if w.Health[world.Nodes].Fresh.IsZero() || len(w.PodsOn("n3")) != 1 {
		t.Error("who waits for the nodes waits for ever")
	}
	if got := asked(); !slices.Equal(got, []string{" "}) {
		t.Errorf("asked for %q", got)
	}
}

// All pods are read although nobody says what he sees.
func TestNobodySees(t *testing.T) {
	t.Parallel()
	s := largeStore(t, fewNodes+1)
	until, _ := feeding(t, s.Client, func(f *Feed) {
		f.NodesFirst()
		f.early.patience = time.Millisecond
	})
	until("all", fresh)
}

// Who has nothing in sight that is still to be read lets all pods be read at once.
func TestNothingInSight(t *testing.T) {
	t.Parallel()
	s := largeStore(t, fewNodes+1)
	var f *Feed
	until, _ := feeding(t, s.Client, func(feed *Feed) {
		f = feed
		f.NodesFirst()
		f.early.patience = time.Hour
	})
	until("the nodes", (*world.World).Partial)
	f.See([]string{})
	until("all", fresh)
}

// That the pods of a large cluster take long is no problem, and that they cannot be read
// is one.
func TestPodsThatTakeLong(t *testing.T) {
	t.Parallel()
	s := largeStore(t, fewNodes+1)
	beats, fail := make(chan bool, 100), make(chan bool)
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.URL.Path == "/readyz":
			beats <- true
		case strings.HasSuffix(r.URL.Path, "/pods") && r.URL.Query().Get("watch") == "":
			select {
			case <-fail:
			case <-r.Context().Done():
			}
			kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "so it is", ""))
			return true
		}
		return false
	})
	until, _ := feeding(t, s.Client, func(f *Feed) {
		f.NodesFirst()
		f.early.patience = time.Millisecond
	})
	until("the nodes", (*world.World).Partial)
	go func() {
		for end := time.Now().Add(patience + beat); time.Now().Before(end); {
			<-beats
		}
		close(fail)
	}()
	w := until("why not", func(w *world.World) bool {
		problem := w.Health[world.Cluster].Problem
		if strings.Contains(problem, "reading the cluster") {
			t.Fatal("that it takes long is a problem")
		}
		return strings.Contains(problem, "so it is")
	})
	if !w.Partial() {
		t.Error("the nodes are forgotten")
	}
}

// Nothing is posted where nothing was read: who shows what is posted would ask for the
// same nodes again, over and over.
func TestReadingNothingIsNoNews(t *testing.T) {
	t.Parallel()
	s := largeStore(t, 1)
	podLists(s, func(_ string, w http.ResponseWriter, _ *http.Request) bool {
		kubetest.Say(w, 500, kubetest.Status(500, "InternalError", "so it is", ""))
		return true
	})
	f := New(s.Client)
	f.ctx, f.stop = context.WithCancel(t.Context())
	defer f.stop()
	f.readPodsOn(nil)
	f.readPodsOn([]string{"n1"})
	if n := len(f.out.waiting); n > 0 {
		t.Errorf("%d changes are posted", n)
	}
}
