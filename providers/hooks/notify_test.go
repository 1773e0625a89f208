//go:build unix

package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/api"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// warnings keeps what a notifier warns of.
type warnings struct {
	mu   sync.Mutex
	list []string
	news chan string
}

func newWarnings() *warnings { return &warnings{news: make(chan string, 100)} }

func (w *warnings) warn(reason, message string) {
	w.mu.Lock()
	w.list = append(w.list, message)
	w.mu.Unlock()
	w.news <- message
}

func (w *warnings) next(t *testing.T) string {
	t.Helper()
	select {
	case m := <-w.news:
		return m
	case <-time.After(20 * time.Second):
		t.Fatal("no warning came")
		return ""
	}
}

// heard are the moments a receiver was told of, with the events' types.
func (rc *receiver) heard(t *testing.T) (out []string) {
	t.Helper()
	for _, body := range rc.got() {
		var m api.HookEvent
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		out = append(out, m.Hook+" "+m.Type)
	}
	return out
}

// That the run record cannot be written is told once while it lasts, also to who waits for what
// is blocked; that it can again, only to who waits for both.
func TestNotifierTellsOfTheRecord(t *testing.T) {
	both, few := newReceiver(t, nil), newReceiver(t, nil)
	a, b := both.hook(t, Unwritten), few.hook(t, Blocked, Failed)
	a.Format, b.Format = JSON, JSON
	n := NewNotifier([]Hook{a, b}, "prod", newWarnings().warn)
	for _, reason := range []string{record.ReasonUnwritten, record.ReasonUnwritten, record.ReasonWritten, record.ReasonUnwritten} {
		n.Events([]record.Event{{Type: record.Warning, Reason: reason}, {Type: record.NodeDraining}})
	}
	n.Close(t.Context())
	if got := both.heard(t); !slices.Equal(got, []string{"unwritten warning", "unwritten warning", "unwritten warning"}) {
		t.Errorf("heard %q", got)
	}
	if got := few.heard(t); !slices.Equal(got, []string{"blocked warning", "blocked warning"}) {
		t.Errorf("heard %q", got)
	}
}

// Each hook hears of what it waits for, in order, and of one event once.
func TestNotifierTells(t *testing.T) {
	all, few := newReceiver(t, nil), newReceiver(t, nil)
	a, b := all.hook(t, RunStarted, ApprovalWanted, Failed, RunPaused, RunFinished), few.hook(t, RunFinished)
	a.Format, b.Format = JSON, JSON
	said := newWarnings()
	n := NewNotifier([]Hook{a, b}, "prod", said.warn)
	n.Events([]record.Event{{Type: record.RunStarted}, {Type: record.NodeDraining}, {Type: record.BatchWaiting}, {Type: record.Warning}})
	n.Events([]record.Event{{Type: record.NodeFailed}, {Type: record.RunPaused}, {Type: record.RunFinished, ExitCode: code(4)}, {Type: record.RunFinished, ExitCode: code(8)}})
	n.Close(t.Context())
	want := []string{"run-started run.started", "approval-wanted batch.waiting", "failed node.failed", "run-paused run.paused", "failed run.finished", "run-finished run.finished"}
	if got := all.heard(t); !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	if got := few.heard(t); !slices.Equal(got, []string{"run-finished run.finished", "run-finished run.finished"}) {
		t.Errorf("heard %q", got)
	}
	if len(said.list) > 0 {
		t.Errorf("warned %q", said.list)
	}
	n.Events([]record.Event{{Type: record.RunStarted}}) // closed, and nobody is held up
	n.See(&snapshot.Snapshot{})
	n.Close(t.Context())
}

