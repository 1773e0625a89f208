package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
)

var givenAt = time.Date(2026, 11, 21, 21, 7, 12, 0, time.Local)

// waitingRun is a run with a batch that waits.
func waitingRun() record.Run {
	return record.Run{
		ID: "ng-web-1", Group: "ng-web", Strategy: "eks", State: record.Running, Seen: givenAt,
		Phases: []record.Phase{{Name: "setup", Start: givenAt, End: givenAt}},
		Nodes: map[string]record.Node{
			"i-1": {Name: "a1", Stage: record.Draining}, "i-2": {Name: "a2", Stage: record.Outdated}, "i-3": {Name: "a3", Stage: record.Ready, New: true},
		},
		Suspended: []string{"AZRebalance"},
		Target:    record.Target{Templates: []world.Template{{ID: "lt-1", Version: 2}}},
		Batches: []record.Batch{{ID: 3, Hash: "0123456789ab", Names: []string{"a1", "a2"}, Machines: []string{"i-1", "i-2"},
			Preview: record.BatchPreview{AsOf: givenAt, Evict: 12, Foreseen: []string{"a1: app/web-1: PDB web never allows a disruption"}}}},
	}
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

// What is to be approved or aborted is shown before the question.
func TestGiveShowsWhatItAsks(t *testing.T) {
	var b bytes.Buffer
	run := waitingRun()
	present.WriteWaiting(&b, run)
	contains(t, b.String(), "ng-web  ng-web-1  batch 3 waits for approval: 2 nodes, as of 21:07:12", "- a1\n", "- a2\n", "12 pods will be evicted", "PDB web never allows a disruption")
	run.State = record.Paused
	run.Batches = []record.Batch{{ID: 4, Phase: "scale down"}}
	b.Reset()
	present.WriteWaiting(&b, run)
	contains(t, b.String(), "the phase scale down, as of 21:07:12", "The run is paused")

	b.Reset()
	present.WriteAbort(&b, run, "ann@laptop pid 7")
	contains(t, b.String(), "ng-web-1  paused, ", "Driven by ann@laptop pid 7", "1 draining node stop", "the group keeps the new launch template", "AZRebalance resumed", "Not put back yet, and what would:\n")
	b.Reset()
	present.WriteAbort(&b, run, "")
	contains(t, b.String(), "Nobody drives this run")

	for name, says := range map[string]string{"gardener-follow": "Gardener finishes 1 node that it has begun", "gardener-manual": "1 selected node continue: Gardener finishes"} {
		run.Strategy, run.BaseTemplate, run.Nodes = name, run.Target.Templates[0], map[string]record.Node{"m-1": {Name: "a1", Stage: record.Updating}, "m-2": {Name: "a2", Stage: record.Ready, New: true}}
		b.Reset()
		present.WriteAbort(&b, run, "")
		contains(t, b.String(), says)
		if strings.Contains(b.String(), "template") {
			t.Errorf("%s: a pool has none:\n%s", name, b.String())
		}
	}
}

// Each verdict has its words and its exit code, for people and for programs.
func TestGiveSaysTheVerdict(t *testing.T) {
	for _, c := range []struct {
		kind record.CommandKind
		verdict
		code int
		says []string
	}{
		{record.CmdPause, verdict{Answered: true, Obeyed: true, By: "ann@laptop", Words: "paused"}, 0, []string{"ng-web-1: pause obeyed by ann@laptop: paused\n"}},
		{record.CmdAbort, verdict{Answered: true, Obeyed: true, By: "ann@laptop", Words: "nothing new starts"}, 0, []string{"drainboard status ng-web tells how it ends"}},
		{record.CmdResume, verdict{Answered: true, By: "ann@laptop", Words: "it is not paused"}, 1, []string{"ng-web-1: refused by ann@laptop: it is not paused"}},
		{record.CmdApprove, verdict{Answered: true, By: "ann@laptop", Words: "it has changed"}, 1, []string{"refused by ann@laptop: it has changed; drainboard approve ng-web shows what waits now"}},
		{record.CmdPause, verdict{Words: "nobody has answered within 15s"}, 1, []string{"ng-web-1: pause: nobody has answered within 15s"}},
	} {
		var out bytes.Buffer
		o := &order{app: &app{Console: console.Console{Out: &out}}, group: "ng-web", kind: c.kind, run: record.Run{ID: "ng-web-1"}}
		err := o.say(c.verdict)
		text := out.String()
		if err != nil {
			text += err.Error()
		}
		contains(t, text, c.says...)
		if got := exitOf(err); got != c.code {
			t.Errorf("%s: exit code %d, want %d", c.kind, got, c.code)
		}
		out.Reset()
		o.json = true
		err = o.say(c.verdict)
		var v map[string]any
		if jsonErr := json.Unmarshal(out.Bytes(), &v); jsonErr != nil || exitOf(err) != c.code {
			t.Fatalf("%s, %v, exit code %d", out.String(), jsonErr, exitOf(err))
		}
		if v["command"] != string(c.kind) || v["run"] != "ng-web-1" || v["obeyed"] != c.Obeyed || v["answered"] != c.Answered || v["answer"] != c.Words {
			t.Errorf("JSON %s", out.String())
		}
	}
}

func exitOf(err error) int {
	var e *exitcode.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// Without a run, or without a driver, it is said what there is and what goes on.
func TestGiveWithoutARun(t *testing.T) {
	run := waitingRun()
	contains(t, present.NoRun("ng-web", record.Run{}, false), "group ng-web has no run")
	if why := present.NoRun("ng-web", run, true); why != "" {
		t.Error(why)
	}
	contains(t, present.Undriven(run, givenAt.Add(-time.Hour), givenAt.Add(5*time.Minute)), "nobody drives the run: it is running", "last heard from 5m0s ago", "drainboard upgrade ng-web goes on with it", "drainboard abort ng-web puts it back")
	run.State = record.Ending
	if text := present.Undriven(run, givenAt, givenAt); strings.Contains(text, "abort") || !strings.Contains(text, "it is ending") {
		t.Error(text)
	}
	run.State, run.Result, run.Finished = record.Finished, record.Succeeded, givenAt
	contains(t, present.NoRun("ng-web", run, true), "the last one, ng-web-1, ended at 21:07:12 on 21 Nov: succeeded")
}

// Only what nobody has heard is said to be taken back.
func TestGiveSaysWhatMayStillHappen(t *testing.T) {
	o := &order{group: "ng-web"}
	over := givenAt.Add(20 * time.Second)
	if text := o.afterwards(nil, over, givenAt); text != "it was taken back" {
		t.Error(text)
	}
	heard := &kube.HeardError{By: "ann@laptop"}
	for _, c := range []struct {
		back error
		now  time.Time
		says string
	}{
		{heard, givenAt, "ann@laptop has heard it and not answered yet, so it cannot be taken back; it may still be obeyed until 21:07:32: drainboard status ng-web tells"},
		{heard, over, "ann@laptop has heard it and not answered yet, so it cannot be taken back; it may have been obeyed: "},
		{errors.New("the API is away"), givenAt, "it could not be taken back (the API is away); it may still be obeyed until 21:07:32: "},
		{kube.ErrRemoved, givenAt, "it may have been obeyed: "},
	} {
		text := o.afterwards(c.back, over, c.now)
		contains(t, text, c.says)
		if strings.Contains(text, "it was taken back") {
			t.Error(text)
		}
	}
}

// What makes no sense is refused before anything is asked of the cluster: tests have no
// terminal, so nobody can be asked.
func TestGiveRefusesWrongUse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"approve", "ng"}, "give --yes, or --batch and --hash"},
		{[]string{"abort", "ng"}, "this is not a terminal, so nobody can be asked: give --yes"},
		{[]string{"abort", "ng", "-o", "json"}, "-o json asks nothing"},
		{[]string{"approve", "ng", "--batch", "3"}, "--batch and --hash go together"},
		{[]string{"approve", "ng", "--hash", "abc"}, "--batch and --hash go together"},
		{[]string{"pause", "ng", "--wait", "0s"}, "--wait: 0s is not between 1s and 5m0s"},
		{[]string{"pause", "ng", "--reason", strings.Repeat("x", 501)}, "--reason has 501 characters"},
		{[]string{"pause", "ng", "-o", "yaml"}, "neither text nor json"},
		{[]string{"resume"}, "name a GROUP; drainboard groups lists them"},
		{[]string{"pause", "ng", "--yes"}, "unknown flag: --yes"},
		{[]string{"abort", "ng", "--yes", "--control-kubeconfig", "seed.yaml"}, "--control-namespace"},
		{[]string{"pause", "ng", "--control-kubeconfig", "seed.yaml"}, "unknown flag: --control-kubeconfig"},
	} {
		root := newRoot(strings.NewReader("y\n"), io.Discard, io.Discard)
		root.SetArgs(append(c.args, "--kubeconfig", "/does/not/exist"))
		err := root.Execute()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.args, err, c.says)
		}
	}
}

