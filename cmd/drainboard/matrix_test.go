package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
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
	"nonsense": func(t *testing.T, dir string) { answering(t, dir, 200, "application/json", "nonsense") },
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

// passing are what differs from call to call and machine to machine.
var passing = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

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
		code, out, errOut := called(t.Context(), "", append([]string{"--start-timeout=1ms"}, shellWords(command)...)...)
		said := strings.ReplaceAll(passing.ReplaceAllString(strings.TrimSpace(out+errOut), "http://HOST"), dir, "DIR")
		if strings.Contains(said, "goroutine ") || strings.Contains(said, "panic") {
			t.Errorf("a stack trace:\n%s", said)
		}
		if code == exitcode.WrongUse && strings.Contains(said, "Usage:") {
			t.Errorf("the help is no answer:\n%s", said)
		}
		got = fmt.Sprintf("exit %d\n%s", code, strings.ReplaceAll(said, "\n\n", "\n"))
	})
	return strings.TrimSpace(got)
}
