package send

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/clitest"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
	"github.com/drainboard/drainboard/engine/api/apitest"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/kube"
	"github.com/drainboard/drainboard/providers/kube/commands"
)

var givenAt = time.Date(2026, 11, 21, 21, 7, 12, 0, time.Local)

// waitingRun is a run with a batch that waits.
func waitingRun() record.Run {
	return record.Run{
		ID: "ng-web-1", Group: "ng-web", Strategy: "eks", State: record.Running, Seen: givenAt,
		Phases: []record.Phase{{Name: "setup", Start: givenAt, End: givenAt}},
		Nodes: shards.Of(map[string]record.Node{
			"i-1": {Name: "a1", Stage: record.Draining}, "i-2": {Name: "a2", Stage: record.Outdated}, "i-3": {Name: "a3", Stage: record.Ready, New: true},
		}),
		Suspended: []string{"AZRebalance"},
		Target:    record.Target{Templates: []world.Template{{ID: "lt-1", Version: 2}}},
		Batches: []record.Batch{{ID: 3, Hash: "0123456789ab", Names: []string{"a1", "a2"}, Machines: []string{"i-1", "i-2"},
			Preview: record.BatchPreview{AsOf: givenAt, Evict: 12, Foreseen: []string{"a1: app/web-1: PDB web never allows a disruption"}}}},
	}
}

// What is to be approved or aborted is shown before the question.
func TestSendShowsWhatItAsks(t *testing.T) {
	var b bytes.Buffer
	run := waitingRun()
	present.WriteWaiting(&b, run)
	clitest.Contains(t, b.String(), "ng-web  ng-web-1  batch 3 waits for approval: 2 nodes, as of 21:07:12", "- a1\n", "- a2\n", "12 pods will be evicted", "PDB web never allows a disruption")
	run.State = record.Paused
	run.Batches = []record.Batch{{ID: 4, Phase: "scale down"}}
	b.Reset()
	present.WriteWaiting(&b, run)
	clitest.Contains(t, b.String(), ": phase scale down, as of 21:07:12", "The run is paused")

	b.Reset()
	present.WriteAbort(&b, run, "ann@laptop pid 7")
	clitest.Contains(t, b.String(), "ng-web-1  paused, ", "Driven by ann@laptop pid 7", "1 draining node stop", "the group keeps the new launch template", "AZRebalance resumed", "Not restored yet, with the command that does:\n")
	b.Reset()
	present.WriteAbort(&b, run, "")
	clitest.Contains(t, b.String(), "No process drives this run")

	for name, says := range map[string]string{"gardener-follow": "Gardener finishes 1 node that it has begun", "gardener-manual": "1 selected node continues: Gardener finishes it"} {
		run.Strategy, run.BaseTemplate, run.Nodes = name, run.Target.Templates[0], shards.Of(map[string]record.Node{"m-1": {Name: "a1", Stage: record.Updating}, "m-2": {Name: "a2", Stage: record.Ready, New: true}})
		b.Reset()
		present.WriteAbort(&b, run, "")
		clitest.Contains(t, b.String(), says)
		if strings.Contains(b.String(), "template") {
			t.Errorf("%s: a pool has none:\n%s", name, b.String())
		}
	}
}

// Each verdict has its words and its exit code, for people and for programs.
func TestSendSaysTheVerdict(t *testing.T) {
	for _, c := range []struct {
		kind record.CommandKind
		verdict
		code int
		says []string
	}{
		{record.CmdPause, verdict{Answered: true, Obeyed: true, By: "ann@laptop", Words: "paused"}, 0, []string{"ng-web-1: pause accepted by ann@laptop: paused\n"}},
		{record.CmdAbort, verdict{Answered: true, Obeyed: true, By: "ann@laptop", Words: "nothing new starts"}, 0, []string{"drainboard status ng-web shows how it ends"}},
		{record.CmdResume, verdict{Answered: true, By: "ann@laptop", Words: "it is not paused"}, 1, []string{"ng-web-1: refused by ann@laptop: it is not paused"}},
		{record.CmdApprove, verdict{Answered: true, By: "ann@laptop", Words: "it has changed"}, 1, []string{"refused by ann@laptop: it has changed; drainboard approve ng-web shows the batch that waits now"}},
		{record.CmdPause, verdict{Words: "no answer within 15s"}, 1, []string{"ng-web-1: pause: no answer within 15s"}},
	} {
		var out bytes.Buffer
		o := &Order{Console: console.Console{Out: &out}, Group: "ng-web", Kind: c.kind, run: record.Run{ID: "ng-web-1"}}
		err := o.say(c.verdict)
		text := out.String()
		if err != nil {
			text += err.Error()
		}
		clitest.Contains(t, text, c.says...)
		if got := clitest.ExitOf(err); got != c.code {
			t.Errorf("%s: exit code %d, want %d", c.kind, got, c.code)
		}
		out.Reset()
		o.JSON = true
		err = o.say(c.verdict)
		apitest.Valid(t, out.Bytes())
		var v map[string]any
		if jsonErr := json.Unmarshal(out.Bytes(), &v); jsonErr != nil || clitest.ExitOf(err) != c.code {
			t.Fatalf("%s, %v, exit code %d", out.String(), jsonErr, clitest.ExitOf(err))
		}
		if v["command"] != string(c.kind) || v["run"] != "ng-web-1" || v["accepted"] != c.Obeyed || v["answered"] != c.Answered || v["message"] != c.Words {
			t.Errorf("JSON %s", out.String())
		}
	}
}

