package kube

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/providers/kube/kubetest"
	"github.com/drainboard/drainboard/providers/kube/transport"
)

// fakeStore is a client and the API server that it talks to.
type fakeStore struct {
	*kubetest.Store
	*Client
}

func newFakeStore(t *testing.T) *fakeStore {
	s := kubetest.NewStore(t)
	return &fakeStore{s, fakeAPI(t, s.Serve)}
}

// fakeAPI is a client of an API that a handler plays.
func fakeAPI(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	return kubetest.Client(t, Open, h)
}

// kubeconfig are flags for a kubeconfig of a server (kubetest.Kubeconfig).
func kubeconfig(t *testing.T, server, user string) Flags {
	t.Helper()
	return Flags{Kubeconfig: kubetest.Kubeconfig(t, server, user)}
}

func TestConnect(t *testing.T) {
	var agent string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent = r.UserAgent()
		kubetest.Say(w, 200, `{}`)
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
		kubetest.Say(w, code, kubetest.Status(code, "", "so it is", ""))
	}))
	defer server.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()

	for _, tt := range []struct {
		name  string
		flags func(t *testing.T) Flags
		code  int
		want  string
	}{
		{"no kubeconfig", func(t *testing.T) Flags {
			kubeconfig(t, "", "{}")
			t.Setenv("KUBECONFIG", string(filepath.ListSeparator))
			return Flags{}
		}, 200, "no kubeconfig: set KUBECONFIG"},
		{"missing file of KUBECONFIG", func(t *testing.T) Flags {
			kubeconfig(t, "", "{}")
			t.Setenv("KUBECONFIG", "/nowhere/a"+string(filepath.ListSeparator)+"/nowhere/b")
			return Flags{}
		}, 200, "KUBECONFIG names /nowhere/a, which cannot be read: no such file"},
		{"empty file", func(t *testing.T) Flags {
			kubeconfig(t, "", "{}")
			return Flags{Kubeconfig: os.DevNull}
		}, 200, "the kubeconfig " + os.DevNull + " names no cluster"},
		{"missing file", func(t *testing.T) Flags {
			f := kubeconfig(t, "", "{}")
			f.Kubeconfig = "/nowhere/config"
			return f
		}, 200, "cannot read the kubeconfig: stat /nowhere/config"},
		{"unknown context", func(t *testing.T) Flags {
			f := kubeconfig(t, server.URL, "{}")
			f.Context = "dev"
			return f
		}, 200, `the kubeconfig has no context "dev"; choose one with --context: prod`},
		{"nothing there", func(t *testing.T) Flags { return kubeconfig(t, gone.URL, "{}") }, 200, "connection refused by http://127.0.0.1"},
		{"no such host", func(t *testing.T) Flags {
			return kubeconfig(t, "https://api.cluster.invalid", "{}")
		}, 200, "cannot find the host of https://api.cluster.invalid (context prod)"},
		{"not accepted", func(t *testing.T) Flags { return kubeconfig(t, server.URL, "{token: x}") }, 401, "the credentials for "},
		{"in trouble", func(t *testing.T) Flags { return kubeconfig(t, server.URL, "{token: x}") }, 500, "answered with an error: so it is (500)"},
		{"plugin fails", func(t *testing.T) Flags {
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

// An API that is not well for a moment is asked again; who is not let in is told at once.
func TestConnectIsPatient(t *testing.T) {
	for _, tt := range []struct {
		code  int
		kind  error
		tries int32
	}{{503, nil, 3}, {429, nil, 3}, {401, live.ErrDenied, 1}, {400, nil, 1}} {
		var n atomic.Int32
		server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/readyz" && n.Add(1) < 3 {
				kubetest.Say(w, tt.code, kubetest.Status(tt.code, "", "not now", ""))
				return
			}
			kubetest.Say(w, 200, `{}`)
		}))
		defer server.Close()
		ctx := live.WithPatience(t.Context(), &live.Patience{Limit: time.Minute})
		_, err := Connect(ctx, kubeconfig(t, server.URL, "{token: x}"), "test")
		if got := n.Load(); got != tt.tries || (err == nil) != (tt.tries == 3) || tt.kind != nil && !errors.Is(err, tt.kind) {
			t.Errorf("%d: %v after %d tries", tt.code, err, got)
		}
	}
}

