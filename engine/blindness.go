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
// for. Where an abort waits that nobody can record, aborting is the least time that it has still
// got, else nil; the run does not pause then. It does not change r.
func Blind(rules Strategy, now time.Time, w *world.World, r record.Run, aborting *time.Duration) Decision {
	s := newStep(rules, now, w, r)
	s.unwritten = true
	s.countTime(s.blind())
	blindness(s, aborting)
	s.Run.Seen, s.Run.Blind = now, s.blind()
	return Decision{Run: s.Run, Events: s.events, Changed: s.changed || len(s.events) > 0}
}

// blindness counts the time in which the cluster is not seen although the run has ended a
// machine after which it has to prove valid: the machine may have been what served the API.
// The validation's own time stands still meanwhile, so this one has the same limit of time that
// the process was awake. At its end the run pauses, since nothing else would end the wait; it
// does not fail. A run that is ending is left by its process then.
func blindness(s *Step, aborting *time.Duration) {
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
	if passed := s.Now.Sub(r.Seen); passed <= blackout {
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