// Without a run or without a driver, the message says so, and how to resume.
func TestSendWithoutARun(t *testing.T) {
	run := waitingRun()
	clitest.Contains(t, present.NoRun("ng-web", record.Run{}, false), "group ng-web has no run")
	if why := present.NoRun("ng-web", run, true); why != "" {
		t.Error(why)
	}
	clitest.Contains(t, present.Undriven(run, givenAt.Add(-time.Hour), givenAt.Add(5*time.Minute)), "no process drives the run: it is running", "last seen 5m0s ago", "drainboard upgrade ng-web resumes it", "drainboard abort ng-web aborts it")
	run.State = record.Ending
	if text := present.Undriven(run, givenAt, givenAt); strings.Contains(text, "abort") || !strings.Contains(text, "it is ending") {
		t.Error(text)
	}
	run.State, run.Result, run.Finished = record.Finished, record.Succeeded, givenAt
	clitest.Contains(t, present.NoRun("ng-web", run, true), "the last one, ng-web-1, ended at 21:07:12 on 21 Nov: succeeded")
}

// Only what nobody has heard is said to be taken back.
func TestSendSaysWhatMayStillHappen(t *testing.T) {
	o := &Order{Group: "ng-web"}
	over := givenAt.Add(20 * time.Second)
	if text := o.afterwards(nil, over, givenAt); text != "it was withdrawn" {
		t.Error(text)
	}
	heard := &commands.HeardError{By: "ann@laptop"}
	for _, c := range []struct {
		back error
		now  time.Time
		says string
	}{
		{heard, givenAt, "ann@laptop has heard it and not answered yet, so it cannot be withdrawn; it may still be executed until 21:07:32 (check with drainboard status ng-web)"},
		{heard, over, "ann@laptop has heard it and not answered yet, so it cannot be withdrawn; it may have been executed ("},
		{errors.New("the API is away"), givenAt, "it could not be withdrawn (the API is away); it may still be executed until 21:07:32 ("},
		{commands.ErrRemoved, givenAt, "it may have been executed ("},
	} {
		text := o.afterwards(c.back, over, c.now)
		clitest.Contains(t, text, c.says)
		if strings.Contains(text, "it was withdrawn") {
			t.Error(text)
		}
	}
}

// An approval, and an abort, wait for the yes of the user who was shown what it does; --yes
// and a hash that was looked at before are that yes.
func TestSendAsks(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, c := range []struct {
		Order
		answer string
		wanted bool
		asked  string // "" for no prompt
		says   string
	}{
		{Order{Kind: record.CmdApprove}, "\n", false, "Approve it? [y/N]", "12 pods will be evicted"},
		{Order{Kind: record.CmdApprove}, "y\n", true, "Approve it? [y/N]", "12 pods will be evicted"},
		{Order{Kind: record.CmdApprove, Yes: true}, "", true, "", "12 pods will be evicted"},
		{Order{Kind: record.CmdApprove, Batch: 2, Hash: "abc"}, "", true, "", ""},
		{Order{Kind: record.CmdAbort}, "n\n", false, "Abort it? [y/N]", "An abort starts nothing new"},
		{Order{Kind: record.CmdAbort}, "yes\n", true, "Abort it? [y/N]", "An abort starts nothing new"},
		{Order{Kind: record.CmdPause}, "", true, "", ""},
	} {
		o, out := c.Order, bytes.Buffer{}
		o.Console = console.Console{In: bufio.NewReader(strings.NewReader(c.answer)), Out: &out, Err: io.Discard}
		o.kube, o.run = &kube.Client{}, waitingRun()
		wanted, err := o.ask(t.Context(), "ann@laptop")
		if wanted != c.wanted || (err == nil) != c.wanted || err != nil && clitest.ExitOf(err) != exitcode.Aborted {
			t.Errorf("%s, %q: wanted %v, %v", o.Kind, c.answer, wanted, err)
		}
		if asked := strings.Contains(out.String(), "[y/N]"); asked != (c.asked != "") || !strings.Contains(out.String(), c.asked) || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s, %q: it said\n%s", o.Kind, c.answer, out.String())
		}
		if o.Kind == record.CmdApprove && c.Order.Hash == "" && (o.Batch != 3 || o.Hash != "0123456789ab") {
			t.Errorf("%q: batch %d, %s is approved, and not what was shown", c.answer, o.Batch, o.Hash)
		}
	}
}