func TestConnectWithoutVersionRight(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kubetest.Say(w, 403, kubetest.Status(403, "Forbidden", "no", ""))
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
	c, err := Open(&rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		api  rest.Interface
		want string
	}{{c.large, `"HTTP/1.1"`}, {c.API().Core, `"HTTP/2.0"`}} {
		got, err := tt.api.Get().AbsPath("/version").Do(t.Context()).Raw()
		if err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
}

// The flag goes before KUBECONFIG, whose files are merged, the first one that says
// something winning; --cluster replaces the cluster of the context.
func TestKubeconfigPrecedence(t *testing.T) {
	first := kubeconfig(t, "https://first.invalid", "{token: one}").Kubeconfig
	second := kubeconfig(t, "https://second.invalid", "{token: two}").Kubeconfig
	third := filepath.Join(t.TempDir(), "third")
	text := "apiVersion: v1\nkind: Config\nclusters: [{name: other, cluster: {server: 'https://other.invalid'}}]\n" +
		"contexts: [{name: dev, context: {cluster: other, user: ann}}]\n"
	if err := os.WriteFile(third, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", strings.Join([]string{first, third, second}, string(filepath.ListSeparator)))
	for _, tt := range []struct {
		flags       Flags
		host, token string
	}{
		{Flags{}, "https://first.invalid", "one"},
		{Flags{Kubeconfig: second}, "https://second.invalid", "two"},
		{Flags{Context: "dev"}, "https://other.invalid", "one"},
		{Flags{Cluster: "other"}, "https://other.invalid", "one"},
		{Flags{Kubeconfig: second, Context: "prod"}, "https://second.invalid", "two"},
	} {
		cfg, err := tt.flags.loader().ClientConfig()
		if err != nil || cfg.Host != tt.host || cfg.BearerToken != tt.token {
			t.Errorf("%+v: %v, %v", tt.flags, cfg, err)
		}
	}
}

// A web page is not taken for the API's answer, whatever its status.
func TestConnectThroughALoginPage(t *testing.T) {
	for _, code := range []int{200, 403, 502} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(code)
			fmt.Fprint(w, "<!doctype html><title>Log in</title>")
		}))
		defer server.Close()
		_, err := Connect(t.Context(), kubeconfig(t, server.URL, "{token: x}"), "test")
		if want := fmt.Sprintf("a proxy answered for %s (context prod), with a web page (%d ", server.URL, code); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// An API that throttles and asks for a longer pause than a request may take is said to throttle,
// at once, and not to be silent. A shorter pause is made.
func TestThrottledIsNotSilent(t *testing.T) {
	s := newFakeStore(t)
	after, times := "3600", 1000
	s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/selfsubjectreviews") {
			return false
		}
		if times--; times < 0 {
			kubetest.Say(w, 201, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"ann"}}}`)
			return true
		}
		w.Header().Set("Retry-After", after)
		kubetest.Say(w, 429, kubetest.Status(429, "TooManyRequests", "too many requests, please try again later", ""))
		return true
	})
	ask := func() (string, error) {
		got, err := s.Urgent().SelfReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		return got.Status.UserInfo.Username, s.Explain(err)
	}
	begun := time.Now()
	_, err := ask()
	if took := time.Since(begun); took > transport.RequestTimeout/2 || !errors.Is(err, live.ErrUnreachable) || !strings.Contains(err.Error(), "(429)") {
		t.Errorf("after %s: %v", took, err)
	}
	after, times = "1", 1
	begun = time.Now()
	user, err := ask()
	if took := time.Since(begun); took < time.Second || user != "ann" || err != nil {
		t.Errorf("after %s: %q, %v", took, user, err)
	}
}
