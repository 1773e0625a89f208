package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// remote is a running run, and a way to say something to it from another process: the
// run goes through its record between any two decisions.
type remote struct {
	t   *testing.T
	now time.Time
	w   *world.World
	run record.Run
}

func newRemote(t *testing.T) *remote {
	w := world.New()
	w.SetGroup(world.Group{Name: "web", Provider: "asg"})
	r := assess.NewRun(strategy.EKS{}, "run-1", 1, w, strategy.EKS{}.Defaults(), record.Target{})
	now := time.Date(2026, 11, 21, 21, 7, 0, 0, time.UTC)
	return &remote{t: t, now: now, w: w, run: engine.Start(r, now, "ann@laptop")}
}

func (r *remote) say(commands ...record.Command) engine.Decision {
	r.t.Helper()
	d := engine.Decide(strategy.EKS{}, r.now, r.w, r.run, engine.Inputs{Commands: commands})
	text, err := json.Marshal(d.Run)
	if err != nil {
		r.t.Fatal(err)
	}
	r.run = record.Run{}
	if err := json.Unmarshal(text, &r.run); err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *remote) command(kind record.CommandKind, id string) record.Command {
	return record.Command{Kind: kind, ID: id, Run: "run-1", By: "bob@ops", At: r.now, Expires: r.now.Add(20 * time.Second)}
}

// A command is obeyed once, also by who reads the record: the answer is given again in
// the same words, nothing is done and nothing is told.
func TestElsewhereOnce(t *testing.T) {
	r := newRemote(t)
	pause, resume := r.command(record.CmdPause, "p1"), r.command(record.CmdResume, "r1")
	first := r.say(pause)
	if len(first.Acks) != 1 || !first.Acks[0].Accepted || r.run.State != record.Paused || len(first.Events) != 1 || !first.Events[0].Remote {
		t.Fatalf("got %+v, events %+v", first.Acks, first.Events)
	}
	r.say(resume)
	again := r.say(pause, resume, pause)
	if r.run.State != record.Running || len(again.Events) > 0 || len(again.Acks) != 3 || again.Acks[0].Answer != first.Acks[0].Answer || !again.Acks[0].Accepted {
		t.Errorf("%s, acks %+v, events %+v", r.run.State, again.Acks, again.Events)
	}
	// As late as it could be heard; and then it is over, however long it says it lives.
	pause.Expires = r.now.Add(time.Hour)
	r.now = r.now.Add(record.CommandLife)
	if d := r.say(pause); !d.Acks[0].Accepted || len(d.Events) > 0 || r.run.State != record.Running {
		t.Errorf("heard again: %+v", d)
	}
	r.now = r.now.Add(2 * time.Minute)
	if d := r.say(pause); d.Acks[0].Accepted || !strings.Contains(d.Acks[0].Answer, "pause expired") || len(r.run.HandledCommands) > 0 {
		t.Errorf("heard after its life: %+v, remembered %+v", d.Acks, r.run.HandledCommands)
	}
}

// What may not come from elsewhere does not, whatever the object says; the words for
// the sender are those of the log, which says also who it was.
func TestElsewhereRefused(t *testing.T) {
	for _, kind := range []record.CommandKind{record.CmdForce, record.CmdSkip, record.CmdReturn, "", "format", "\x1b[2Jpause"} {
		r := newRemote(t)
		d := r.say(r.command(kind, "c1"))
		if len(d.Acks) != 1 || d.Acks[0].Accepted || len(r.run.HandledCommands) > 0 || len(d.Events) != 1 {
			t.Fatalf("%q: %+v", kind, d.Acks)
		}
		if e := d.Events[0]; !strings.HasPrefix(e.Message, d.Acks[0].Answer) || !strings.Contains(e.Message, "by bob@ops") || strings.Contains(e.Message, "\x1b") {
			t.Errorf("%q: event %+v, answer %+v", kind, e, d.Acks[0])
		}
	}
	// A command refused now may be obeyed when it is given again.
	r := newRemote(t)
	if d := r.say(r.command(record.CmdResume, "c1")); d.Acks[0].Accepted || d.Acks[0].Answer != "resume not possible now: not paused" {
		t.Errorf("%+v", d.Acks)
	}
}

// However many there are, the record stays small, and a local command is always heard, as
// is whatever stops the run.
func TestElsewhereTooMany(t *testing.T) {
	r := newRemote(t)
	kinds, obeyed := []record.CommandKind{record.CmdPause, record.CmdResume}, 0
	var last record.Ack
	for i := range 200 {
		last = r.say(r.command(kinds[i%2], fmt.Sprint("c", i))).Acks[0]
		if last.Accepted {
			obeyed++
		}
	}
	if obeyed != 65 || r.run.State != record.Paused || len(r.run.HandledCommands) != 64 || !strings.Contains(last.Answer, "too many commands") { // the last one a pause
		t.Errorf("%d obeyed, %d remembered, the last: %+v", obeyed, len(r.run.HandledCommands), last)
	}
	other := newRemote(t)
	for i := range 64 {
		other.say(other.command(kinds[i%2], fmt.Sprint("c", i)))
	}
	if d := other.say(other.command(record.CmdAbort, "stop")); !d.Acks[0].Accepted || other.run.Result != record.Aborted || len(other.run.HandledCommands) != 64 || other.run.HandledCommands[63].ID != "stop" {
		t.Errorf("an abort was one too many: %+v", d.Acks)
	}
	if r.say(record.Command{Kind: record.CmdAbort, By: "ann@laptop", At: r.now}); r.run.Result != record.Aborted {
		t.Error("the driver's own abort was not heard")
	}
}
