package driver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/planner"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/sim/realtime"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// rollOf is a roll of groups by name, and what it writes.
func rollOf(t *testing.T, rules roll.Rules, u *Upgrade, groups ...string) (r *rollDriver, out, errOut *bytes.Buffer) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var list []roll.Group
	for _, g := range groups {
		list = append(list, roll.Group{Name: g})
	}
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	u.Out, u.Err = out, errOut
	u.signals = make(chan os.Signal, 4)
	value := roll.New(rules, "roll-1", list)
	value.Again = "drainboard upgrade --all"
	return newRoll(u, rules, value), out, errOut
}

// Groups follow each other; what one ends in decides on the next.
func TestRollGoesFromGroupToGroup(t *testing.T) {
	failed := func(code int, what string) error { return exitcode.With(code, errors.New(what+"\nmore of it")) }
	for _, c := range []struct {
		what    string
		rules   roll.Rules
		ends    map[string]error
		started string
		code    int
		says    []string
	}{
		{"all well", strategy.RollByName(), nil, "[a b c]", 0, []string{"the roll: 3 of 3 groups done"}},
		{"an error stops", strategy.RollByName(), map[string]error{"b": failed(4, "PodEvictionFailure: a pod stays")}, "[a b]", 4,
			[]string{"drainboard: b: PodEvictionFailure: a pod stays\nmore of it", "b: failed", ": PodEvictionFailure: a pod stays\n", "c: not started: b ended in an error", "To continue: drainboard upgrade --all"}},
		{"--keep-going", strategy.RollByName().KeepGoing(), map[string]error{"a": failed(1, "x"), "b": failed(6, "bob has the lock")}, "[a b c]", 6,
			[]string{"b: held by another", "bob has the lock", "1 of 3 groups done"}},
		{"an error that says no code is a failure", strategy.RollByName(), map[string]error{"a": errors.New("odd")}, "[a]", 1, []string{"a: failed"}},
		{"nodes left", strategy.RollByName(), map[string]error{"a": failed(8, "nodes left by choice: 1 node skipped")}, "[a b c]", 8, []string{"a: done, nodes left"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, _, errOut := rollOf(t, c.rules, &Upgrade{Face: console.Face{Auto: true}}, "c", "a", "b")
			var mu sync.Mutex
			var started []string
			r.start = func(_ context.Context, m *Upgrade) error {
				mu.Lock()
				defer mu.Unlock()
				started = append(started, m.Group)
				return c.ends[m.Group]
			}
			err := r.headless(t.Context())
			if got := fmt.Sprint(started); got != c.started {
				t.Errorf("started %s, want %s", got, c.started)
			}
			code, text := 0, errOut.String()
			if err != nil {
				code, text = clitest.ExitOf(err), text+err.Error()
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d: %v", code, c.code, err)
			}
			clitest.Contains(t, text, c.says...)
		})
	}
}

// Each line of a stream of several groups names its own, and the roll.
func TestRollInOneStream(t *testing.T) {
	r, out, _ := rollOf(t, strategy.RollByName(), &Upgrade{Face: console.Face{Auto: true}, JSON: true}, "batch", "web")
	r.start = simulated
	if err := r.headless(t.Context()); err != nil {
		t.Fatal(err)
	}
	var of []string // the groups in the order in which they speak
	finished := map[string]int{}
	apitest.Valid(t, out.Bytes())
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var e record.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Roll != "roll-1" && strings.HasPrefix(string(e.Type), "roll.") {
			t.Errorf("it does not name the roll: %s", line)
		}
		if e.Group != "" && (len(of) == 0 || of[len(of)-1] != e.Group) {
			of = append(of, e.Group)
		}
		if e.Type == record.RunFinished || e.Type == record.RollEnded {
			finished[e.Group] += 1 + *e.ExitCode
		}
	}
	if fmt.Sprint(of) != "[batch web]" || fmt.Sprint(finished) != "map[:1 batch:1 web:1]" {
		t.Errorf("groups %v, ends %v", of, finished)
	}
}

