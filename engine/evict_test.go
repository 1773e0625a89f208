package engine_test

import (
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/engine/strategy"
	"github.com/drainboard/drainboard/engine/world"
)

// TestBudgetOpensWhileItsProbeIsRefused: the opening arrives before the refusal of
// the probe that was under way. It counts: the eviction goes out at once and does
// not wait for the timer.
func TestBudgetOpensWhileItsProbeIsRefused(t *testing.T) {
	s := script.New()
	if out, err := s.Do(`
		timing cluster-latency=1s
		cluster zones=a nodes=2
		workload web replicas=2
		budget web min=2
		settings eviction-retry=5m
		start
		run until=draining
		run for=500ms`); err != nil {
		t.Fatal(err, out)
	}
	run, w, now := s.Driver.Run, s.Sim.View, s.Sim.Now().Add(100*time.Millisecond)
	var probe record.Action
	for _, p := range run.Pending {
		if p.Action.Kind == record.Evict {
			probe = p.Action
		}
	}
	if probe.UID == "" {
		t.Fatal("no probe is under way")
	}
	open := *w.Budget("app/web")
	open.Allowed, open.Healthy = 1, 3
	w.SetBudget(&open)
	w.Health[world.Cluster] = world.Health{Fresh: now}
	d := engine.Decide(strategy.EKS{}, now, w, run, engine.Inputs{}) // the watch tells of the opening
	d = engine.Decide(strategy.EKS{}, now, w, d.Run, engine.Inputs{Outcomes: []record.Outcome{
		{Key: probe.Key, At: now, Verdict: record.Refused, Refusal: record.RefusedBudget},
	}})
	for _, a := range d.Actions {
		if a.Kind == record.Evict && a.UID == probe.UID {
			return
		}
	}
	t.Errorf("the eviction waits until %s; actions: %v", d.Wake.Sub(now), d.Actions)
}

// TestOneEvictionAtATimeForABudget: a budget that allows several has one eviction
// without an answer, and the next goes out with the answer.
func TestOneEvictionAtATimeForABudget(t *testing.T) {
	s := script.New()
	if out, err := s.Do(`
		timing cluster-latency=100ms
		cluster zones=a nodes=1
		workload web replicas=6
		budget web max=6
		start
		run until=draining`); err != nil {
		t.Fatal(err, out)
	}
	began, evicted := s.Sim.Now(), 0
	for evicted < 6 && s.Sim.Now().Sub(began) < 2*time.Second {
		unanswered := 0
		for _, p := range s.Driver.Run.Pending {
			if p.Action.Kind == record.Evict && p.Accepted.IsZero() {
				unanswered++
			}
		}
		if unanswered > 1 {
			t.Fatalf("%d evictions without an answer", unanswered)
		}
		evicted = 0
		for _, p := range s.Driver.Run.Pods.All() {
			if !p.Evicted.IsZero() {
				evicted++
			}
		}
		s.Driver.Advance(s.Sim.Now().Add(10*time.Millisecond), nil)
	}
	if took := s.Sim.Now().Sub(began); evicted < 6 || took > time.Second {
		t.Errorf("%d of 6 pods evicted after %s, want all within 6 times 100 ms and little more", evicted, took)
	}
}
