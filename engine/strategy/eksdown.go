package strategy

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// scaleDown retires what is too many, emptiest first, and gives the group its
// bounds back. If others raise the group meanwhile it stops there, as EKS does when the
// Cluster Autoscaler is at work. Else the run is done when all machines of the group have
// joined, also those that others asked for: replacements are among them.
func (EKS) scaleDown(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	if s.TakesBack() {
		missing := s.Missing()
		if s.Retiring(s.Excess()) {
			missing = s.AwaitedLaunch()
		}
		complete := s.WatchLaunches(missing)
		if s.Retire(s.Excess()) > 0 || s.EndsOpen() || !complete || !s.RestoreMax() {
			return
		}
	} else if !s.StopRetiring() {
		return
	} else {
		s.Note(systems.SizeLeft(s.Run.Foreign, s.W.Group.Sizes.Max))
	}
	if !s.UnmarkAll() || !s.ResumeProcesses() {
		return
	}
	s.Succeed()
}

// End undoes what the run changed on the group, as far as no node depends on it:
// what was not launched of the surge is not launched any more; surge nodes go if they hold
// nothing that would have to be evicted (the others are retired later, if that is asked for);
// the template goes back if no machine runs the new one.
func (EKS) End(s *engine.Step) bool {
	if !s.Fresh(world.Cloud) {
		return false
	}
	s.WatchSizes()
	done := s.LowerToMachines() && s.RetireEmpty(s.Excess()) && !s.EndsOpen()
	done = s.RestoreTemplate() && s.EndWarm(s.Launches()) && done
	if !done && !s.Over(s.Run.PhaseWait) {
		return false
	}
	if s.Run.Retire && s.Excess() > 0 {
		return done // sizes and processes follow once the surplus is retired
	}
	bounds := s.RestoreMax()
	return s.ResumeEven() && bounds && done
}
