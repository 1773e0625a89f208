package sim

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// faults are what goes wrong.
type faults struct {
	gone map[world.Source]time.Time // a source is away until then
	why  map[world.Source]string    // ... in these words
	etcd time.Time                  // until then the cluster writes nothing and tells nothing new
	// unwritten: until then the run record cannot be written
	unwritten time.Time
	half      int // so many evictions charge their budget and do nothing
	// halfDetach: so many machines are tagged to be detached, and no more
	halfDetach int
	// between: a user changes a size by so much between the read and the write of our next
	// change of another size
	between world.Sizes
	held    []func(*world.World)      // what the watch will tell when it is back
	lose    map[record.ActionKind]int // so many answers get lost: done, but unknown
	drop    map[record.ActionKind]int // so many requests get lost: not done, and unknown
	refused map[record.ActionKind]refusal
	webhook map[string]bool // evictions of these workloads' pods are denied
	machine map[string]bool // what becomes of new machines: never-join, not-ready, no-labels, reuses-name
	left    map[string]int  // of so many only; 0: of all
	// replaced is when the cloud gives up a machine that never joins, 0 for never.
	replaced time.Duration
	// hostile: messages carry what must not reach a terminal
	hostile bool
	// random faults: how likely an answer or a request gets lost or is refused
	chance float64

	throttled map[world.Source]throttle
}

// throttle tells every request to come back later, until it is over.
type throttle struct {
	until time.Time
	after time.Duration
}

// refusal answers the next requests of a kind.
type refusal struct {
	outcome record.Outcome
	left    int
}

func (f *faults) init() {
	f.gone, f.why, f.throttled = map[world.Source]time.Time{}, map[world.Source]string{}, map[world.Source]throttle{}
	f.lose, f.drop = map[record.ActionKind]int{}, map[record.ActionKind]int{}
	f.refused = map[record.ActionKind]refusal{}
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

// Outage keeps a source away for a while, for a reason.
func (s *Sim) Outage(src world.Source, d time.Duration, why string) {
	if src == world.Cluster && s.synced && !s.faults.away(src, s.now) {
		s.View.SetHealth(src, world.Health{Fresh: s.now})
	}
	h := s.View.Health[src]
	s.faults.gone[src] = s.now.Add(d)
	s.faults.why[src] = why
	h.Problem, h.Retry = s.hostile(why), s.now.Add(d)
	s.View.SetHealth(src, h)
	s.after(d, func() {
		if src != world.Cluster || s.faults.away(src, s.now) {
			return
		}
		s.tellHeld()
	})
}

// tellHeld tells what the watch has held back.
func (s *Sim) tellHeld() {
	if s.now.Before(s.faults.etcd) || s.faults.away(world.Cluster, s.now) {
		return
	}
	for _, change := range s.faults.held {
		s.show(change)
	}
	s.faults.held, s.fresh = nil, true
}

// etcdOutage keeps the cluster's API from its store for a while: it answers lists
// and watches from its caches, which grow old without a word, and nothing can be
// written or read consistently. Controllers stand still. The heartbeat, which asks
// whether the API is ready to serve, notices.
func (s *Sim) etcdOutage(d time.Duration) {
	s.health()
	s.faults.etcd = s.now.Add(d)
	h := s.View.Health[world.Cluster]
	h.Problem, h.Retry = s.hostile("the API server is not ready to serve: etcd"), s.faults.etcd
	s.View.SetHealth(world.Cluster, h)
	s.after(d, s.tellHeld)
	s.after(d, s.touch)
}

// Health brings the View's freshness of the cluster up to date.
func (s *Sim) health() {
	if s.synced && !s.faults.away(world.Cluster, s.now) && !s.now.Before(s.faults.etcd) {
		s.View.SetHealth(world.Cluster, world.Health{Fresh: s.now})
	}
}

// source is the API that an action goes to.
func source(a record.Action) world.Source {
	switch a.Place() {
	case record.InCloud, record.InControlCluster:
		return world.Cloud
	}
	return world.Cluster
}

// request carries an action out as far as the faults let it, and says what its
// sender gets to know.
func (s *Sim) request(a record.Action) record.Outcome {
	o := s.answer(a)
	o.Key, o.At, o.Message = a.Key, s.now, s.hostile(o.Message)
	return o
}

func (s *Sim) answer(a record.Action) record.Outcome {
	f, src := &s.faults, source(a)
	lost := record.Outcome{Verdict: record.Unknown, Message: "connection reset by peer"}
	switch t := f.throttled[src]; {
	case f.away(src, s.now) && f.why[src] != away:
		return refuse(record.RefusedBusy, "%s", f.why[src])
	case f.away(src, s.now):
		return refuse(record.RefusedBusy, "connection refused")
	case s.now.Before(t.until):
		o := refuse(record.RefusedBusy, "%s", tooMany[src])
		o.After = t.after
		return o
	case src == world.Cluster && s.now.Before(f.etcd) && a.ReadOnly():
		return refuse(record.RefusedBusy, "etcdserver: request timed out")
	case src == world.Cluster && s.now.Before(f.etcd):
		return record.Outcome{Verdict: record.Unknown, Message: "etcdserver: request timed out"}
	}
	if r := f.refused[a.Kind]; r.left > 0 {
		r.left--
		f.refused[a.Kind] = r
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
		return refuse(record.RefusedBusy, "Rate exceeded")
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

// away is why a source is away that just cannot be reached.
const away = "cannot be reached"

// tooMany is how the sources word their throttling.
var tooMany = map[world.Source]string{
	world.Cluster: "the server has received too many requests and has asked us to try again later",
	world.Cloud:   "Throttling: Rate exceeded",
}