// A hook that hangs holds up neither who tells it nor the other hooks; what it cannot take
// any more is dropped, which is told once; the end does not wait for it for ever.
func TestNotifierHangs(t *testing.T) {
	hanging := newReceiver(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	fine := newReceiver(t, nil)
	said := newWarnings()
	slow := hanging.hook(t, RunPaused)
	slow.Timeout = time.Minute
	n := NewNotifier([]Hook{slow, fine.hook(t, RunStarted)}, "prod", said.warn)
	began := time.Now()
	for range 3 * waiting {
		n.Events([]record.Event{{Type: record.RunPaused}})
	}
	n.Events([]record.Event{{Type: record.RunStarted}})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("telling took %s", took)
	}
	if got := said.next(t); !strings.Contains(got, "too slow") {
		t.Errorf("warned %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	closed := make(chan struct{})
	go func() {
		n.Close(ctx)
		close(closed)
	}()
	for end := time.Now().Add(20 * time.Second); len(fine.got()) == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	if len(fine.got()) != 1 {
		t.Error("the other hook was not told")
	}
	select {
	case <-closed:
		t.Error("it ended before what it waits for")
	default:
	}
	cancel()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("it does not end")
	}
	said.mu.Lock()
	defer said.mu.Unlock()
	if n := len(slices.DeleteFunc(slices.Clone(said.list), func(s string) bool { return !strings.Contains(s, "too slow") })); n != 1 {
		t.Errorf("told %d times that it is too slow", n)
	}
}

// That a hook does not work is told once, also when it has worked in between; never with what is secret of its address.
func TestNotifierWarnsOnce(t *testing.T) {
	rc := newReceiver(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n != 3 {
			w.WriteHeader(http.StatusForbidden)
		}
	})
	said := newWarnings()
	n := NewNotifier([]Hook{rc.hook(t, RunPaused), shell("exit 7", RunFinished)}, "prod", said.warn)
	for range 5 {
		n.Events([]record.Event{{Type: record.RunPaused}, {Type: record.RunFinished, ExitCode: code(0)}})
	}
	n.Close(t.Context())
	host := strings.TrimPrefix(rc.URL, "http://")
	webhook := "hook " + host + " failed for run-paused: answered 403 Forbidden"
	slices.Sort(said.list)
	if want := []string{webhook, "hook sh failed for run-finished: exit code 7"}; !slices.Equal(said.list, want) {
		t.Errorf("warned %q, want %q", said.list, want)
	}
}

// blockedAt is a snapshot in which these nodes drain and are blocked.
func blockedAt(at time.Duration, nodes ...string) *snapshot.Snapshot {
	s := &snapshot.Snapshot{At: finished.Time.Add(at), RunID: "run-1", Group: "web", Phases: []snapshot.PhaseView{{Name: "upgrade", Start: finished.Time}}, Zones: []snapshot.ZoneView{{Name: "a"}}}
	for _, name := range []string{"n1", "n2"} {
		row := &snapshot.NodeRow{ID: "i-" + name, Name: name, Zone: "a", Stage: record.Draining, Blocked: slices.Contains(nodes, name)}
		s.Zones[0].Rows = append(s.Zones[0].Rows, row)
		if row.Blocked {
			for i := range 2 {
				s.Blockers = append(s.Blockers, &blockers.Blocker{
					Kind: blockers.BlockedByBudget, Pod: fmt.Sprintf("app/%s-%d", name, i), Node: name, Machine: row.ID,
					Detail: "budget app/web allows none", WayOut: "scale web, or force with f", Budgets: []blockers.BudgetView{{Ref: "app/web"}},
				})
			}
		}
	}
	return s
}

