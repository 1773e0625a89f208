package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/roll"
	"github.com/drainboard/drainboard/engine/sim"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// rollOf is a roll of groups by name, and what it writes.
func rollOf(t *testing.T, rules roll.Rules, u *upgrade, groups ...string) (r *rolling, out, errOut *bytes.Buffer) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var list []roll.Group
	for _, g := range groups {
		list = append(list, roll.Group{Name: g})
	}
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	if u.app == nil {
		u.app = &app{}
	}
	u.app.Out, u.app.Err = out, errOut
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
			[]string{"drainboard: b: PodEvictionFailure: a pod stays\nmore of it", "b: failed", ": PodEvictionFailure: a pod stays\n", "c: not started: b ended in an error", "To go on: drainboard upgrade --all"}},
		{"--keep-going", strategy.RollByName().KeepGoing(), map[string]error{"a": failed(1, "x"), "b": failed(6, "bob has the lock")}, "[a b c]", 6,
			[]string{"b: held by another", "bob has the lock", "1 of 3 groups done"}},
		{"an error that says no code is a failure", strategy.RollByName(), map[string]error{"a": errors.New("odd")}, "[a]", 1, []string{"a: failed"}},
		{"nodes left", strategy.RollByName(), map[string]error{"a": failed(8, "nodes left by choice: 1 node skipped")}, "[a b c]", 8, []string{"a: done, nodes left"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, _, errOut := rollOf(t, c.rules, &upgrade{Face: console.Face{Auto: true}}, "c", "a", "b")
			var mu sync.Mutex
			var started []string
			r.start = func(_ context.Context, m *upgrade) error {
				mu.Lock()
				defer mu.Unlock()
				started = append(started, m.group)
				return c.ends[m.group]
			}
			err := r.headless(t.Context())
			if got := fmt.Sprint(started); got != c.started {
				t.Errorf("started %s, want %s", got, c.started)
			}
			code, text := 0, errOut.String()
			if err != nil {
				code, text = exitOf(err), text+err.Error()
			}
			if code != c.code {
				t.Errorf("exit code %d, want %d: %v", code, c.code, err)
			}
			contains(t, text, c.says...)
		})
	}
}

// Each line of a stream of several groups names its own, and the roll.
func TestRollInOneStream(t *testing.T) {
	r, out, _ := rollOf(t, strategy.RollByName(), &upgrade{Face: console.Face{Auto: true}, json: true}, "batch", "web")
	r.start = simulated
	if err := r.headless(t.Context()); err != nil {
		t.Fatal(err)
	}
	var of []string // the groups in the order in which they speak
	finished := map[string]int{}
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
			r, _, errOut := rollOf(t, strategy.RollByName(), &upgrade{Face: console.Face{Auto: true}}, "a", "b")
			r.start = func(ctx context.Context, m *upgrade) error {
				if m.group != "a" {
					t.Errorf("%s was started", m.group)
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
			if exitOf(err) != exitcode.Aborted {
				t.Errorf("exit code %d: %v", exitOf(err), err)
			}
			contains(t, errOut.String()+err.Error(), c.says, "b: not started")
		})
	}
}

// simulated drives the run of a group in a simulated cluster.
func simulated(ctx context.Context, m *upgrade) error {
	script := "cluster name=" + m.group + " zones=a nodes=2 slots=9 min=1\nworkload web replicas=2 ready=5s stop=2s\nsettings max-unavailable=1 approve=batch\n"
	s, err := sim.Scenario{Name: m.group, Script: script}.Open(1, m.Auto)
	if err != nil {
		return err
	}
	plan, wall := s.Plan(m.group+"-1"), sim.NewRealTime(s.Sim, 1000)
	intake := live.Open(ctx, wall)
	defer intake.Close()
	w := world.New()
	if err := intake.Fill(ctx, w, time.Minute, world.Cluster, world.Cloud); err != nil {
		return err
	}
	loop := &live.Loop{Rules: strategy.EKS{}, Cluster: "demo", World: w, Queue: intake, Executor: wall, Store: wall, Lock: wall, Clock: wall, Before: m.part.history()}
	run, events := begin(plan, wall.Now())
	if !m.part.begin() {
		return context.Canceled
	}
	close(m.driving)
	from := &seat{clock: wall, signals: m.signals, err: m.app.Err}
	if m.Auto {
		m.part.tell(events)
		loop.Events = m.part.tell
		run, err = from.headless(ctx, loop, run)
	} else {
		run, err = m.part.sit(ctx, loop, run, from)
	}
	if err != nil {
		return err
	}
	m.part.last = run
	return (&driver{upgrade: m}).conclude(run)
}

