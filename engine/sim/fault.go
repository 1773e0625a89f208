package sim

import (
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// faults are what goes wrong.
type faults struct {
	gone    map[world.Source]time.Time // a source is away until then
	held    []func(*world.World)       // what the watch will tell when it is back
	lose    map[engine.ActionKind]int  // so many answers get lost: done, but unknown
	drop    map[engine.ActionKind]int  // so many requests get lost: not done, and unknown
	refused map[engine.ActionKind]refusal
	webhook map[string]bool // evictions of these workloads' pods are denied
	machine map[string]bool // what becomes of new machines: never-join, not-ready, no-labels
	left    map[string]int  // of so many only; 0: of all
	// replaced is when the cloud gives up a machine that never joins, 0 for never.
	replaced time.Duration
	// hostile: messages carry what must not reach a terminal
	hostile bool
	// random faults: how likely an answer or a request gets lost or is refused
	chance float64
}

// refusal answers the next requests of a kind.
type refusal struct {
	outcome engine.Outcome
	left    int
}

func (f *faults) init() {
	f.gone = map[world.Source]time.Time{}
	f.lose, f.drop = map[engine.ActionKind]int{}, map[engine.ActionKind]int{}
	f.refused = map[engine.ActionKind]refusal{}
	f.webhook, f.machine = map[string]bool{}, map[string]bool{}
	f.left = map[string]int{}
}

// away reports whether a source cannot be reached.
func (f *faults) away(src world.Source, now time.Time) bool { return now.Before(f.gone[src]) }

func (f *faults) denies(p *pod) bool { return p.owner != nil && f.webhook[p.owner.Name] }

// curse decides what becomes of a new machine.
func (f *faults) curse(m *machine) {
	m.neverJoins, m.neverReady, m.noLabels = f.strikes("never-join"), f.strikes("not-ready"), f.strikes("no-labels")
}

// strikes reports whether a fault is the lot of one more new machine.
func (f *faults) strikes(what string) bool {
	struck := f.machine[what]
	if struck && f.left[what] > 0 {
		f.left[what]--
		f.machine[what] = f.left[what] > 0
	}
	return struck
}

// Outage keeps a source away for a while.
func (s *Sim) Outage(src world.Source, d time.Duration) {
	if src == world.Cluster && !s.faults.away(src, s.now) {
		s.View.Health[src] = world.Health{Fresh: s.now}
	}
	h := s.View.Health[src]
	s.faults.gone[src] = s.now.Add(d)
	h.Problem, h.Retry = "cannot be reached", s.now.Add(d)
	s.View.Health[src] = h
	s.after(d, func() {
		if src != world.Cluster || s.faults.away(src, s.now) {
			return
		}
		for _, change := range s.faults.held {
			s.show(change)
		}
		s.faults.held, s.fresh = nil, true
	})
}

// Health brings the View's freshness of the cluster up to date.
func (s *Sim) health() {
	if s.synced && !s.faults.away(world.Cluster, s.now) {
		s.View.Health[world.Cluster] = world.Health{Fresh: s.now}
	}
}

// source is the API that an action goes to.
func source(a engine.Action) world.Source {
	if a.Kind == engine.CheckEffect {
		return source(*a.Of)
	}
	if a.Kind == engine.Terminate {
		return world.Cloud
	}
	if needs := a.Needs(); len(needs) > 0 {
		return needs[0]
	}
	return world.Cluster
}

// request carries an action out as far as the faults let it, and says what its
// sender gets to know.
func (s *Sim) request(a engine.Action) engine.Outcome {
	f := &s.faults
	lost := engine.Outcome{Key: a.Key, At: s.now, Verdict: engine.Unknown, Message: "connection reset by peer"}
	if f.away(source(a), s.now) {
		o := refuse(engine.RefusedBusy, "connection refused")
		o.Key, o.At = a.Key, s.now
		return o
	}
	if r := f.refused[a.Kind]; r.left > 0 {
		r.left--
		f.refused[a.Kind] = r
		r.outcome.Key, r.outcome.At = a.Key, s.now
		return r.outcome
	}
	luck := 1.0
	if f.chance > 0 {
		luck = s.rand.Float64()
	}
	switch {
	case f.drop[a.Kind] > 0:
		f.drop[a.Kind]--
		return lost
	case luck < f.chance/3:
		return lost
	case luck < 2*f.chance/3:
		o := refuse(engine.RefusedBusy, "Rate exceeded")
		o.Key, o.At = a.Key, s.now
		return o
	}
	o := s.Do(a)
	if f.lose[a.Kind] > 0 {
		f.lose[a.Kind]--
		return lost
	}
	if luck < f.chance {
		return lost
	}
	return o
}
