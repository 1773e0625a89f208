package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
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
	s.moveNodeWaits(move, passed, stopped)
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

// moveNodeWaits moves the ends of the nodes' waits. While nothing could be done at all, what a
// node takes does not count it either.
func (s *Step) moveNodeWaits(move func(*record.Wait) *record.Wait, passed time.Duration, stopped bool) {
	for id, n := range s.Run.Nodes {
		moved := move(n.Wait)
		held := stopped && (n.Stage == record.Draining || n.Stage == record.Settling && n.Wait != nil && !s.Run.Seen.Before(n.Wait.End))
		if moved == n.Wait && !held {
			continue
		}
		n.Wait = moved
		if held {
			n.Began = n.Began.Add(passed)
		}
		s.SetNode(id, n)
	}
}

// Meanwhile is the run of a record as its driver has it by now, as far as that can be
// told without him: waits that stood still when he last decided still do. For those who
// watch: a driver writes a run that only waits every few seconds.
func Meanwhile(now time.Time, r record.Run) record.Run {
	if r.State == record.Finished {
		return r
	}
	s := &Step{Reader: assess.Reader{Now: now, Run: r}}
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

// moveDeferrals are the yields after a stretch of time in which some did not count.
func moveDeferrals(yields map[string]record.Deferral, move func(*record.Wait) *record.Wait) map[string]record.Deferral {
	if len(yields) == 0 {
		return yields
	}
	out := make(map[string]record.Deferral, len(yields))
	for key, y := range yields {
		out[key] = record.Deferral{Wait: move(y.Wait), Lull: move(y.Lull)}
	}
	return out
}

// nodeTime is how long a node takes from the hooks before it, or the start of its
// drain, until its machine is gone: the longest of this run so far or, before the first
// one, a guess.
func nodeTime(s *assess.Reader) time.Duration {
	if s.Run.NodeTime > 0 {
		return s.Run.HookTime + s.Run.NodeTime + s.ValidationTime()
	}
	return s.Run.HookTime + s.Run.Settings.Settle + assess.DrainGuess + s.ValidationTime()
}

// tooLate reports whether one more node, that may start in ahead, could not end
// before the run is to be over (--until). It may start if all that are left can end
// by then, or if it can and as many surplus nodes can be retired after it.
func tooLate(s *assess.Reader, ahead time.Duration, surplus int) bool {
	until := s.Run.Settings.Until
	if until.IsZero() {
		return false
	}
	one, limit := nodeTime(s), max(1, s.Run.Limit)
	rounds := func(n int) time.Duration { return time.Duration((n+limit-1)/limit) * one }
	s.WakeAt(until.Add(-one))
	left := until.Sub(s.Now) - ahead
	return rounds(s.Count(record.Outdated, record.Queued)) > left && one+rounds(max(0, surplus)) > left
}

// AddUnrestoredLate skips every node that has not begun, if it is too late for the next one
// to begin in ahead, with as many surplus nodes to retire at the end. It reports
// whether none is left to roll.
func (s *Step) AddUnrestoredLate(ahead time.Duration, surplus int) bool {
	if tooLate(&s.Reader, ahead, surplus) {
		for _, id := range s.Run.Order {
			if stage := s.Run.Nodes[id].Stage; stage == record.Outdated || stage == record.Queued {
				s.skip(id, text.CouldNotEndBy(s.Run.Settings.Until))
			}
		}
	}
	return s.Count(record.Outdated, record.Queued) == 0
}
