package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// blackout is the longest stretch between two decisions that still counts as
// watching: a laptop that slept, or a process that was stopped, exceeds it.
const blackout = 6 * Heartbeat

// countTime moves the ends of all waits by the time since the last decision in
// which their sources could not be seen or acted on.
func (s *Step) countTime(blind []world.Source) {
	r := &s.Run
	if r.Seen.IsZero() {
		return
	}
	passed := s.Now.Sub(r.Seen)
	if passed <= 0 {
		return
	}
	asleep := passed > blackout
	stopped := asleep || r.State == record.Paused
	blind = append(blind, r.Blind...)
	if !stopped && len(blind) == 0 {
		return
	}
	move := func(w *record.Wait) *record.Wait {
		if w == nil || !counts(w.Needs, stopped, blind) {
			return w
		}
		moved := *w
		moved.End = moved.End.Add(passed)
		return &moved
	}
	for id, n := range r.Nodes {
		moved := move(n.Wait)
		held := stopped && (n.Stage == record.Draining || n.Stage == record.Settling && n.Wait != nil && !r.Seen.Before(n.Wait.End))
		if moved == n.Wait && !held {
			continue
		}
		n.Wait = moved
		if held {
			n.Began = n.Began.Add(passed) // what a node takes does not count it either
		}
		s.SetNode(id, n)
	}
	r.PhaseWait, r.Deferrals = move(r.PhaseWait), moveDeferrals(r.Deferrals, move)
	if c := r.Canary; c != nil {
		next := *c
		next.Wait = move(c.Wait)
		r.Canary = &next
	}
	if v := r.Validation; v != nil {
		next := *v
		next.Wait = move(v.Wait)
		r.Validation = &next
	}
	if !r.GateSince.IsZero() {
		r.GateSince = r.GateSince.Add(passed)
	}
	if stopped || slices.Contains(blind, world.Cluster) {
		r.Gap = s.Now
	}
}

// Meanwhile is the run of a record as its driver has it by now, as far as that can be
// told without him: waits that stood still when he last decided still do. For those who
// watch: a driver writes a run that only waits every few seconds.
func Meanwhile(now time.Time, r record.Run) record.Run {
	if r.State == record.Finished {
		return r
	}
	s := &Step{Reader: Reader{Now: now, Run: r}}
	s.countTime(nil)
	return s.Run
}

// counts reports whether a stretch of time is one in which a wait stands still.
func counts(needs []world.Source, stopped bool, blind []world.Source) bool {
	if len(needs) == 0 {
		return false
	}
	if stopped {
		return true
	}
	for _, n := range needs {
		if slices.Contains(blind, n) {
			return true
		}
	}
	return false
}

// Fresh reports whether a source is fresh enough to act on. One that the run does not look
// at keeps nothing waiting.
func (s *Reader) Fresh(src world.Source) bool {
	if !slices.Contains(s.Run.Sources(), src) {
		return true
	}
	limit := s.Run.Settings.ClusterMaxAge
	if src == world.Cloud {
		limit = s.Run.Settings.CloudMaxAge
	}
	return !s.W.Stale(src, s.Now, limit)
}

// blind are the sources that cannot be seen or acted on now.
func (s *Step) blind() []world.Source {
	if s.unwritten {
		return s.Run.Sources()
	}
	var out []world.Source
	for _, src := range []world.Source{world.Cluster, world.Cloud} {
		if !s.Fresh(src) {
			out = append(out, src)
		}
	}
	return out
}

// Over reports whether a wait has ended; if not, the engine wakes at its end.
func (s *Reader) Over(w *record.Wait) bool {
	if w == nil {
		return true
	}
	s.WakeAt(w.End)
	return !s.Now.Before(w.End)
}

// newWait starts a wait of d that counts only while the needed sources do.
func (s *Reader) newWait(what string, d time.Duration, needs ...world.Source) *record.Wait {
	s.WakeAt(s.Now.Add(d))
	return &record.Wait{For: what, Start: s.Now, End: s.Now.Add(d), Needs: needs}
}