// A signal aborts the run that is under way, and no other starts; before a run has begun
// nothing is left of it.
func TestRollIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		what  string
		begun bool
		says  string
	}{{"in a run", true, "a: aborted"}, {"before it", false, "a: not started"}} {
		t.Run(c.what, func(t *testing.T) {
			r, _, errOut := rollOf(t, strategy.RollByName(), &Upgrade{Face: console.Face{Auto: true}}, "a", "b")
			r.start = func(ctx context.Context, m *Upgrade) error {
				if m.Group != "a" {
					t.Errorf("%s was started", m.Group)
				}
				if !c.begun {
					r.signals <- syscall.SIGTERM
					<-ctx.Done()
					return ctx.Err()
				}
				if !m.part.begin() {
					return context.Canceled
				}
				r.signals <- syscall.SIGTERM
				if s := <-m.signals; s != syscall.SIGTERM {
					t.Errorf("got %v", s)
				}
				if ctx.Err() != nil {
					t.Error("a run that has begun was cut off")
				}
				m.part.last = record.Run{ID: "a-1", State: record.Finished, Result: record.Aborted, Why: "SIGTERM"}
				return exitcode.With(exitcode.Aborted, errors.New("aborted"))
			}
			err := r.headless(t.Context())
			if clitest.ExitOf(err) != exitcode.Aborted {
				t.Errorf("exit code %d: %v", clitest.ExitOf(err), err)
			}
			clitest.Contains(t, errOut.String()+err.Error(), c.says, "b: not started")
		})
	}
}

// simulated drives the run of a group in a simulated cluster.
func simulated(ctx context.Context, m *Upgrade) error {
	cluster := "cluster name=" + m.Group + " zones=a nodes=2 slots=9 min=1\nworkload web replicas=2 ready=5s stop=2s\nsettings max-unavailable=1 approve=batch\n"
	s, err := script.Scenario{Name: m.Group, Script: cluster}.Open(1, m.Auto)
	if err != nil {
		return err
	}
	plan, wall := s.Plan(m.Group+"-1"), realtime.New(s.Sim, 1000)
	queue := live.Open(ctx, wall)
	defer queue.Close()
	w := world.New()
	if err := queue.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop := &live.Loop{Rules: strategy.EKS{}, Cluster: "demo", World: w, Queue: queue, Executor: wall, Store: wall, Lock: wall, Clock: wall, Before: m.part.before}
	run, events := begin(plan, wall.Now())
	if !m.part.begin() {
		return context.Canceled
	}
	close(m.driving)
	from := &operator{clock: wall, signals: m.signals, err: m.Err}
	if m.Auto {
		m.part.tell(events)
		loop.Events = m.part.tell
		run, err = from.headless(ctx, loop, run)
	} else {
		run, err = m.part.shared(ctx, loop, run, from)
	}
	if err != nil {
		return err
	}
	m.part.last = run
	return (&driver{Upgrade: m}).conclude(run)
}

// rollInLines is a roll of two simulated groups that is answered by lines.
func rollInLines(t *testing.T, answers string) (told, errOut string, err error) {
	t.Helper()
	u := &Upgrade{Face: console.Face{Plain: true}, Console: console.Console{In: bufio.NewReader(strings.NewReader(answers)), Scripted: true}}
	r, out, errs := rollOf(t, strategy.RollByName(), u, "batch", "web")
	r.start = simulated
	err = r.interactive(t.Context())
	return out.String(), errs.String(), err
}

// One screen, here in lines, goes from the first group to the last.
func TestRollInLines(t *testing.T) {
	told, _, err := rollInLines(t, strings.Repeat("a\n", 20))
	if err != nil {
		t.Error(err)
	}
	at := 0
	for _, want := range []string{"demo / batch", "group 1 of 2", "Approve batch 1", "batch: done", "demo / web", "group 2 of 2", "Approve batch 1", "web: done", "the roll: 2 of 2 groups done", "exit code: 0"} {
		i := strings.Index(told[at:], want)
		if i < 0 {
			t.Fatalf("%q was not told in its place:\n%s", want, told)
		}
		at += i
	}
}

// Who leaves holds the roll, and who aborts ends it with the run under way.
func TestRollIsHeldAndEnded(t *testing.T) {
	told, errOut, err := rollInLines(t, "a\n")
	if clitest.ExitOf(err) != exitcode.Paused {
		t.Errorf("the input ended: exit code %d, %v\n%s", clitest.ExitOf(err), err, told)
	}
	clitest.Contains(t, told+errOut+err.Error(), "The input has ended: the run is paused. drainboard upgrade --all resumes it", "not started: web", "To continue: drainboard upgrade --all")
	told, errOut, err = rollInLines(t, "x\ny\n"+strings.Repeat("a\n", 20))
	if clitest.ExitOf(err) != exitcode.Aborted {
		t.Errorf("aborted: exit code %d, %v\n%s", clitest.ExitOf(err), err, told)
	}
	clitest.Contains(t, told+errOut+err.Error(), "the roll ends with it: web is not started", "batch: aborted", "not started: web")
}

