//go:build unix

package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/record"
)

// shell is a hook that runs a script.
func shell(script string, on ...On) Hook {
	return Hook{On: on, Run: []string{"/bin/sh", "-c", script}}
}

func code(n int) *int { return &n }

var finished = record.Event{
	Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Run: "run-1", Group: "web", Type: record.RunFinished,
	Message: "failed: <a> & *b*", Result: "failed", ExitCode: code(4), Zone: "z-a", Batch: 7,
}

func TestCommandIsTold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	h := shell(`cat > "$1"; env | grep ^DRAINBOARD_ | sort >> "$1"`)
	h.Run = append(h.Run, "sh", file)
	if err := h.call(t.Context(), Message{Hook: Failed, Cluster: "prod", Event: finished}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	said, env, _ := strings.Cut(string(got), "\n")
	apitest.Valid(t, []byte(said))
	var m map[string]any
	if err := json.Unmarshal([]byte(said), &m); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for key, want := range map[string]any{"kind": "HookEvent", "hook": "failed", "cluster": "prod", "type": "run.finished", "run": "run-1", "exitCode": 4.0, "message": finished.Message} {
		if m[key] != want {
			t.Errorf("%s is %v, want %v", key, m[key], want)
		}
	}
	for _, line := range []string{"HOOK=failed", "CLUSTER=prod", "RUN=run-1", "GROUP=web", "TYPE=run.finished", "RESULT=failed", "EXIT_CODE=4", "ZONE=z-a", "BATCH=7", "NODE=", "TIME=2026-03-04T05:06:07Z"} {
		if !strings.Contains(env, "DRAINBOARD_"+line+"\n") {
			t.Errorf("the environment lacks %s:\n%s", line, env)
		}
	}
}

func TestCommandThatFails(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"says why", `echo out; printf 'no \033[31mway\033[0m\n' >&2; exit 3`, "exit code 3: out no [31mway[0m"},
		{"is killed", `kill -9 $$`, "signal: killed"},
		{"says much", `yes x | head -c 5000; echo the end; exit 1`, "exit code 1: ... x x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := shell(test.script)
			err := h.call(t.Context(), Message{})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Fatalf("got %v, want %s", err, test.want)
			}
			if n := len(err.Error()); n > maxShown+40 || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("%d bytes: %q", n, err)
			}
		})
	}
	missing := Hook{Run: []string{"/no/such/command"}}
	if err := missing.call(t.Context(), Message{}); err == nil {
		t.Error("a command that is not there was run")
	}
	lazy := shell(`exit 0`)
	if err := lazy.call(t.Context(), Message{Event: record.Event{Message: strings.Repeat("long", 1<<16)}}); err != nil {
		t.Errorf("a command that reads nothing: %v", err)
	}
}

// alive reports whether a process is there and no zombie that only waits to be buried.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// pidIn waits for a process to write its number to a file.
func pidIn(t *testing.T, file string) int {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(text), "\n") {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("no process wrote its number")
	return 0
}

func dies(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if !alive(pid) {
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}

// A command's children end with it: when its time is up, although they hold its output and
// do not listen, when it is called off, and when it ends by itself and leaves some behind.
func TestCommandsChildrenEnd(t *testing.T) {
	stubborn := `trap '' TERM; (trap '' TERM; echo $$ >/dev/null; sh -c 'trap "" TERM; echo $$ > "$0"; while :; do sleep 1; done' "$1") & `
	t.Run("timeout", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pid")
		h := shell(stubborn + `echo waiting; while :; do sleep 1; done`)
		h.Run, h.Timeout = append(h.Run, "sh", file), 500*time.Millisecond
		result := make(chan error, 1)
		go func() { result <- h.call(t.Context(), Message{}) }()
		pid := pidIn(t, file)
		if err := <-result; err == nil || err.Error() != "not finished within 500ms: waiting" {
			t.Errorf("got %v", err)
		}
		dies(t, pid)
	})
	t.Run("called off", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pid")
		h := shell(stubborn + `wait`)
		h.Run = append(h.Run, "sh", file)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error, 1)
		go func() { result <- h.call(ctx, Message{}) }()
		pid := pidIn(t, file)
		cancel()
		if err := <-result; err == nil {
			t.Error("it was called off, and succeeded")
		}
		dies(t, pid)
	})
	t.Run("left behind", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "pid")
		h := shell(stubborn + `while ! test -s "$1"; do sleep 0.01; done; exit 0`)
		h.Run = append(h.Run, "sh", file)
		if err := h.call(t.Context(), Message{}); err != nil {
			t.Error(err)
		}
		dies(t, pidIn(t, file))
	})
}

// receiver is a webhook that answers as it is told, and keeps what it got.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	answer func(n int, w http.ResponseWriter, r *http.Request)
}

func newReceiver(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *receiver {
	rc := &receiver{answer: answer}
	rc.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		rc.mu.Lock()
		rc.bodies = append(rc.bodies, string(body))
		n := len(rc.bodies)
		rc.mu.Unlock()
		if rc.answer != nil {
			rc.answer(n, w, r)
		}
	}))
	t.Cleanup(rc.Close)
	return rc
}

func (rc *receiver) got() []string {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	return append([]string(nil), rc.bodies...)
}

const secretPath = "/services/T0PSECRET/B0/tokentokentoken"

func (rc *receiver) hook(t *testing.T, on ...On) Hook {
	t.Helper()
	a, err := ParseAddress(rc.URL + secretPath)
	if err != nil {
		t.Fatal(err)
	}
	return Hook{On: on, Webhook: a}
}

