package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// retireMargin is what retiring a node takes beyond its drain and the wait after it: that its
// machine goes.
const retireMargin = 5 * time.Minute

// retires reports whether the run, which is about to end early, is to retire what is left of
// its surge first, and there is some.
func retires(s *assess.Reader) bool {
	return s.Run.Retire && s.Excess() > 0
}

// retirement is the part of a step that retires what is left of a raise.
type retirement struct{ *Step }

// begin has a run that has restored what was in flight retire its surplus nodes.
func (s retirement) begin() {
	s.Run.State, s.Run.PhaseWait, s.Run.Retire = record.Running, nil, false
	s.Run.Target.Templates = retireTargets(&s.Run, s.W)
	if s.Run.Limit == 0 {
		s.Run.Limit = max(1, s.Rules.Limit(s.W, &s.Run))
	}
	s.Run.Phases = append(s.Run.Phases, record.Phase{Name: record.PhaseRetire})
	s.Enter(record.PhaseRetire)
	s.Soon()
}

// retireTargets are the templates of the nodes that are new to a run that retires its surplus:
// its target. A run that ended before its first phase had worked that out has none: new is then
// what the group launches.
func retireTargets(r *record.Run, w *world.World) []world.Template {
	if len(r.Target.Templates) > 0 {
		return r.Target.Templates
	}
	return append([]world.Template{r.BaseTemplate}, w.Group.Overrides...)
}

// retireSurge is the phase in which surplus nodes are drained by all rules and terminated
// with decrement, until the raise is gone: at the end of a run that has ended early, or as a
// run of its own. New nodes go and outdated ones stay, because who ends a run early may not
// trust the new ones. A node that cannot be drained in time is left out, and the phase has a
// time of its own; what is left then is named.
func (s retirement) retireSurge() {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	s.Enter(record.PhaseRetire)
	if why := s.Opposed(); why != "" {
		s.Pause(systems.PausedBeside(why))
		return
	}
	if s.Run.PhaseWait == nil {
		rounds := (s.Excess() + s.Run.Limit - 1) / max(1, s.Run.Limit)
		s.StartPhaseWait(record.WaitRetiring, time.Duration(max(1, rounds))*(s.Run.Settings.DrainTimeout+s.Run.Settings.Settle+retireMargin))
	}
	s.WatchSizes()
	if idle := s.Count(record.Draining, record.Settling, record.Terminating) == 0; idle && !s.LowerToMachines() {
		return
	}
	switch {
	case s.Over(s.Run.PhaseWait):
		if !s.StopRetiring() {
			return
		}
	case s.Retiring(s.Excess()):
		s.retireExcess()
		return
	}
	if s.EndsOpen() || len(s.Run.PendingHooks) > 0 {
		return
	}
	bounds := s.RestoreMax()
	if !s.RestoreTemplate() || !s.UnmarkAll() || !s.ResumeEven() || !bounds {
		return
	}
	s.finishRetiring()
}

// retireExcess takes the nodes on that are too many, while the group moves no machine between
// zones by itself.
func (s retirement) retireExcess() {
	for _, process := range s.Rules.Suspends() {
		if !s.SuspendProcess(process) {
			return
		}
	}
	s.choose()
	s.Retire(s.Excess())
}

// choose marks the nodes that will be retired as surplus, so that the pods of one do
// not move to another.
func (s retirement) choose() {
	want := s.Excess() - s.Count(record.Surplus)
	for _, id := range s.In(record.Draining, record.Settling, record.Terminating) {
		if s.Run.Nodes.Peek(id).New {
			want--
		}
	}
	ready := s.In(record.Ready)
	for _, id := range mostSpare(&s.Reader, ready, min(want, len(ready))) {
		n := s.Run.Nodes.Get(id)
		n.Stage, n.Since = record.Surplus, s.Now
		s.SetNode(id, n)
	}
	for _, id := range s.In(record.Surplus) {
		if s.W.Node(s.Run.Nodes.Peek(id).Name) != nil {
			s.Taint(id, s.Run.Nodes.Peek(id).Name, surplusTaint)
		}
	}
}

// surplusTaint keeps pods off nodes that will be retired, as far as others have room.
var surplusTaint = world.Taint{Key: world.SurplusTaint, Effect: "PreferNoSchedule"}

// finishRetiring ends the run: as it had ended before, or by what is left of the raise where
// that is all there was to do.
func (s retirement) finishRetiring() {
	if s.Run.Result == record.NotStartedYet {
		s.Run.Result = record.Succeeded
		if why := raiseStays(&s.Reader); why != "" {
			s.Run.Result, s.Run.Why = record.NodesLeft, why
			s.nameRaise()
		}
	}
	s.finishEarly()
}

// giveUp ends the phase because of something that would fail a run: what is in flight
// is finished or restored, and the run keeps the result that it has.
func (s retirement) giveUp(why string) {
	s.Note(text.RetiringStopped(why))
	s.failReported(s.Run.Result, s.Run.Why)
}

// PlanRetirement is the run that takes back what a run that has ended left of its raise, and
// false if that left nothing that can be told from what others have changed since. It takes
// the settings and the limit of that run, and the processes that it left suspended.
func PlanRetirement(rules Strategy, ended record.Run, w *world.World, id string, seed uint64) (record.Run, bool) {
	if ended.State != record.Finished || ended.RaiseLeft == nil {
		return record.Run{}, false
	}
	r := assess.NewRun(rules, id, seed, w, ended.Settings, record.Target{Templates: retireTargets(&ended, w)})
	r.Inherit(*ended.RaiseLeft, w.Group.Sizes)
	r.Suspended = slices.DeleteFunc(slices.Clone(ended.Suspended), func(process string) bool { return !w.Group.HasSuspended(process) })
	r.Phases = []record.Phase{{Name: record.PhaseRetire}}
	r.Settings.Approve, r.Settings.RetireSurge = record.ApproveNone, false
	r.Limit = max(1, ended.Limit)
	return r, r.Inherited != nil
}
