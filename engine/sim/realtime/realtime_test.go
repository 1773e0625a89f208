package realtime

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/check"
	"github.com/drainboard/drainboard/engine/sim/drive"
	"github.com/drainboard/drainboard/engine/sim/rehearse"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// ends are the exit codes of the built-in scenarios when nobody is there.
// watched is a World with a checker that looks at what reaches it.
type watched struct {
	*World
	seen   *drive.Driver // holds the run and its record; decides nothing
	checks *check.Checker
}

func (w watched) Save(_ context.Context, r record.Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Run = r
	w.seen.Save()
	if r.State == record.Finished {
		w.checks.End()
	}
	return nil
}

func (w watched) Do(ctx context.Context, a record.Action) record.Outcome {
	w.mu.Lock()
	if a.Kind != record.Evict { // what a budget allowed when that was decided is not known here
		w.checks.Asked(a)
	}
	w.checks.Arrives(a)
	w.mu.Unlock()
	o := w.World.Do(ctx, a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.checks.Answered(a, o)
	w.checks.Delivered(a, o)
	return o
}

// plays plays a scenario through engine/live, with an operator who looks at the
// snapshots and approves every batch; answer is what else he does.
func plays(t *testing.T, name string, answer func(*snapshot.Snapshot) []record.Command) (run record.Run, took time.Duration) {
	t.Helper()
	s, err := script.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Open(1, false)
	if err != nil {
		t.Fatal(err)
	}
	plan, rules := c.Plan("run-1"), strategy.EKS{}
	checks := new(check.Checker)
	w := watched{New(c.Sim, 400), drive.New(c.Sim, rules, plan.Run, checks), checks}
	checks.LookAge = 5 * time.Minute // a tenth of a second of the machine's time is more than a minute of the world's
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	queue := live.Open(ctx, w)
	defer queue.Close()
	view := world.New()
	if err := queue.Fill(ctx, view, time.Minute, world.Cluster, world.Cloud); err != nil {
		t.Fatal(err)
	}
	loop := &live.Loop{Rules: rules, World: view, Queue: queue, Executor: w, Store: w, Lock: w, Clock: w}
	var told atomic.Int32
	loop.Foresee = func(ctx context.Context, w *world.World, now time.Time, r record.Run) snapshot.Forecast {
		f := rehearse.Foresee(ctx, rules, w, now, r)
		if f.Outlook != record.NotEvaluated {
			told.Add(1)
		}
		return f
	}
	approved := map[string]bool{}
	loop.Publish = func(s *snapshot.Snapshot) {
		say := answer(s)
		if b := s.Batch; b != nil && !approved[b.Hash] {
			approved[b.Hash] = true
			say = append(say, record.Command{Kind: record.CmdApprove, Batch: b.ID, Hash: b.Hash})
		}
		for _, c := range say {
			c.By, c.At = "operator@laptop", s.At
			loop.Send(c)
		}
	}
	run, err = loop.Run(ctx, engine.Start(plan.Run, w.Now(), "operator@laptop"))
	if err != nil || c.Late != nil || ctx.Err() != nil {
		t.Fatal(err, c.Late, ctx.Err())
	}
	if told.Load() == 0 {
		t.Error("no rehearsal told anything")
	}
	for _, broken := range w.seen.Broken {
		t.Error(broken)
	}
	return run, w.Now().Sub(run.Started)
}

// The real loop drives a World to the end of the tour, in a time that a person at
// the default speed of 20 has patience for.
func TestWall(t *testing.T) {
	run, took := plays(t, "tour", func(*snapshot.Snapshot) []record.Command { return nil })
	if run.Result != record.Succeeded || len(run.Batches) < 4 {
		t.Errorf("%s after %d batches: %s", run.Result, len(run.Batches), run.Why)
	}
	if took > time.Hour {
		t.Errorf("it took %s of the world's time: more than three minutes at 20 times the speed", took)
	}
}

// What nobody else resolves, the operator forces.
func TestWallForced(t *testing.T) {
	forced := map[string]bool{}
	run, _ := plays(t, "stuck", func(s *snapshot.Snapshot) (say []record.Command) {
		for _, b := range s.Blockers {
			if b.Kind == blockers.BlockedByBudget && b.Tries > 2 && !forced[b.Node] {
				forced[b.Node] = true
				say = append(say, record.Command{Kind: record.CmdForce, Node: b.Node, Reason: "nobody scales it"})
			}
		}
		return say
	})
	if run.Result != record.Succeeded || len(run.Orders) == 0 {
		t.Errorf("%s with %d force orders: %s", run.Result, len(run.Orders), run.Why)
	}
}
