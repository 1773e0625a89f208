package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// blindTold is how often a blind run tells that it is, at least; shorter limits are told of four
// times.
const blindTold = time.Minute

// Blind takes a run on whose process may not decide, because its lock is lost: deadlines stand
// still, and the time counts that it is blind after its own end of a machine. Nothing is asked
// for. It does not change r.
func Blind(rules Strategy, now time.Time, w *world.World, r record.Run) Decision {
	s := newStep(rules, now, w, r)
	s.unwritten = true
	s.countTime(s.blind())
	blindness(s)
	s.Run.Seen, s.Run.Blind = now, s.blind()
	return Decision{Run: s.Run, Events: s.events, Changed: s.changed || len(s.events) > 0}
}

// blindness counts the time in which the cluster is not seen although the run has ended a
// machine after which it has to prove valid: the machine may have been what served the API.
// The validation's own time stands still meanwhile, so this one has the same limit of time that
// the process was awake. At its end the run pauses, since nothing else would end the wait; it
// does not fail. A run that is ending is left by its process then.
func blindness(s *Step) {
	r := &s.Run
	after := s.PendingValidation()
	if r.State == record.Finished || len(after) == 0 || !slices.Contains(r.Sources(), world.Cluster) || s.Fresh(world.Cluster) {
		s.changed = s.changed || r.Blindness != nil
		r.Blindness = nil
		return
	}
	if r.State == record.Paused {
		return
	}
	limit := r.Settings.ValidateTimeout
	b := record.Blindness{}
	if r.Blindness != nil && (r.State != record.Running || r.Blindness.For < limit) { // else the operator has resumed it
		b = *r.Blindness
	}
	if passed := s.Now.Sub(r.Seen); passed <= blackout {
		b.For += max(0, passed)
	}
	defer func() { r.Blindness = &b }()
	s.WakeAt(s.Now.Add(Heartbeat))
	if b.For >= limit && r.State == record.Running {
		b.Told = b.For
		s.Pause(text.BlindTooLong(limit, endedNames(&s.Reader, after), replacements(&s.Reader)))
		s.changed = true
		return
	}
	if b.For-b.Told < min(blindTold, limit/4) {
		return
	}
	b.Told = b.For
	e := record.Event{Type: record.Warning, Reason: record.ReasonBlind}
	if left := limit - b.For; left > 0 {
		end := s.Now.Add(left)
		e.Until = &end
	}
	e.Message = text.Blind(b.For, endedNames(&s.Reader, after), replacements(&s.Reader), blindNext(r.State, limit-b.For))
	s.Report(e)
}

// blindNext says what becomes of a blind run in left.
func blindNext(state record.State, left time.Duration) string {
	if state == record.Ending {
		return text.BlindEnds(max(0, left))
	}
	return text.BlindPauses(left)
}

// endedNames are the names of machines with their nodes.
func endedNames(s *assess.Reader, machines []string) (out []string) {
	for _, id := range machines {
		out = append(out, text.NodeAndMachine(record.NameOf(id, s.Run.Nodes[id]), id))
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
		n, known := s.Run.Nodes[m.ID]
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
