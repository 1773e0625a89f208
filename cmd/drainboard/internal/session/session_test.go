package session

import (
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	authv1 "k8s.io/api/authorization/v1"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/providers/kube"
)

// The last one that is done restores what the first one found.
func TestGCPercentSideBySide(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	first, second := RaiseGCPercent(), RaiseGCPercent()
	first()
	second()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("the garbage collector is left at %d", got)
	}
}

// What is to be shown is read while the rights are still asked for, and a right that
// is missing is told all the same.
func TestReadsBeforeRightsAreKnown(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-west-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	listed := make(chan struct{})
	first := sync.OnceFunc(func() { close(listed) })
	may := func(r *http.Request, a *authv1.ResourceAttributes) bool {
		select {
		case <-listed:
		case <-r.Context().Done(): // the client has given up
		}
		return a.Verb != "watch" || a.Resource != "pods"
	}
	flags := clitest.Cluster(t, may, func(r *http.Request) {
		if r.URL.Path == "/api/v1/pods" {
			first()
		}
	})
	s, _, err := (Options{Flags: flags, Namespace: "drainboard"}).Connect(t.Context(), backend.Where{Provider: "asg"}, kube.ReadRights("drainboard"), true)
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.Find(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Read(t.Context(), at, nil); err == nil || !strings.Contains(err.Error(), "watch pods") {
		t.Errorf("read: %v, want that the right to watch pods is missing", err)
	}
}
