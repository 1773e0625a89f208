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
	var move func(w *record.Wait) *record.Wait
	move = func(w *record.Wait) *record.Wait {
		if w == nil {
			return nil
		}
		interrupts, stands := move(w.Interrupts), counts(w.Needs, stopped, blind)
		if !stands && interrupts == w.Interrupts {
			return w
		}
		moved := *w
		moved.Interrupts = interrupts
		if stands {
			moved.End = moved.End.Add(passed)
		}
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
	for id, n := range s.Run.Nodes.All() {
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
			if stage := s.Run.Nodes.Peek(id).Stage; stage == record.Outdated || stage == record.Queued {
				s.skip(id, text.CouldNotEndBy(s.Run.Settings.Until))
			}
		}
	}
	return s.Count(record.Outdated, record.Queued) == 0
}

// blindTold is how often a blind run tells that it is, at least; shorter limits are reported four
// times.
const blindTold = time.Minute

// Blind takes a run on whose process may not decide, because its lock is lost: deadlines stand
// still, and the time counts that it is blind after its own end of a machine. Nothing is asked
// for. Where an abort waits that nobody can record, aborting is the least time that it has still
// got, else nil; the run does not pause then. It does not change r.
func Blind(rules Strategy, now time.Time, w *world.World, r record.Run, aborting *time.Duration) Decision {
	s := newStep(rules, now, w, r)
	s.unwritten = true
	s.countTime(s.blind())
	blindness(s, r.State, aborting)
	s.Run.Seen, s.Run.Blind = now, s.blind()
	return Decision{Run: s.Run, Events: s.events, Changed: s.changed || len(s.events) > 0}
}

// blindness counts the time in which the cluster is not seen although the run has ended a
// machine after which it has to prove valid: the machine may have been what served the API.
// The validation's own time stands still meanwhile, so this one has the same limit of time that
// the process was awake and the run was not paused; was is its state before this decision. At its
// end the run pauses, since nothing else would end the wait; it does not fail. A run that is ending
// is left by its process then.
func blindness(s *Step, was record.State, aborting *time.Duration) {
	r := &s.Run
	after := endedMachines(&s.Reader)
	if r.State == record.Finished || len(after) == 0 || !slices.Contains(r.Sources(), world.Cluster) || s.Fresh(world.Cluster) {
		s.changed = s.changed || r.Blindness != nil
		r.Blindness = nil
		return
	}
	if r.State == record.Paused && aborting == nil {
		return
	}
	running := r.State == record.Running && aborting == nil
	limit := r.Settings.ValidateTimeout
	b := record.Blindness{}
	if r.Blindness != nil && (!running || r.Blindness.For < limit) { // else the operator has resumed it
		b = *r.Blindness
	}
	if passed := s.Now.Sub(r.Seen); passed <= blackout && was != record.Paused {
		b.For += max(0, passed)
	}
	defer func() { r.Blindness = &b }()
	s.WakeAt(s.Now.Add(Heartbeat))
	if b.For >= limit && running {
		b.Told = b.For
		s.Pause(text.BlindTooLong(limit, endedNames(&s.Reader, after), replacements(&s.Reader)))
		s.changed = true
		return
	}
	if b.For-b.Told < min(blindTold, limit/4) {
		return
	}
	b.Told = b.For
	left := max(0, limit-b.For)
	next := text.BlindPauses(left)
	if !running {
		if aborting != nil {
			left = max(left, *aborting)
		}
		next = text.BlindEnds(left)
	}
	end := s.Now.Add(left)
	s.Report(record.Event{Type: record.Warning, Reason: record.ReasonBlind, Until: &end, Message: text.Blind(b.For, endedNames(&s.Reader, after), replacements(&s.Reader), next)})
}

// endedMachines are those after whose end the cluster has to prove valid, and those that may have
// been ended: nobody can look that up before the cluster is seen.
func endedMachines(s *assess.Reader) []string {
	out := s.PendingValidation()
	for _, p := range s.Run.Pending {
		if id := p.Action.Machine; p.Action.Kind == record.Terminate && s.Capabilities().RequiresValidation && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// endedNames are the names of machines with their nodes.
func endedNames(s *assess.Reader, machines []string) (out []string) {
	for _, id := range machines {
		out = append(out, text.NodeAndMachine(record.NameOf(id, s.Run.Nodes.Get(id)), id))
	}
	return out
}

// replacements is what the cloud shows of the machines that are to serve in the place of
// those that were ended.
func replacements(s *assess.Reader) string {
	if !s.Fresh(world.Cloud) {
		return text.CloudBlind
	}
	var shown []string
	for _, m := range s.W.Machines() {
		n, known := s.Run.Nodes.Find(m.ID)
		if m.Leaving() || known && (!n.New || n.Stage != record.Launching) {
			continue
		}
		shown = append(shown, text.MachineShown(m.ID, m.Zone, m.Detail, m.State, m.Unhealthy))
	}
	if len(shown) == 0 {
		return text.NoReplacement
	}
	return text.ReplacementsShown(shown)
}
