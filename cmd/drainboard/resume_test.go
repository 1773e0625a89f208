package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authv1 "k8s.io/api/authorization/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/providers/kube"
)

// noDeletes is a cluster in which everything is allowed but to delete pods.
func noDeletes(t *testing.T) *kube.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var review authv1.SelfSubjectAccessReview
		body, _ := io.ReadAll(r.Body)
		if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &review); err != nil || review.Spec.ResourceAttributes == nil {
			fmt.Fprint(w, `{}`) // not a question for a right
			return
		}
		review.Status.Allowed = review.Spec.ResourceAttributes.Verb != "delete"
		review.Kind, review.APIVersion = "SelfSubjectAccessReview", "authorization.k8s.io/v1"
		w.WriteHeader(http.StatusCreated)
		if err := json.NewEncoder(w).Encode(review); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "config")
	config := "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: '" + server.URL + "'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &path
	k, err := kube.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestResumeChecksTheRightToForce(t *testing.T) {
	run := engine.Run{ID: "web-1", Group: "web", Strategy: "eks", State: engine.Running, Started: time.Now(), Seen: time.Now()}
	run.Settings.OnDrainTimeout = engine.TimeoutForce
	d := &driver{upgrade: &upgrade{app: &app{out: io.Discard, err: io.Discard}}, session: &session{kube: noDeletes(t)}}
	err := d.resume(t.Context(), run)
	var e *exitError
	if !errors.As(err, &e) || e.code != exitUsage {
		t.Fatalf("resume: %v, want exit code %d", err, exitUsage)
	}
	for _, want := range []string{"web-1", "delete pods", `verbs: ["delete"]`} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q does not say %q", e, want)
		}
	}
}
