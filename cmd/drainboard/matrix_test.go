package main

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/providers/kube"
)

// surroundings are where command lines are tried, by name.
var surroundings = map[string]func(t *testing.T, dir string){
	"nowhere": func(t *testing.T, _ string) { t.Setenv("KUBECONFIG", string(filepath.ListSeparator)) },
	"missing": func(t *testing.T, _ string) { t.Setenv("KUBECONFIG", "/nowhere/config") },
	"damaged": func(t *testing.T, dir string) { kubeconfigAt(t, dir, "{{{") },
	"empty":   func(t *testing.T, dir string) { kubeconfigAt(t, dir, "") },
	"dead": func(t *testing.T, dir string) {
		kubeconfigAt(t, dir, leadingTo("http://127.0.0.1:1"))
	},
	"unknown host": func(t *testing.T, dir string) {
		kubeconfigAt(t, dir, leadingTo("https://api.cluster.invalid"))
	},
	"proxy":     func(t *testing.T, dir string) { answering(t, dir, 200, "text/html", "<html>Log in</html>") },
	"proxy 502": func(t *testing.T, dir string) { answering(t, dir, 502, "text/html", "<html>Bad gateway</html>") },
	"login": func(t *testing.T, dir string) {
		answering(t, dir, 401, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Unauthorized","code":401}`)
	},
	"trouble": func(t *testing.T, dir string) {
		answering(t, dir, 500, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"etcdserver: request timed out","code":500}`)
	},
	"busy": func(t *testing.T, dir string) {
		answering(t, dir, 429, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","message":"too many requests, please try again later","code":429}`)
	},
	"nonsense": func(t *testing.T, dir string) { answering(t, dir, 200, "application/json", "nonsense") },
	"another service": func(t *testing.T, dir string) {
		answering(t, dir, 200, "application/json", `{"status":"ok","version":"2.1"}`)
	},
	"another kind": func(t *testing.T, dir string) {
		answering(t, dir, 200, "application/json", `{"kind":"Dashboard","apiVersion":"grafana.example/v1","metadata":{"name":"x"}}`)
	},
	"a list":     func(t *testing.T, dir string) { answering(t, dir, 200, "application/json", `[]`) },
	"empty body": func(t *testing.T, dir string) { answering(t, dir, 200, "application/json", "") },
	"gateway":    func(t *testing.T, dir string) { answering(t, dir, 502, "text/plain", "upstream connect error") },
	"not there":  func(t *testing.T, dir string) { answering(t, dir, 404, "text/plain", "404 page not found") },
	"moved": func(t *testing.T, dir string) {
		server := httptest.NewServer(http.RedirectHandler("https://login.example.invalid/", http.StatusFound))
		t.Cleanup(server.Close)
		kubeconfigAt(t, dir, leadingTo(server.URL))
	},
	"hangs up": func(t *testing.T, dir string) {
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		t.Cleanup(server.Close)
		kubeconfigAt(t, dir, leadingTo(server.URL))
	},
	"TLS of another host": func(t *testing.T, dir string) {
		server := encrypted(t)
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
		at := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
		kubeconfigAt(t, dir, leadingTo(at+"', certificate-authority-data: '"+base64.StdEncoding.EncodeToString(ca)))
	},
	"TLS of another CA": func(t *testing.T, dir string) { kubeconfigAt(t, dir, leadingTo(encrypted(t).URL)) },
	"no TLS": func(t *testing.T, dir string) {
		answering(t, dir, 200, "application/json", "{}")
		config, err := os.ReadFile(filepath.Join(dir, "config"))
		if err != nil {
			t.Fatal(err)
		}
		kubeconfigAt(t, dir, strings.Replace(string(config), "http://", "https://", 1))
	},
	"pools": func(t *testing.T, _ string) { pools(t) },
	"no nodes": func(t *testing.T, _ string) {
		pools(t, map[string]string{"/api/v1/nodes": `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]}`})
	},
	"damaged record": func(t *testing.T, _ string) { pools(t, damagedRecord()) },
	"no home": func(t *testing.T, _ string) { // a folder below a file cannot be made, not by root either
		pools(t)
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
			t.Setenv(name, os.DevNull+"/home")
		}
	},
	"no environment": func(t *testing.T, _ string) {
		pools(t)
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TERM"} {
			t.Setenv(name, "") // which restores it at the end
			os.Unsetenv(name)
		}
	},
	"full disk": func(t *testing.T, _ string) { pools(t) }, // where the output goes

	"no groups":      func(t *testing.T, _ string) { cloudSaying(t, 200, "") },
	"expired":        func(t *testing.T, _ string) { cloudSaying(t, 403, "ExpiredToken") },
	"region off":     func(t *testing.T, _ string) { cloudSaying(t, 401, "AuthFailure") },
	"not allowed":    func(t *testing.T, _ string) { cloudSaying(t, 403, "AccessDenied") },
	"throttled":      func(t *testing.T, _ string) { cloudSaying(t, 400, "Throttling") },
	"cloud trouble":  func(t *testing.T, _ string) { cloudSaying(t, 503, "ServiceUnavailable") },
	"cloud refuses":  func(t *testing.T, _ string) { cloudSaying(t, 400, "ValidationError") },
	"cloud by proxy": func(t *testing.T, _ string) { cloudSaying(t, 200, "<html>Log in</html>") },
	"no such region": func(t *testing.T, _ string) {
		cloudSaying(t, 200, "")
		t.Setenv("AWS_ENDPOINT_URL", "https://autoscaling.eu-nowhere-9.amazonaws.invalid")
	},
	"no credentials": func(t *testing.T, _ string) {
		cloudSaying(t, 200, "")
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	},
}

