package sim

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/live"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// ends are the exit codes of the built-in scenarios when nobody is there.
var ends = map[string]string{"tour": "exit 0", "prod": "exit 0", "forced": "exit 0", "stuck": "exit 4", "minimal": "exit 0", "canary": "exit 0", "sick": "exit 0", "inplace": "exit 0"}

// Every built-in scenario comes to its end by itself and breaks no rule on the way.
func TestScenarios(t *testing.T) {
	for _, s := range Scenarios() {
		if s.About == "" || strings.HasPrefix(s.About, "cluster") {
			t.Errorf("%s does not say what it is about", s.Name)
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			c, err := s.Open(1, true)
			if err != nil {
				t.Fatal(err)
			}
			out, err := c.Do("start\nrun until=end")
			if err != nil || !strings.Contains(out, ends[s.Name]) {
				t.Errorf("%v\n%s", err, out)
			}
			if took := c.Sim.now.Sub(c.start); took > 50*time.Minute {
				t.Errorf("it takes %s: too long for a demo", took)
			}
		})
	}
}

// Controllers that look only at lists that have changed do the same as those that look at all.
func TestCountChanges(t *testing.T) {
	for _, s := range Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var told [2]string
			for i := range told {
				c, err := s.Open(1, true)
				if err != nil {
					t.Fatal(err)
				}
				if i > 0 {
					c.Sim.countChanges()
				}
				if told[i], err = c.Do("start\nrun until=end"); err != nil {
					t.Fatal(err)
				}
			}
			if told[0] != told[1] {
				t.Errorf("with changes counted:\n%s\nand without:\n%s", told[1], told[0])
			}
		})
	}
}

// watched is a RealTime with a checker that looks at what reaches it.
type watched struct {
	*RealTime
	seen *Driver // holds the run and its record; decides nothing
}

func (w watched) Save(_ context.Context, r record.Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Run = r
	w.seen.save()
	if r.State == record.Finished {
		w.seen.check.end()
	}
	return nil
}

func (w watched) Do(ctx context.Context, a record.Action) record.Outcome {
	w.mu.Lock()
	if a.Kind != record.Evict { // what a budget allowed when that was decided is not known here
		w.seen.check.asked(a)
	}
	w.seen.check.arrives(a)
	w.mu.Unlock()
	o := w.RealTime.Do(ctx, a)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.check.answered(a, o)
	w.seen.check.delivered(a, o)
	return o
}

// drive plays a scenario through engine/live, with an operator who looks at the
// snapshots and approves every batch; answer is what else he does.
func drive(t *testing.T, name string, answer func(*snapshot.Snapshot) []record.Command) (run record.Run, took time.Duration) {
	t.Helper()
	s, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Open(1, false)
	if err != nil {
		t.Fatal(err)
	}
	plan, rules := c.Plan("run-1"), strategy.EKS{}
	w := watched{NewRealTime(c.Sim, 400), Drive(c.Sim, rules, plan.Run)}
	w.seen.check.oldLook = 5 * time.Minute // a tenth of a second of the machine's time is more than a minute of the world's
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
		f := Foresee(ctx, rules, w, now, r)
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
	if err != nil || c.late != nil || ctx.Err() != nil {
		t.Fatal(err, c.late, ctx.Err())
	}
	if told.Load() == 0 {
		t.Error("no rehearsal told anything")
	}
	for _, broken := range w.seen.Broken {
		t.Error(broken)
	}
	return run, w.Now().Sub(run.Started)
}

// The real loop drives a RealTime to the end of the tour, in a time that a person at
// the default speed of 20 has patience for.
func TestWall(t *testing.T) {
	run, took := drive(t, "tour", func(*snapshot.Snapshot) []record.Command { return nil })
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
	run, _ := drive(t, "stuck", func(s *snapshot.Snapshot) (say []record.Command) {
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
