package clitest

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
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

// Cluster is one that answers questions for rights by may, and everything else with
// nothing once asked has seen it. It returns the flags that lead there.
func Cluster(t *testing.T, may func(*http.Request, *authv1.ResourceAttributes) bool, asked func(*http.Request)) kube.Flags {
	t.Helper()
	return Serving(t, func(w http.ResponseWriter, r *http.Request) {
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

// Serving is a cluster that answers in JSON; it returns the flags that lead there.
func Serving(t *testing.T, answer http.HandlerFunc) kube.Flags {
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
	return kube.Flags{Kubeconfig: path}
}

// AnyCluster is a cluster that answers everything in the same way.
func AnyCluster(t *testing.T, code int, body string) *kube.Client {
	t.Helper()
	flags := Serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			return
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	})
	k, err := kube.Connect(t.Context(), flags, "test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Rolled is a group in the world with a node of it, and a run of it.
func Rolled() (*world.World, record.Run) {
	w := world.New()
	lt := world.Template{ID: "lt-1", Version: 2}
	sizes := world.Sizes{Min: 1, Max: 3, Desired: 1}
	w.SetGroup(world.Group{Name: "web", ID: "arn:1", Provider: "asg", Sizes: sizes, Template: lt, TemplateSpec: "2", Suspended: []string{"AZRebalance"}})
	w.SetMachines([]world.Machine{{ID: "i-1", State: world.MachineInService}})
	w.SetNode(&world.Node{Name: "a", Machine: "i-1", Taints: []world.Taint{{Key: world.SurplusTaint, Effect: "PreferNoSchedule"}}})
	now := time.Now()
	run := record.Run{
		Version: record.RecordVersion, ID: "web-1", Group: "web", GroupID: "arn:1", Provider: "asg", Strategy: "eks", State: record.Running, Limit: 1, Started: now, Seen: now,
		Base: sizes, BaseTemplate: lt, BaseTemplateSpec: "2", Phases: []record.Phase{{Name: "setup", Start: now}},
	}
	return w, run
}

// Contains holds that a text says what is wanted.
func Contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// ExitOf is the exit code of an error, 0 if it has none.
func ExitOf(err error) int {
	var e *exitcode.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
