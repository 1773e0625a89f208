package live

import (
	"context"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
)

// What others warn of beside the run is told as an event, also while the loop only waits;
// decisions are timed.
func TestLoopWarns(t *testing.T) {
	b := newBench(t)
	b.hold = make(chan struct{})
	var told []record.Event
	decisions := 0
	b.Took = func(took time.Duration) {
		if decisions++; took < 0 {
			t.Errorf("a decision took %s", took)
		}
	}
	b.Events = func(list []record.Event) {
		for _, e := range list {
			if e.Type == record.Warning && e.Reason == "notification" {
				told = append(told, e)
				close(b.hold)
			}
		}
	}
	if !b.Tell(record.Event{Type: record.Warning, Reason: "notification", Message: "nobody listens"}) {
		t.Error("the warning was not taken")
	}
	r, err := b.Run(t.Context(), b.planned())
	if err != nil || r.Result != record.Succeeded {
		t.Fatalf("ended %s: %v", r.Result, err)
	}
	if len(told) != 1 || told[0].Message != "nobody listens" || told[0].Run != "run-1" || told[0].Group != "web" || told[0].Time.IsZero() {
		t.Errorf("told %+v", told)
	}
	if decisions == 0 {
		t.Error("no decision was timed")
	}
	for range 100 { // nobody takes these any more, and nobody is held up
		b.Tell(record.Event{Type: record.Warning, Reason: "notification", Message: "too late"})
	}
}

// hookOnce is a strategy whose run ends when the hooks after a node have run.
type hookOnce struct{ suspendOnce }

func (hookOnce) Step(s *engine.Step) { s.Succeed() }

// Hooks may take longer than other actions, and are given their own time.
func TestLoopGivesHooksTheirTime(t *testing.T) {
	b := newBench(t)
	b.Rules = hookOnce{}
	run := b.planned()
	run.Settings.AfterNode = 10 * time.Minute
	run.PendingHooks = []record.Gone{{Machine: "i-1", Node: "n1"}}
	hooks := &timed{}
	b.Executor = hooks
	r, err := b.Run(t.Context(), run)
	if err != nil || r.Result != record.Succeeded || len(r.PendingHooks) > 0 {
		t.Fatalf("ended %s, owed %v: %v", r.Result, r.PendingHooks, err)
	}
	if hooks.asked.Limit != 10*time.Minute || hooks.has < hooks.asked.Limit {
		t.Errorf("hooks that may take %s have %s", hooks.asked.Limit, hooks.has)
	}
}

// timed notes how long an action may take.
type timed struct {
	asked record.Action
	has   time.Duration
}

func (e *timed) Do(ctx context.Context, a record.Action) record.Outcome {
	end, _ := ctx.Deadline()
	e.asked, e.has = a, time.Until(end)
	return record.Outcome{Verdict: record.Done}
}

// What was reported and not recorded is found again after the lock was lost twice, and not reported again; what happens
// after that is.
func TestReportedOnceAfterTwoLosses(t *testing.T) {
	e := []record.Event{{Type: record.NodeReplaced, Node: "i-1", Message: "gone"}}
	var r repeats
	r.note(e)
	r.begin()
	r.begin()
	if again := r.first(e); len(again) != 0 {
		t.Errorf("reported twice: %+v", again)
	}
	if next := r.first(e); len(next) != 1 {
		t.Error("what has happened again is not reported")
	}
}