// A node that is blocked is told once after its time, and again when it was free between.
func TestBlockages(t *testing.T) {
	hooks := []Hook{{On: []On{Blocked}}, {On: []On{Blocked}, BlockedFor: time.Minute}, {On: []On{Failed}}}
	known := blockages{}
	var got []string
	for _, s := range []*snapshot.Snapshot{
		blockedAt(0, "n1"), blockedAt(59*time.Second, "n1", "n2"), blockedAt(61*time.Second, "n1", "n2"), blockedAt(2*time.Minute, "n1", "n2"),
		blockedAt(4*time.Minute, "n2"), blockedAt(5*time.Minute, "n1", "n2"), blockedAt(7*time.Minute, "n1", "n2"),
	} {
		told := known.see(s, hooks)
		for _, i := range []int{0, 1, 2} {
			for _, e := range told[i] {
				got = append(got, fmt.Sprintf("%s %d %s", s.At.Sub(finished.Time), i, e.Node))
				want := "blocked for "
				if e.Type != record.NodeBlocked || !strings.HasPrefix(e.Message, want) || !strings.Contains(e.Message, ": app/"+e.Node+"-0: budget app/web allows none; scale web, or force in the dashboard (and 1 more pods)") ||
					e.Pod != "app/"+e.Node+"-0" || e.Budget != "app/web" || e.Reason != "budget" || e.Phase != "upgrade" || e.Run != "run-1" {
					t.Errorf("told %+v", e)
				}
			}
		}
	}
	want := []string{"1m1s 1 n1", "2m0s 1 n2", "7m0s 0 n2", "7m0s 1 n1"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestNotifierSeesBlockedNodes(t *testing.T) {
	rc := newReceiver(t, nil)
	h := rc.hook(t, Blocked)
	h.Format = JSON
	n := NewNotifier([]Hook{h}, "prod", newWarnings().warn)
	for at := time.Duration(0); len(rc.got()) == 0 && at < 10*time.Hour; at += time.Minute {
		n.See(blockedAt(at, "n1"))
		time.Sleep(time.Millisecond)
	}
	n.Close(t.Context())
	if got := rc.heard(t); !slices.Equal(got, []string{"blocked node.blocked"}) {
		t.Errorf("heard %q", got)
	}
}

func before(node string) record.Action {
	return record.Action{Kind: record.RunHook, Key: "hook/before-node/i-" + node, Phase: record.BeforeNode, Machine: "i-" + node, Node: node, Zone: "a", Group: "web"}
}

// The hooks before a node are asked one after the other, and the first no is the answer.
func TestRunner(t *testing.T) {
	file := filepath.Join(t.TempDir(), "asked")
	asks := func(script string, on On) Hook {
		h := shell(`echo "$DRAINBOARD_HOOK $DRAINBOARD_NODE $DRAINBOARD_INSTANCE" >> "$1"; `+script, on)
		h.Run = append(h.Run, "sh", file)
		return h
	}
	r := &Runner{Hooks: []Hook{asks("", BeforeNode), asks(`test $DRAINBOARD_NODE != n2 || { echo not n2; exit 3; }`, BeforeNode), asks("", BeforeNode), asks("", AfterNode)}, Cluster: "prod", Run: "run-1", Now: time.Now}
	if o := r.Do(t.Context(), before("n1")); o.Verdict != record.Done || o.Key != "hook/before-node/i-n1" || o.At.IsZero() {
		t.Errorf("n1: %+v", o)
	}
	if o := r.Do(t.Context(), before("n2")); o.Verdict != record.Refused || o.Refusal != record.RefusedHook || o.Message != "hook sh: exit code 3: not n2" {
		t.Errorf("n2: %+v", o)
	}
	after := before("n1")
	after.Phase, after.Key = record.AfterNode, "hook/after-node/i-n1"
	if o := r.Do(t.Context(), after); o.Verdict != record.Done {
		t.Errorf("after n1: %+v", o)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Repeat("before-node n1 i-n1\n", 3) + strings.Repeat("before-node n2 i-n2\n", 2) + "after-node n1 i-n1\n"
	if string(text) != want {
		t.Errorf("asked:\n%s\nwant\n%s", text, want)
	}
	r.Hooks = nil
	if o := r.Do(t.Context(), before("n1")); o.Verdict != record.Refused || !strings.Contains(o.Message, "no hook configured for before-node") {
		t.Errorf("without hooks: %+v", o)
	}
}

// Hooks that are called off have said nothing; those of one node never run twice at a time.
func TestRunnerCalledOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	h := shell(`trap 'sleep 0.1; rm "$1"; exit 1' TERM; test -e "$1" && exit 9; echo $$ > "$1"; while :; do sleep 0.01; done`, BeforeNode)
	h.Run = append(h.Run, "sh", file)
	r := &Runner{Hooks: []Hook{h}, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan record.Outcome, 1)
	go func() { first <- r.Do(ctx, before("n1")) }()
	pid := pidIn(t, file)
	cancel() // as when the lock is lost
	ctx, cancel = context.WithCancel(t.Context())
	second := make(chan record.Outcome, 1)
	go func() { second <- r.Do(ctx, before("n1")) }()
	if o := <-first; o.Verdict != record.Unknown {
		t.Errorf("called off: %+v", o)
	}
	if next := pidIn(t, file); next == pid {
		t.Error("the first still runs")
	}
	cancel()
	if o := <-second; o.Verdict != record.Unknown {
		t.Errorf("the second: %+v", o)
	}
}
