package engine

import (
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// NoRun is the state of a group that no run is under way in, in a snapshot only.
const NoRun State = "no run"

// Idle is a group without a run, as a run that does nothing: every machine with the
// stage that it is in by itself (outdated, ready, launching, terminating, skipped
// when somebody keeps it in Standby). last is what it returned before, so that a
// machine keeps the time since when its stage is known; the zero value at first.
func Idle(rules Strategy, now time.Time, w *world.World, last Run) Run {
	target := Target{Templates: append([]world.Template{w.Group.Template}, w.Group.Overrides...)}
	r := NewRun(rules, "", 0, w, rules.Defaults(), target)
	r.State, r.Phases, r.Strategy, r.Seen = NoRun, nil, "", now
	s := &Step{Now: now, W: w, Run: r, Rules: rules}
	for _, m := range w.Machines() {
		n := Node{Zone: m.Zone, New: s.upToDate(m), Since: now}
		if node := w.NodeOf(m.ID); node != nil {
			n.Name, n.Old = node.Name, node.Version
		}
		n.Stage, n.Reason = s.atRest(m, n.New)
		if old, known := last.Nodes[m.ID]; known && old.Stage == n.Stage {
			n.Since = old.Since
		}
		r.Nodes[m.ID] = n
	}
	return r
}

// atRest is the stage of a machine that nobody rolls.
func (s *Step) atRest(m *world.Machine, upToDate bool) (stage Stage, reason string) {
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
