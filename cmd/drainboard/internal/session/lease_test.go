package session

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/kube"
)

// TestLeaseGoesOnOnlyWithItsOwnRun: what a record read after a lost lock means.
func TestLeaseGoesOnOnlyWithItsOwnRun(t *testing.T) {
	mine := record.Run{ID: "mine", Strategy: "eks", GroupID: "arn:1", State: record.Running}
	for _, c := range []struct {
		name   string
		saved  bool
		loaded record.Run
		found  bool
		want   string // the run to continue with, "" for none
	}{
		{"our own record", true, record.Run{ID: "mine", Strategy: "eks", GroupID: "arn:1", State: record.Paused}, true, "mine"},
		{"edited to be of another strategy", true, record.Run{ID: "mine", Strategy: "surge", GroupID: "arn:1", State: record.Running}, true, ""},
		{"edited to be of another group", true, record.Run{ID: "mine", Strategy: "eks", GroupID: "arn:2", State: record.Running}, true, ""},
		{"lost before the first save, no record", false, record.Run{}, false, "mine"},
		{"lost before the first save, an old record", false, record.Run{ID: "old", State: record.Finished}, true, "mine"},
		{"lost before the first save, another process drives it", false, record.Run{ID: "theirs", State: record.Running}, true, ""},
		{"another process took over and started again", true, record.Run{ID: "theirs", State: record.Running}, true, ""},
		{"another process took over and finished", true, record.Run{ID: "theirs", State: record.Finished}, true, ""},
		{"another process took over and ended it", true, record.Run{ID: "mine", Strategy: "eks", GroupID: "arn:1", State: record.Finished}, true, ""},
		{"the record was deleted", true, record.Run{}, false, ""},
	} {
		h := &Lease{run: mine, saved: c.saved}
		run, err := h.proceed(c.loaded, c.found)
		if c.want == "" && !errors.Is(err, live.ErrLost) || c.want != "" && (err != nil || run.ID != c.want) {
			t.Errorf("%s: continues with %q, %v; want %q", c.name, run.ID, err, c.want)
		}
	}
}

// A record that cannot be gone on with when the lock is back ends this process's part:
// it must not take and give up the lock for ever.
func TestRegainGivesUpAnUnreadableRecord(t *testing.T) {
	for _, c := range []struct{ record, says string }{
		{`{"version":99}`, "of a newer Drainboard"},
		{`{"version":`, "is damaged"},
	} {
		flags := leasing(t, c.record)
		k, err := kube.Connect(t.Context(), flags, "test")
		if err != nil {
			t.Fatal(err)
		}
		h := NewInCluster(k, "drainboard").Lease("web", nil)
		h.run, h.saved = record.Run{ID: "mine"}, true
		if err := h.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 5*regainPause)
		if _, err := h.Regain(ctx); !errors.Is(err, live.ErrLost) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.record, err)
		}
		stop()
		h.Release()
	}
}

// A lock that is got back is kept although the record cannot be read at once.
func TestRegainReadsTheRecordAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		took := 0
		h := &Lease{
			run: record.Run{ID: "mine"}, saved: true, Record: &failingRecord{failures: 3},
			take: func(context.Context) (HeldLock, error) { took++; return openLock{}, nil },
		}
		if err := h.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if run, err := h.Regain(t.Context()); err != nil || run.ID != "mine" || took != 2 {
			t.Errorf("got %q, %v; the lock was taken %d times, want 2", run.ID, err, took)
		}
	})
}

// failingRecord cannot be read some times.
type failingRecord struct {
	RunRecord
	failures int
}

func (r *failingRecord) Load(context.Context) (record.Run, bool, error) {
	if r.failures--; r.failures >= 0 {
		return record.Run{}, false, errors.New("the API is away")
	}
	return record.Run{ID: "mine"}, true, nil
}

// openLock is held, and never lost.
type openLock struct{}

func (openLock) Lost() <-chan struct{} { return nil }

func (openLock) Sure() bool { return true }

func (openLock) Release() {}

// leasing is a cluster that keeps leases, and has a group's record as it is given.
func leasing(t *testing.T, record string) kube.Flags {
	var mu sync.Mutex
	var lease *coordinationv1.Lease
	version := 0
	return clitest.Serving(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var answer any = &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		code := http.StatusNotFound
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path == "/readyz":
			code = http.StatusOK
		case strings.Contains(r.URL.Path, "/configmaps/"):
			code, answer = http.StatusOK, &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
				ObjectMeta: metav1.ObjectMeta{Namespace: "drainboard", Name: filepath.Base(r.URL.Path), ResourceVersion: "1"}, Data: map[string]string{"run.json": record}}
		case !strings.Contains(r.URL.Path, "/leases"):
		case r.Method != http.MethodGet:
			of, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
			if err != nil {
				t.Error(err)
				break
			}
			version++
			lease = of.(*coordinationv1.Lease)
			lease.Kind, lease.APIVersion, lease.ResourceVersion = "Lease", "coordination.k8s.io/v1", strconv.Itoa(version)
			fallthrough
		case lease != nil:
			code, answer = http.StatusOK, lease
		}
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	})
}