// noUse are surroundings in which what goes wrong is nobody's use: exit code 2 is for a flag only,
// which the message names.
var noUse = []string{
	"dead", "unknown host", "proxy", "proxy 502", "login", "trouble", "busy", "nonsense", "another service", "another kind", "a list", "empty body", "gateway", "not there",
	"moved", "hangs up", "no TLS", "damaged record", "expired", "region off", "not allowed", "throttled", "cloud trouble", "cloud refuses", "cloud by proxy", "no such region", "no credentials",
}

// pools leads to a cluster with the worker pool web.
func pools(t *testing.T, more ...map[string]string) {
	t.Setenv("KUBECONFIG", shootCluster(t, more...).Flags.Kubeconfig)
}

// damagedRecord is the record of a run of the pool web that cannot be read.
func damagedRecord() map[string]string {
	const folder = "/api/v1/namespaces/drainboard/configmaps"
	object := fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"namespace":"drainboard","name":%q,"labels":{"app.kubernetes.io/managed-by":"drainboard"},"annotations":{"drainboard.dev/writer":"x"}},"data":{"run.json":"{"}}`, kube.RecordName("web"))
	return map[string]string{
		folder: `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[` + object + `]}`, folder + "/" + kube.RecordName("web"): object,
	}
}

// cloudSaying leads to a cluster with a node in eu-west-1, and to an AWS that answers every
// call with an error, with a web page, or, where there is no code, with nothing.
func cloudSaying(t *testing.T, status int, code string) {
	t.Helper()
	pools(t, map[string]string{"/api/v1/nodes": `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[
		{"metadata":{"name":"n1","labels":{"topology.kubernetes.io/zone":"eu-west-1a"}},"spec":{"providerID":"aws:///eu-west-1a/i-0123456789abcdef0"}}]}`})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		switch action := r.FormValue("Action"); {
		case strings.HasPrefix(code, "<"):
			fmt.Fprint(w, code)
		case code == "":
			fmt.Fprintf(w, "<%[1]sResponse><%[1]sResult></%[1]sResult></%[1]sResponse>", action)
		default:
			fmt.Fprintf(w, "<ErrorResponse><Error><Code>%s</Code><Message>as AWS says it</Message></Error></ErrorResponse>", code)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ENDPOINT_URL", server.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

func kubeconfigAt(t *testing.T, dir, text string) {
	t.Helper()
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", path)
}

func leadingTo(server string) string {
	return "apiVersion: v1\nkind: Config\ncurrent-context: prod\nclusters: [{name: prod, cluster: {server: '" + server + "'}}]\ncontexts: [{name: prod, context: {cluster: prod}}]\n"
}

func answering(t *testing.T, dir string, code int, kind, body string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	kubeconfigAt(t, dir, leadingTo(server.URL))
}

// encrypted is a server for 127.0.0.1 and example.com, with a certificate of its own.
func encrypted(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// passing are what differs from call to call and machine to machine.
var passing = regexp.MustCompile(`(https?://)(127\.0\.0\.1|localhost):\d+`)

// clock is a time of day.
var clock = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)