// rollInLines is a roll of two simulated groups that is answered by lines.
func rollInLines(t *testing.T, answers string) (told, errOut string, err error) {
	t.Helper()
	u := &upgrade{Face: console.Face{Plain: true}, app: &app{Console: console.Console{In: bufio.NewReader(strings.NewReader(answers)), Scripted: true}}}
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
	if exitOf(err) != exitcode.Paused {
		t.Errorf("the input ended: exit code %d, %v\n%s", exitOf(err), err, told)
	}
	contains(t, told+errOut+err.Error(), "The input has ended: the run is paused. drainboard upgrade --all goes on", "not started: web", "To go on: drainboard upgrade --all")
	told, errOut, err = rollInLines(t, "x\ny\n"+strings.Repeat("a\n", 20))
	if exitOf(err) != exitcode.Aborted {
		t.Errorf("aborted: exit code %d, %v\n%s", exitOf(err), err, told)
	}
	contains(t, told+errOut+err.Error(), "the roll ends with it: web is not started", "batch: aborted", "not started: web")
}

// What a group says beside the screen may come from its run, its hooks and the clock at
// once; all of it is told in the end.
func TestRollKeepsWhatIsSaidAtOnce(t *testing.T) {
	r, _, errOut := rollOf(t, strategy.RollByName(), &upgrade{}, "web")
	r.table = newTable(r.value)
	m, _ := r.join(t.Context(), "web")
	defer m.part.cancel()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				fmt.Fprintln(m.app.Err, "said")
			}
		})
	}
	all.Wait()
	_ = r.conclude()
	if n := strings.Count(errOut.String(), "said\n"); n != 400 {
		t.Errorf("%d of 400 lines were kept", n)
	}
}

// What is said of the roll between a run's begin and its place at the table reaches it.
func TestRollIsEndedAsARunBegins(t *testing.T) {
	for _, c := range []struct {
		what string
		say  func(*rolling)
		want func(record.Run) bool
	}{
		{"aborted", func(r *rolling) { r.send(record.Command{Kind: record.CmdAbort}) }, func(run record.Run) bool { return run.Result == record.Aborted }},
		{"held", func(r *rolling) { r.hold("left the dashboard") }, func(run record.Run) bool { return run.State == record.Paused }},
		{"held, then aborted", func(r *rolling) {
			r.hold("left the dashboard")
			r.send(record.Command{Kind: record.CmdAbort})
		}, func(run record.Run) bool { return run.Result == record.Aborted }},
	} {
		t.Run(c.what, func(t *testing.T) {
			r, _, _ := rollOf(t, strategy.RollByName(), &upgrade{}, "web")
			r.table = newTable(r.value)
			m, ctx := r.join(t.Context(), "web")
			defer m.part.cancel()
			sit := m.part.sit
			m.part.sit = func(ctx context.Context, loop *live.Loop, run record.Run, from *seat) (record.Run, error) {
				c.say(r)
				ctx, stop := context.WithTimeout(ctx, 3*time.Second)
				defer stop()
				return sit(ctx, loop, run, from)
			}
			err := simulated(ctx, m)
			if run := m.part.last; !c.want(run) {
				t.Errorf("the run is %s (%s): %v", run.State, run.Result, err)
			}
		})
	}
}