// An approval, and an abort, wait for the yes of whoever was shown what it does; --yes
// and a hash that was looked at before are that yes.
func TestGiveAsks(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, c := range []struct {
		order
		answer string
		wanted bool
		asked  string // "" for no question
		says   string
	}{
		{order{kind: record.CmdApprove}, "\n", false, "Approve it? [y/N]", "12 pods will be evicted"},
		{order{kind: record.CmdApprove}, "y\n", true, "Approve it? [y/N]", "12 pods will be evicted"},
		{order{kind: record.CmdApprove, yes: true}, "", true, "", "12 pods will be evicted"},
		{order{kind: record.CmdApprove, batch: 2, hash: "abc"}, "", true, "", ""},
		{order{kind: record.CmdAbort}, "n\n", false, "Abort it? [y/N]", "An abort starts nothing new"},
		{order{kind: record.CmdAbort}, "yes\n", true, "Abort it? [y/N]", "An abort starts nothing new"},
		{order{kind: record.CmdPause}, "", true, "", ""},
	} {
		o, out := c.order, bytes.Buffer{}
		o.app = &app{Console: console.Console{In: bufio.NewReader(strings.NewReader(c.answer)), Out: &out, Err: io.Discard}}
		o.kube, o.run = &kube.Client{}, waitingRun()
		wanted, err := o.ask(t.Context(), "ann@laptop")
		if wanted != c.wanted || (err == nil) != c.wanted || err != nil && exitOf(err) != exitcode.Aborted {
			t.Errorf("%s, %q: wanted %v, %v", o.kind, c.answer, wanted, err)
		}
		if asked := strings.Contains(out.String(), "[y/N]"); asked != (c.asked != "") || !strings.Contains(out.String(), c.asked) || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s, %q: it said\n%s", o.kind, c.answer, out.String())
		}
		if o.kind == record.CmdApprove && c.order.hash == "" && (o.batch != 3 || o.hash != "0123456789ab") {
			t.Errorf("%q: batch %d, %s is approved, and not what was shown", c.answer, o.batch, o.hash)
		}
	}
}
