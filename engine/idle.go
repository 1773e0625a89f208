package engine

import (
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// NoRun is the state of a group that no run is under way in, in a snapshot only.
const NoRun State = "no run"

// Idle is a group without a run of ours, as a run that does nothing: every machine with
// the stage that it is in by itself (outdated, ready, launching, terminating, skipped
// when somebody keeps it in Standby), or to which others have taken it, as far as the
// marks on the nodes tell. last is what it returned before: from that it knows since
// when things are as they are, and what was replaced; the zero value at first. left are
// the marks that the group's last run has left behind, by machine, nil for none.
func Idle(rules Strategy, now time.Time, w *world.World, last Run, left map[string][]Mark) Run {
	if last.State != NoRun { // a run's own stages are no news of others
		last = Run{}
	}
	target := Target{Templates: append([]world.Template{w.Group.Template}, w.Group.Overrides...)}
	r := NewRun(rules, "", 0, w, rules.Defaults(), target)
	r.State, r.Phases, r.Strategy, r.Seen = NoRun, nil, "", now
	s := &Reader{Now: now, W: w, Run: r, Rules: rules}
	s.Run.External = newExternalActivity(now, w, last.External, left)
	for _, m := range w.Machines() {
		was, known := last.Nodes[m.ID]
		s.Run.Nodes[m.ID] = s.seen(m, was, known)
	}
	s.Run.External.keepReplaced(s.Run.Nodes, last, now)
	return s.Run
}

// atRest is the stage of a machine that nobody rolls.
func (s *Reader) atRest(m *world.Machine, upToDate bool) (stage Stage, reason string) {
	switch {
	case m.Leaving():
		return Terminating, ""
	case m.State == world.MachineStandby:
		return Skipped, inStandby
	case s.W.NodeOf(m.ID) == nil:
		return Launching, ""
	case !upToDate:
		return Outdated, ""
	case m.State == world.MachinePending:
		return Launching, ""
	}
	return Ready, ""
}