// Of runs side by side one is shown, and has what the operator says; an abort is for all.
func TestTableShowsOneRun(t *testing.T) {
	rules := strategy.RollKops(true)
	r := roll.New(rules, "roll-1", []roll.Group{{Name: "a", Role: world.RoleBastion}, {Name: "b", Role: world.RoleBastion}})
	tab := newTable(roll.Decide(rules, time.Now(), r, roll.News{}).Roll)
	sits := func(group string) { tab.seats[group] = &rollPlace{loop: &live.Loop{}} }
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
	snapshot := func(group string, done int) *engine.Snapshot {
		return &engine.Snapshot{Group: group, Done: done, State: record.Running}
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

func TestScope(t *testing.T) {
	rows := []present.GroupRow{{}, {}, {}, {}}
	for i, g := range []struct {
		name string
		role world.Role
	}{{"bastions", world.RoleBastion}, {"masters", world.RoleControlPlane}, {"nodes-a", world.RoleNode}, {"nodes-b", world.RoleNode}} {
		rows[i].Name, rows[i].Role = g.name, g.role
	}
	plain := []present.GroupRow{{}, {}}
	plain[0].Name, plain[1].Name = "batch", "web"
	for _, c := range []struct {
		scope scope
		args  string
		rows  []present.GroupRow
		want  string // groups, or what is wrong
		again string
	}{
		{scope{all: true}, "", rows, "bastions masters nodes-a nodes-b", "drainboard upgrade --all"},
		{scope{}, "nodes-b nodes-a nodes-b", rows, "nodes-a nodes-b", "drainboard upgrade nodes-b nodes-a"},
		{scope{instanceGroups: []string{"masters", " nodes-a"}}, "", rows, "masters nodes-a", "drainboard upgrade masters nodes-a"},
		{scope{roles: []string{"Nodes", "master"}}, "", rows, "masters nodes-a nodes-b", "drainboard upgrade --instance-group-roles Nodes,master"},
		{scope{all: true, roles: []string{"bastion"}}, "", rows, "bastions", "drainboard upgrade --all --instance-group-roles bastion"},
		{scope{roles: []string{"node"}}, "masters nodes-a", rows, "nodes-a", "drainboard upgrade masters nodes-a --instance-group-roles node"},
		{scope{roles: []string{"apiserver"}}, "", rows, "!no group has role apiserver; there are bastion, control-plane, node", ""},
		{scope{roles: []string{"node"}}, "masters", rows, "!none of masters has role node", ""},
		{scope{roles: []string{"worker"}}, "", rows, `!"worker" is none of bastion, control-plane, apiserver, node`, ""},
		{scope{roles: []string{"node"}}, "", plain, "!have no roles", ""},
		{scope{}, "web, nope", plain, "!there is no group web,, nope; the groups are batch, web", ""},
		{scope{all: true}, "", nil, "!no group owns a node", ""},
		{scope{all: true}, "web", plain, "!leave one of the two out", ""},
		{scope{}, "", plain, "!name a GROUP, or give --all", ""},
		{scope{instanceGroups: []string{""}}, "", plain, "!is empty", ""},
		{scope{all: true, bastionsAtOnce: true}, "", plain, "!--bastions-at-once is for kops", ""},
		{scope{all: true, keepGoing: true}, "", rows, "!--keep-going: kops fixes which errors", ""},
	} {
		err := c.scope.take(strings.Fields(c.args))
		var got []present.GroupRow
		if err == nil {
			got, err = c.scope.choose(c.rows)
		}
		if err == nil {
			_, err = c.scope.rollRules(got)
		}
		if says, wrong := strings.CutPrefix(c.want, "!"); wrong {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%+v: %v, want %s", c.scope, err, says)
			}
			continue
		}
		var names []string
		for _, g := range got {
			names = append(names, g.Name)
		}
		if err != nil || strings.Join(names, " ") != c.want || c.scope.again(present.CommandLine{}) != c.again || !c.scope.isRoll() {
			t.Errorf("%+v: %v, %v, again: %s", c.scope, names, err, c.scope.again(present.CommandLine{}))
		}
	}
	one := scope{}
	if err := one.take([]string{"web"}); err != nil || one.isRoll() || !slices.Equal(one.named, []string{"web"}) {
		t.Errorf("one group: %v", err)
	}
}

// What is for one group is refused before anything is connected to.
func TestNotForSeveralGroups(t *testing.T) {
	for _, c := range [][2]string{
		{"upgrade a b --auto --only n1", "--only is not for several groups"},
		{"upgrade --all --auto --launch-template-version 7", "--launch-template-version is not for several groups"},
		{"upgrade --all --auto --record discard", "--record is not for several groups"},
		{"plan a b --only n1", "--only is not for several groups"},
		{"upgrade a --all --auto", "leave one of the two out"},
	} {
		root := newRoot(strings.NewReader(""), io.Discard, io.Discard)
		root.SetArgs(strings.Fields(c[0]))
		if err := root.Execute(); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
}