// TestMatrix tries command lines of bad input and in odd surroundings. What each gets, text
// and exit code, is in testdata/matrix.txt. None has a stack trace; none that is about
// surroundings is told to be answered by the help.
func TestMatrix(t *testing.T) {
	text, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	tried := 0
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		line, _, _ := strings.Cut(block, "\n")
		if strings.HasPrefix(line, "#") {
			out.WriteString(block + "\n\n")
			continue
		}
		place, command, found := strings.Cut(line, "$ drainboard")
		if !found {
			t.Fatalf("%q is no command line", line)
		}
		got := fmt.Sprintf("%s\n%s", line, tryLine(t, strings.TrimSpace(place), strings.TrimSpace(command)))
		out.WriteString(got + "\n\n")
		tried++
		if got != block && !*rewrite {
			t.Errorf("got\n%s\nwant\n%s", got, block)
		}
	}
	if tried < 120 {
		t.Errorf("only %d command lines are tried", tried)
	}
	if *rewrite {
		if err := os.WriteFile("testdata/matrix.txt", []byte(strings.TrimSpace(out.String())+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tryLine is what a command line gets in some surroundings.
func tryLine(t *testing.T, place, command string) (got string) {
	t.Run(command, func(t *testing.T) {
		dir := t.TempDir()
		for name, value := range map[string]string{
			"HOME": dir, "XDG_CONFIG_HOME": dir, "XDG_STATE_HOME": dir, "XDG_CACHE_HOME": dir, "TERM": "xterm", "KUBERNETES_MASTER": "", "KUBERNETES_SERVICE_HOST": "",
			"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
			"AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL": "http://127.0.0.1:1", "KOPS_CLUSTER_NAME": "", "KOPS_STATE_STORE": "",
		} {
			t.Setenv(name, value)
		}
		at, known := surroundings[place]
		if !known {
			t.Fatalf("there are no surroundings %q", place)
		}
		at(t, dir)
		var out bytes.Buffer
		to := io.Writer(&out)
		if place == "full disk" {
			to = full{}
		}
		root := newRoot(strings.NewReader(""), to, &out)
		code := execute(t.Context(), root, append([]string{"--start-timeout=1ms"}, shellWords(command)...))
		said := strings.ReplaceAll(clock.ReplaceAllString(passing.ReplaceAllString(strings.TrimSpace(out.String()), "${1}HOST"), "TIME"), dir, "DIR")
		if strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") {
			t.Errorf("a stack trace:\n%s", said)
		}
		if code == exitcode.WrongUse && strings.Contains(said, "Usage:") {
			t.Errorf("the help is no answer:\n%s", said)
		}
		if code == exitcode.WrongUse && slices.Contains(noUse, place) && !strings.Contains(said, "--") {
			t.Errorf("nothing on the command line is wrong:\n%s", said)
		}
		got = fmt.Sprintf("exit %d\n%s", code, strings.ReplaceAll(said, "\n\n", "\n"))
	})
	return strings.TrimSpace(got)
}
