package sim

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// detach answers a tag on a machine and DetachInstances without decrement: the machine
// continues outside its group, which launches another one in its place.
func (s *Sim) detach(a record.Action) record.Outcome {
	m := s.machines[a.Machine]
	switch {
	case m == nil:
		return Refuse(record.RefusedGone, "The instance ID '%s' does not exist", a.Machine)
	case m.Detached:
		return done
	}
	switch {
	case s.Faults.HalfDetach > 0: // its tag is put, and then the connection breaks
		s.Faults.HalfDetach--
		return record.Outcome{Verdict: record.Unknown, Message: "connection reset by peer"}
	case m.State != world.MachineInService:
		return Refuse(record.RefusedInvalid, "The instance %s is not in InService or Standby.", a.Machine)
	case s.Group.Keeps[a.Machine]:
		return Refuse(record.RefusedInvalid, "The instance %s cannot be detached now.", a.Machine)
	}
	s.letLoose(m)
	s.Touch()
	return done
}

// letLoose takes a machine out of its group, and with that out of the group's load
// balancer.
func (s *Sim) letLoose(m *Machine) {
	m.Detached, m.Protected, m.Detail, m.hidden = true, false, "Detached", s.now.Add(s.Config.Unlisted)
	s.Balancer.leave(m.ID, s.now)
	s.ShrunkAt = s.now
	s.ListMachines()
}

// AddDetached adds machines of the first version that an earlier roll has detached.
func (s *Sim) AddDetached(n int) {
	s.AddNodes(n, 1)
	list := s.Alive()
	s.Group.Sizes.Desired, s.Group.Sizes.Max = s.Group.Sizes.Desired-n, s.Group.Sizes.Max-n
	for _, m := range list[len(list)-n:] {
		s.letLoose(m)
	}
}

// endDirectly answers EC2's TerminateInstances. The machine is listed as one that ends,
// while its group finds that only after a while, and replaces it then.
func (s *Sim) endDirectly(a record.Action) record.Outcome {
	m := s.machines[a.Machine]
	switch {
	case s.warm(a.Machine) >= 0:
		return s.endWarm(a)
	case m == nil:
		return Refuse(record.RefusedGone, "The instance ID '%s' does not exist", a.Machine)
	case m.Leaving() && m.Detail != "Terminating:Wait":
		return record.Outcome{Verdict: record.Done, Already: true}
	}
	if m.unnoticed = !m.Detached && !m.Leaving(); m.unnoticed {
		s.After(s.Config.Notice, func() {
			if m.unnoticed, s.ShrunkAt = false, s.now; s.machines[m.ID] != m {
				s.Group.ghosts--
			}
			s.Touch()
		})
	}
	s.goes(m)
	return done
}
