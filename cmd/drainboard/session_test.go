package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	authv1 "k8s.io/api/authorization/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/backend"
	"github.com/drainboard/drainboard/providers/kube"
)

// Whoever hurries last puts back what the first one found.
func TestHurrySideBySide(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	first, second := hurry(), hurry()
	first()
	second()
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("the garbage collector is left at %d", got)
	}
}

// cluster is one that answers questions for rights by may, and everything else with
// nothing once asked has seen it. It returns the flags that lead there.
func cluster(t *testing.T, may func(*http.Request, *authv1.ResourceAttributes) bool, asked func(*http.Request)) *genericclioptions.ConfigFlags {
	t.Helper()
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		var review authv1.SelfSubjectAccessReview
		body, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); err != nil || review.Spec.ResourceAttributes == nil {
			asked(r)
			fmt.Fprint(w, `{}`)
			return
		}
		review.Status.Allowed = may(r, review.Spec.ResourceAttributes)
		review.Kind, review.APIVersion = "SelfSubjectAccessReview", "authorization.k8s.io/v1"
		w.WriteHeader(http.StatusCreated)
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	})
}

// serving is a cluster that answers in JSON; it returns the flags that lead there.
func serving(t *testing.T, answer http.HandlerFunc) *genericclioptions.ConfigFlags {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "config")
	config := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &path
	return flags
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
	flags := cluster(t, may, func(r *http.Request) {
		if r.URL.Path == "/api/v1/pods" {
			first()
		}
	})
	s, _, err := connect(t.Context(), flags, "drainboard", backend.Where{Provider: "asg"}, kube.ReadRights("drainboard"), true)
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.find(t.Context(), "web")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.look(t.Context(), at, nil); err == nil || !strings.Contains(err.Error(), "watch pods") {
		t.Errorf("look: %v, want that the right to watch pods is missing", err)
	}
}
