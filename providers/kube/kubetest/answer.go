// Package kubetest has a small API server of Kubernetes for tests: a store of objects, or a handler
// that answers as a test wants it. It does not know package kube, so that kube's own tests use it, too.
package kubetest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
)

// Client is a client, made by open, of an API that a handler plays until the test ends.
func Client[C any](t *testing.T, open func(cfg *rest.Config, version string) (C, error), h http.HandlerFunc) C {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := open(&rest.Config{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Kubeconfig writes a kubeconfig with one context, "prod", whose cluster "prod-eu" is at server,
// and returns its path. user is the user's entry, as YAML on one line.
func Kubeconfig(t *testing.T, server, user string) string {
	t.Helper()
	t.Setenv("KUBERNETES_MASTER", "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	path := filepath.Join(t.TempDir(), "config")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: prod\n" +
		"clusters: [{name: prod-eu, cluster: {insecure-skip-tls-verify: true, server: '" + server + "'}}]\n" +
		"contexts: [{name: prod, context: {cluster: prod-eu, user: ann}}]\n" +
		"users: [{name: ann, user: " + user + "}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Say answers with a body as the API does.
func Say(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// Status is a Failure as the API words it; details may be "".
func Status(code int, reason, message, details string) string {
	s := map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message}
	if details != "" {
		s["details"] = json.RawMessage(details)
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Silent is the configuration of an API that never answers a request.
func Silent() *rest.Config { return &rest.Config{Host: "http://silent", Transport: silent{}} }

type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}
