package records

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
)

// Of a group's earlier runs the last few stay readable, and nothing grows.
func TestPastRuns(t *testing.T) {
	s := newStore(t)
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	const runs = 2*pastRuns + 3
	for i := range runs {
		r := New(s.Client, "drainboard", "ng-web")
		if _, _, err := r.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 { // one that did not get to its first save after that begins again
			if _, err := r.Keep(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
		}
		if i == 1 { // the first was kept by a machine whose clock is an hour ahead
			first := s.Object("/api/v1/namespaces/drainboard/configmaps/" + pastName(r.name, 1))
			first["metadata"].(map[string]any)["annotations"].(map[string]any)[keptMark] = time.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
		}
		run := testRun(fmt.Sprint("r", i))
		run.State = record.Finished
		for range 2 {
			if err := r.Save(t.Context(), run); err != nil {
				t.Fatal(err)
			}
		}
	}
	past, err := Past(t.Context(), s.Client, "drainboard", kube.RecordName("ng-web"))
	if err != nil || len(past) != pastRuns {
		t.Fatalf("%d records are kept, %v", len(past), err)
	}
	for i, p := range past {
		if want := fmt.Sprint("r", runs-2-i); p.Err != nil || p.Run.ID != want || p.Kept.IsZero() || p.Discarded != "" {
			t.Errorf("%d: %+v, want %s", i, p, want)
		}
	}
	now, err := All(t.Context(), s.Client, "drainboard")
	if err != nil || len(now) != 1 || now[0].Run.ID != fmt.Sprint("r", runs-1) {
		t.Errorf("the record itself: %+v, %v", now, err)
	}
	if other, err := Past(t.Context(), s.Client, "drainboard", kube.RecordName("ng-api")); err != nil || len(other) > 0 {
		t.Errorf("another group's: %+v, %v", other, err)
	}
	n := 0
	for _, path := range strings.Split(s.Paths(), "\n") {
		if strings.Contains(path, "configmaps/") {
			n++
		}
	}
	if n != pastRuns+1 {
		t.Errorf("%d ConfigMaps", n)
	}
}

// A record that cannot be read is put aside as it is, and written over only if
// nobody has changed it since.
func TestDiscardedRecord(t *testing.T) {
	s := newStore(t)
	r := New(s.Client, "drainboard", "ng-web")
	s.Put("/api/v1/namespaces/drainboard", `{"metadata":{"name":"drainboard"}}`)
	path := "/api/v1/namespaces/drainboard/configmaps/" + r.name
	damaged := `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + r.name + `","namespace":"drainboard"},"data":{"run.json":"{"}}`
	s.Put(path, damaged)
	var bad *live.DamagedError
	if _, _, err := r.Load(t.Context()); !errors.As(err, &bad) {
		t.Fatal(err)
	}
	name, err := r.Keep(t.Context(), "by ann@laptop: it is damaged")
	if err != nil || name != "drainboard/"+pastName(r.name, 1) {
		t.Fatal(name, err)
	}
	kept := s.Object("/api/v1/namespaces/drainboard/configmaps/" + pastName(r.name, 1))
	if data, _ := kept["data"].(map[string]any); data["run.json"] != "{" {
		t.Errorf("kept %v", kept)
	}
	if err := r.Save(t.Context(), testRun("r1")); err != nil {
		t.Fatal(err)
	}
	past, err := Past(t.Context(), s.Client, "drainboard", r.name)
	if err != nil || len(past) != 1 || !errors.As(past[0].Err, &bad) || past[0].Discarded != "by ann@laptop: it is damaged" {
		t.Errorf("past %+v, %v", past, err)
	}

	s.Put(path, damaged)
	r = New(s.Client, "drainboard", "ng-web")
	if _, err := r.Keep(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	s.Put(path, damaged) // another user writes in between
	if err := r.Save(t.Context(), testRun("r2")); !errors.Is(err, live.ErrLost) {
		t.Errorf("written over what was not kept: %v", err)
	}
	s.Intercept(func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method == http.MethodGet {
			return false
		}
		kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
		return true
	})
	var missing *kube.ForbiddenError
	if _, err := r.Keep(t.Context(), "x"); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}

// The record of one group under the name of another's is not taken for its own.
func TestRecordOfAnotherGroup(t *testing.T) {
	s := newStore(t)
	theirs := New(s.Client, "drainboard", "ng-api")
	other := testRun("r1")
	other.Group = "ng-api"
	if err := theirs.Save(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	ours := New(s.Client, "drainboard", "ng-web")
	copied := strings.ReplaceAll(kubetest.AsText(s.Object("/api/v1/namespaces/drainboard/configmaps/"+theirs.name)), theirs.name, ours.name)
	s.Put("/api/v1/namespaces/drainboard/configmaps/"+ours.name, copied)
	var bad *live.DamagedError
	if _, _, err := ours.Load(t.Context()); !errors.As(err, &bad) || !strings.Contains(err.Error(), "it belongs to the asg group ng-api") {
		t.Errorf("got %v", err)
	}
}