func TestWebhookBody(t *testing.T) {
	rc := newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != secretPath || r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
	h := rc.hook(t)
	m := Message{Hook: Failed, Cluster: "prod", Event: finished}
	if err := h.call(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	h.Format = JSON
	if err := h.call(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	var slack struct {
		Text   string `json:"text"`
		Blocks []struct {
			Type string `json:"type"`
			Text struct{ Type, Text string }
		} `json:"blocks"`
	}
	got := rc.got()
	dec := json.NewDecoder(strings.NewReader(got[0]))
	if err := dec.Decode(&slack); err != nil {
		t.Fatal(err)
	}
	if slack.Text != "prod / web: failed: failed: &lt;a&gt; &amp; *b*" || len(slack.Blocks) != 2 || slack.Blocks[0].Type != "section" || slack.Blocks[0].Text.Type != "mrkdwn" {
		t.Errorf("for Slack: %s", got[0])
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(got[0]), &all); err != nil || len(all) != 2 {
		t.Errorf("Slack gets more than text and blocks: %s", got[0])
	}
	apitest.Valid(t, []byte(got[1]))
	var plain api.HookEvent
	if err := json.Unmarshal([]byte(got[1]), &plain); err != nil || plain.Hook != string(Failed) || plain.Run != "run-1" || *plain.ExitCode != 4 {
		t.Errorf("as JSON: %s (%v)", got[1], err)
	}
}

func TestWebhookTriesAgain(t *testing.T) {
	rc := newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		switch n {
		case 1:
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	h, began := rc.hook(t), time.Now()
	if err := h.call(t.Context(), Message{}); err != nil {
		t.Fatal(err)
	}
	if n := len(rc.got()); n != 3 {
		t.Errorf("posted %d times, want 3", n)
	}
	if took := time.Since(began); took < 4*time.Second { // 2 s as asked, then 2 s of its own
		t.Errorf("it did not wait as long as it was asked to: %s", took)
	}
}

// What will not pass is not tried again, and no message holds what is secret of an address.
func TestWebhookErrors(t *testing.T) {
	gone := newReceiver(t, nil)
	gone.Close()
	for _, test := range []struct {
		name  string
		times int
		rc    *receiver
		want  string
	}{
		{"refuses", 1, newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no_service at\n"+r.URL.Path+" \x1b[31m", http.StatusNotFound)
		}), "answered 404 Not Found: no_service at ..."},
		{"leads elsewhere", 1, newReceiver(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}), "answered 302 Found"},
		{"asks to wait too long", 1, newReceiver(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}), "answered 429 Too Many Requests; Retry-After 1h0m0s exceeds the timeout"},
		{"hangs", 1, newReceiver(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}), "no answer in time"},
		{"is away", 0, gone, "dial tcp"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := test.rc.hook(t)
			h.Timeout = 900 * time.Millisecond // too short for a second try
			err := h.call(t.Context(), Message{Event: finished})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Fatalf("got %v, want %s", err, test.want)
			}
			if n := len(test.rc.got()); n != test.times {
				t.Errorf("posted %d times, want %d", n, test.times)
			}
			told := fmt.Sprintf("%v %+v %#v %s %v", err, h, h, h.Name(), h.Webhook)
			asJSON, _ := json.Marshal(h)
			for _, secret := range []string{"T0PSECRET", "tokentoken"} {
				if strings.Contains(told, secret) || strings.Contains(string(asJSON), secret) {
					t.Errorf("%q is in %s %s", secret, told, asJSON)
				}
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "hooks.slack.com/x", "ftp://a/b", "https:///x", "https://a b/secretword", "://"} {
		if _, err := ParseAddress(bad); err == nil || strings.Contains(err.Error(), "secretword") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	t.Setenv("THE_HOOK", "https://user:hunter2@example.com/x?token=abcdef\n")
	a, err := FromEnv("THE_HOOK").Resolve()
	if err != nil || a.Host() != "example.com" || a.None() {
		t.Fatalf("%v %v", a, err)
	}
	if got := a.hide("posting to https://user:hunter2@example.com/x?token=abcdef with hunter2 and token=abcdef"); strings.Contains(got, "hunter2") || strings.Contains(got, "abcdef") {
		t.Errorf("hidden: %s", got)
	}
	if _, err := FromEnv("THERE_IS_NO_SUCH_THING").Resolve(); err == nil {
		t.Error("an empty variable is an address")
	}
	file := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(file, []byte("https://example.com/y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := FromFile(file).Resolve(); err != nil || a.Host() != "example.com" {
		t.Errorf("%v %v", a, err)
	}
	if _, err := FromFile(file + "x").Resolve(); err == nil {
		t.Error("a file that is not there has an address")
	}
}

func TestCheck(t *testing.T) {
	a, _ := ParseAddress("https://example.com/x")
	for _, test := range []struct {
		want string
		hook Hook
	}{
		{"", shell("true", BeforeNode)},
		{"", Hook{On: []On{Failed}, Webhook: a, Format: JSON}},
		{"needs on", shell("true")},
		{"needs run or a webhook", Hook{On: []On{Failed}}},
		{"both", Hook{On: []On{Failed}, Run: []string{"x"}, Webhook: a}},
		{"no command", Hook{On: []On{Failed}, Run: []string{" "}}},
		{"format", Hook{On: []On{Failed}, Run: []string{"x"}, Format: JSON}},
		{"out of range", Hook{On: []On{Failed}, Run: []string{"x"}, Timeout: 2 * time.Hour}},
		{"blocked-for is for", Hook{On: []On{Failed}, Run: []string{"x"}, BlockedFor: time.Minute}},
	} {
		err := test.hook.Check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %q", test.hook, err, test.want)
		}
	}
}
