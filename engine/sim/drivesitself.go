package sim

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/selfdriven/mng"
	"github.com/drainboard/drainboard/engine/world"
)

// controllerTurn is how often a controller that drives its group by itself looks at it.
const controllerTurn = 5 * time.Second

// DrivesItself has the controller of the group do in a Sim what it would do with the nodes of a
// run that follows it: in a rehearsal nobody else does. A run that drives the group itself has none.
func (s *Sim) DrivesItself(rules engine.Strategy, run record.Run, pace Pace) {
	switch ControllerOf(rules).(type) {
	case mcm.Controller:
		s.rollAsGardener(rules, run, pace)
	case mng.Controller:
		s.updateAsEKS(rules, run)
	}
}

// ControllerOf is the group's own controller that moves nodes in runs by some rules, or updates those that the run
// selects; nil for none.
func ControllerOf(rules engine.Strategy) selfdriven.Controller {
	if by := rules.Follows(); by != nil {
		return by
	}
	return rules.Updates()
}

// Plays reports whether what a group's own controller does can be played.
func Plays(by selfdriven.Controller, g *world.Group) bool {
	switch by.(type) {
	case mcm.Controller:
		return g.Pool != nil && (g.Pool.Update == world.ManualInPlaceUpdate || len(zoneRolls(g.Pool)) > 0)
	case mng.Controller:
		return g.Managed != nil && by.AtOnce(g) > 0
	}
	return false
}

// outdated are the machines that a run which follows a controller is to see replaced or updated, as it
// would see them now.
func outdated(rules engine.Strategy, w *world.World, now time.Time, run record.Run) map[string]bool {
	if run.Nodes.Len() == 0 {
		run = engine.Decide(rules, now, w, run, engine.Inputs{}).Run
	}
	out := map[string]bool{}
	for _, m := range w.Machines() {
		n, known := run.Nodes.Find(m.ID)
		old := known && !n.New && n.Stage != record.Replaced
		if p := w.Group.Pool; p != nil {
			if node := w.NodeOf(m.ID); node != nil {
				old = old || slices.Contains(p.Behind, node.Name) || node.InPlace().Candidate
			}
		}
		out[m.ID] = old
	}
	return out
}

// emptiesAs asks for the eviction of what has to leave a node, as a controller with a way of its own does: pods with
// volumes one after the other, if it takes those in turn, and once more only when due says so. A pod that is refused goes
// past its budgets where past says that it is time. It reports whether none is left.
func (s *Sim) emptiesAs(node string, inTurn bool, due func(*Pod) bool, past func(*Pod) bool) bool {
	left := s.toDrain(node)
	busy := inTurn && slices.ContainsFunc(left, func(p *Pod) bool { return p.Volume && p.Terminating() })
	for _, p := range left {
		if p.Terminating() || p.Volume && busy || !due(p) {
			continue
		}
		o := s.evict(record.Action{Kind: record.Evict, Namespace: p.Namespace, Pod: p.Name, UID: p.UID})
		if o.Verdict == record.Refused && past(p) {
			s.Kill(p.UID, new(int64))
		}
		busy = busy || inTurn && p.Volume
	}
	return len(left) == 0
}

// takesPods reports whether a machine has a node that takes pods.
func (s *Sim) takesPods(m *Machine) bool {
	n := s.Truth.Node(m.Name)
	return n != nil && n.Ready && m.State == world.MachineInService
}