// What a group says beside the screen may come from its run, its hooks and the clock at
// once; all of it is told in the end.
func TestRollKeepsWhatIsSaidAtOnce(t *testing.T) {
	r, _, errOut := rollOf(t, strategy.RollByName(), &Upgrade{}, "web")
	r.screen = newSharedScreen(r.value)
	m, _ := r.join(t.Context(), "web")
	defer m.part.cancel()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				fmt.Fprintln(m.Err, "said")
			}
		})
	}
	all.Wait()
	_ = r.conclude()
	if n := strings.Count(errOut.String(), "said\n"); n != 400 {
		t.Errorf("%d of 400 lines were kept", n)
	}
}

// What is said of the roll between a run's begin and its place on the screen reaches it.
func TestRollIsEndedAsARunBegins(t *testing.T) {
	for _, c := range []struct {
		what string
		say  func(*rollDriver)
		want func(record.Run) bool
	}{
		{"aborted", func(r *rollDriver) { r.send(record.Command{Kind: record.CmdAbort}) }, func(run record.Run) bool { return run.Result == record.Aborted }},
		{"held", func(r *rollDriver) { r.hold("the dashboard was left") }, func(run record.Run) bool { return run.State == record.Paused }},
		{"held, then aborted", func(r *rollDriver) {
			r.hold("the dashboard was left")
			r.send(record.Command{Kind: record.CmdAbort})
		}, func(run record.Run) bool { return run.Result == record.Aborted }},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, _, _ := rollOf(t, strategy.RollByName(), &Upgrade{}, "web")
			r.screen = newSharedScreen(r.value)
			m, ctx := r.join(t.Context(), "web")
			defer m.part.cancel()
			shared := m.part.shared
			m.part.shared = func(ctx context.Context, loop *live.Loop, run record.Run, from *operator) (record.Run, error) {
				c.say(r)
				ctx, stop := context.WithTimeout(ctx, 3*time.Second)
				defer stop()
				return shared(ctx, loop, run, from)
			}
			err := simulated(ctx, m)
			if run := m.part.last; !c.want(run) {
				t.Errorf("the run is %s (%s): %v", run.State, run.Result, err)
			}
		})
	}
}

// Of runs side by side one is shown, and has what the operator says; an abort is for all.
func TestSharedScreenShowsOneRun(t *testing.T) {
	rules := strategy.RollKops(true)
	r := roll.New(rules, "roll-1", []roll.Group{{Name: "a", Role: world.RoleBastion}, {Name: "b", Role: world.RoleBastion}})
	tab := newSharedScreen(roll.Decide(rules, time.Now(), r, roll.News{}).Roll)
	sits := func(group string) { tab.runs[group] = &screenRun{loop: &live.Loop{}} }
	shows := func(want string, done int) {
		t.Helper()
		select {
		case s := <-tab.snapshots:
			if s.Group != want || s.Done != done || s.Roll == nil {
				t.Errorf("shows %s with %d done", s.Group, s.Done)
			}
		default:
			if want != "" {
				t.Errorf("shows nothing, want %s", want)
			}
		}
	}
	snapshot := func(group string, done int) *snapshot.Snapshot {
		return &snapshot.Snapshot{Group: group, Done: done, State: record.Running}
	}
	sits("a")
	sits("b")
	if tab.saw() {
		t.Error("something was shown already")
	}
	tab.publish("b", snapshot("b", 1))
	shows("b", 1)
	tab.publish("a", snapshot("a", 2)) // it is not looked at
	shows("", 0)
	tab.turn()
	shows("a", 2)
	tab.publish("b", snapshot("b", 3))
	shows("", 0)
	tab.leave("a")
	shows("b", 3)
	tab.turn() // there is no other
	shows("", 0)
	tab.leave("b")
	tab.decided(tab.roll) // the last stays
	shows("b", 3)
	tab.close()
	tab.publish("b", snapshot("b", 4))
	if _, more := <-tab.snapshots; more {
		t.Error("a snapshot after the end")
	}
}

// Where no node tells that it was rolled, groups that are done are not named again.
func TestAllNodesOfWhatIsLeft(t *testing.T) {
	line := present.CommandLine{Settings: []present.Flag{{Name: "all-nodes", Words: []string{"--all-nodes"}}, {Name: "cloudonly", Words: []string{"--cloudonly"}}}}
	u := &Upgrade{Scope: planner.Scope{All: true}, Request: planner.Request{AllNodes: true, Line: line}}
	r, _, _ := rollOf(t, strategy.RollByName(), u, "a", "b", "c")
	r.value.Again = u.Scope.Again(u.Line)
	r.value.Groups = []roll.Group{
		{Name: "a", State: roll.Finished}, {Name: "b", State: roll.Finished, Code: exitcode.Paused},
		{Name: "c", State: roll.NotStarted}, {Name: "d", State: roll.LeftOut},
	}
	if got := r.again(); got != "drainboard upgrade b c --all-nodes --cloudonly" {
		t.Error(got)
	}
}
