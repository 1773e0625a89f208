package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
)

// kubeconfig writes a kubeconfig with one context, "prod", and returns flags for it.
func kubeconfig(t *testing.T, server, user string) *genericclioptions.ConfigFlags {
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
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &path
	return flags
}

func TestConnect(t *testing.T) {
	var agent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		say(w, 200, `{}`)
	}))
	defer server.Close()
	c, err := Connect(t.Context(), kubeconfig(t, server.URL, "{token: x}"), "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if c.ClusterName() != "prod-eu" || c.ContextName() != "prod" || !strings.HasPrefix(agent, "drainboard/v1.2.3 (") {
		t.Errorf("cluster %q, context %q, agent %q", c.ClusterName(), c.ContextName(), agent)
	}
}

func TestConnectFailures(t *testing.T) {
	code := 200
	// Credentials are only sent over TLS.
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		say(w, code, status(code, "", "so it is", ""))
	}))
	defer server.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()

	for _, tt := range []struct {
		name  string
		flags func(t *testing.T) *genericclioptions.ConfigFlags
		code  int
		want  string
	}{
		{"no kubeconfig", func(t *testing.T) *genericclioptions.ConfigFlags {
			kubeconfig(t, "", "{}")
			t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
			t.Setenv("HOME", t.TempDir())
			return genericclioptions.NewConfigFlags(false)
		}, 200, "no kubeconfig: set KUBECONFIG"},
		{"missing file", func(t *testing.T) *genericclioptions.ConfigFlags {
			f := kubeconfig(t, "", "{}")
			path := "/nowhere/config"
			f.KubeConfig = &path
			return f
		}, 200, "cannot read the kubeconfig: stat /nowhere/config"},
		{"unknown context", func(t *testing.T) *genericclioptions.ConfigFlags {
			f := kubeconfig(t, server.URL, "{}")
			name := "dev"
			f.Context = &name
			return f
		}, 200, `the kubeconfig has no context "dev"; choose one with --context: prod`},
		{"nothing there", func(t *testing.T) *genericclioptions.ConfigFlags { return kubeconfig(t, gone.URL, "{}") }, 200, "connection refused by http://127.0.0.1"},
		{"no such host", func(t *testing.T) *genericclioptions.ConfigFlags {
			return kubeconfig(t, "https://api.cluster.invalid", "{}")
		}, 200, "cannot find the host of https://api.cluster.invalid (context prod)"},
		{"not accepted", func(t *testing.T) *genericclioptions.ConfigFlags { return kubeconfig(t, server.URL, "{token: x}") }, 401, "the credentials for "},
		{"in trouble", func(t *testing.T) *genericclioptions.ConfigFlags { return kubeconfig(t, server.URL, "{token: x}") }, 500, "answered with an error: so it is (500)"},
		{"plugin fails", func(t *testing.T) *genericclioptions.ConfigFlags {
			return kubeconfig(t, server.URL, "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: sh, args: ['-c', 'echo the token is stale >&2; exit 3']}}")
		}, 200, "the credentials plugin sh says: the token is stale; log in again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code = tt.code
			_, err := Connect(t.Context(), tt.flags(t), "test")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
		})
	}
}

func TestConnectWithoutVersionRight(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		say(w, 403, status(403, "Forbidden", "no", ""))
	}))
	defer server.Close()
	if _, err := Connect(t.Context(), kubeconfig(t, server.URL, "{token: x}"), "test"); err != nil {
		t.Errorf("a cluster that does not tell its version is a cluster: %v", err)
	}
}

// A large list has a connection of its own, in HTTP/1.1; everything else shares one in
// HTTP/2.
func TestLargeListsOverHTTP1(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"proto": %q}`, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	c, err := open(&rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		api  rest.Interface
		want string
	}{{c.large, `"HTTP/1.1"`}, {c.api.CoreV1().RESTClient(), `"HTTP/2.0"`}} {
		got, err := tt.api.Get().AbsPath("/version").Do(t.Context()).Raw()
		if err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
}
