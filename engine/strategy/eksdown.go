package strategy

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// scaleDown retires what is too many, emptiest first, and gives the group its
// bounds back. If others raise the group meanwhile it stops there, as EKS does when the
// Cluster Autoscaler is at work.
func (EKS) scaleDown(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	if s.TakesBack() {
		if s.Retire(s.Excess()) > 0 || s.EndsOpen() {
			return
		}
		if !enough(s) {
			return
		}
		if !s.RestoreMax() {
			return
		}
	} else if !s.StopRetiring() {
		return
	} else {
		s.Note(text.SizeLeft(s.Run.Foreign, s.W.Group.Sizes.Max))
	}
	if !s.UnmarkAll() || !s.ResumeProcesses() {
		return
	}
	s.Succeed()
}

// enough waits until the replacements of all nodes are Ready.
func enough(s *engine.Step) bool {
	if s.Run.PhaseWait == nil {
		s.StartLaunchWait(replacements)
	}
	why := short(&s.Reader)
	if why == "" {
		s.Run.PhaseWait = nil
		return true
	}
	if s.Over(s.Run.PhaseWait) {
		s.FailLaunch(why)
	}
	return false
}

// short says what is missing of the machines that the group is to have, "" if all
// are there and the new ones Ready.
func short(s *assess.Reader) string {
	ready, why := 0, ""
	for _, m := range s.W.Machines() {
		if m.Leaving() || m.Detached || m.State == world.MachineStandby {
			continue
		}
		if not := s.WhyNotReady(m); not != "" && s.Run.Nodes[m.ID].New {
			why = not
			continue
		}
		ready++
	}
	if want := s.W.Group.Sizes.Desired; why == "" && ready < want {
		why = text.NodesReady(ready, want, s.LaunchFailure())
	}
	return why
}

// End undoes what the run changed on the group, as far as no node depends on it:
// surge nodes go if they hold nothing that would have to be evicted; the
// template goes back if no machine runs the new one.
func (EKS) End(s *engine.Step) bool {
	if !s.Fresh(world.Cloud) {
		return false
	}
	s.WatchSizes()
	done := s.RetireEmpty(s.Excess()) && !s.EndsOpen()
	done = s.RestoreTemplate() && s.EndWarm(s.Launches()) && done
	if !done && !s.Over(s.Run.PhaseWait) {
		return false
	}
	bounds := s.RestoreMax()
	return s.ResumeEven() && bounds && done
}
