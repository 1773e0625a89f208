package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// A run that ends lowers the desired size where the group has fewer machines than that: those
// that were never launched are not launched later, when nobody wants them. No machine may be
// chosen for it, so nothing launches or ends meanwhile:
//
//	suspend Launch and Terminate, unless others have
//	wait until no machine comes or goes, and two reads in a row are equal
//	set the desired size to what there is, but no lower than where the group returns to
//	read again; if there are more machines by now, set it back to as many
//	resume Terminate, then Launch

// lowerLimit bounds the time before the desired size is set: a machine may be held for long by
// a lifecycle hook.
const lowerLimit = 2 * time.Minute

// Processes of a group that launch its machines and end them.
const (
	launching = world.LaunchProcess
	ending    = "Terminate"
)

// LowerToMachines lowers the desired size to the machines that there are, as far as it is ours.
// It reports whether there is nothing to do for that, any more.
func (s *Step) LowerToMachines() bool {
	switch l := s.Run.Lowering; {
	case l == nil && s.Run.Holds() && settingSizes(&s.Reader):
		s.WakeAt(s.Now.Add(time.Second))
		return false
	case l == nil && (!s.Run.Holds() || unlaunched(&s.Reader) <= 0 || changingSizes(&s.Reader)):
		return true
	case l == nil:
		sizeLowering{s}.set(record.Lowering{Began: s.Now, Sizes: s.W.Group.Sizes})
	case l.Over:
		return s.resumeScaling()
	}
	sizeLowering{s}.takeOn(*s.Run.Lowering)
	s.WakeAt(s.Now.Add(time.Second))
	return false
}

// settingSizes reports whether the run has set the group's sizes or launches a machine by name, and no look at the group
// has shown what came of that yet, within a time: what the group is to launch is not known then.
func settingSizes(s *assess.Reader) bool {
	for key, p := range s.Run.Pending {
		if s.Now.Sub(p.Asked) >= lowerLimit { // nobody can tell
			continue
		}
		switch p.Action.Kind {
		case record.SetSizes:
			if key != record.RestoreMaxKey {
				return true
			}
		case record.LaunchIn:
			if p.Accepted.IsZero() || !s.W.Health[world.Cloud].Fresh.After(p.Accepted) {
				return true
			}
		}
	}
	return false
}

// unlaunched is how many machines the group is to launch that nobody wants any more.
func unlaunched(s *assess.Reader) int {
	return s.W.Group.Sizes.Desired - max(s.Goal(), len(standing(s)))
}

// standing lists the machines that count against the desired size, by id.
func standing(s *assess.Reader) (out []string) {
	for _, m := range s.W.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			out = append(out, m.ID)
		}
	}
	return out
}

// sizeLowering is the part of a step that sets the desired size and makes sure of it.
type sizeLowering struct{ *Step }

// takeOn takes the lowering one step on.
func (s sizeLowering) takeOn(l record.Lowering) {
	asked, size := !s.Settled(record.LowerKey), s.W.Group.Sizes.Desired
	switch {
	case !l.SetAt.IsZero():
		s.confirm(l)
	case l.Unsure > 0 && !asked && size < l.Sizes.Desired:
		s.over(l)
	case l.Unsure > 0 && !asked && size > l.Sizes.Desired: // it was not lowered, and others have raised it
		l.Unsure = 0
		s.set(l)
	case !asked && (unlaunched(&s.Reader) <= 0 || s.Now.Sub(l.Began) >= lowerLimit), givenUp(&s.Reader, record.LowerKey),
		givenUp(&s.Reader, "suspend/"+launching), givenUp(&s.Reader, "suspend/"+ending):
		s.over(l)
	case s.SuspendProcess(launching) && s.SuspendProcess(ending):
		s.lower(l)
	}
}

// lower sets the desired size once two reads in a row show the group at rest and alike.
func (s sizeLowering) lower(l record.Lowering) {
	g, there, read := &s.W.Group, standing(&s.Reader), s.W.Health[world.Cloud].Fresh
	if l.Stopped.IsZero() { // reads before that do not count
		l.Stopped = s.Now
		s.set(l)
	}
	if _, asked := s.Run.Pending[record.LowerKey]; !asked {
		if !read.After(l.Stopped) || !s.atRest() {
			return
		}
		if l.Read.IsZero() || l.Sizes != g.Sizes || !slices.Equal(l.Machines, there) {
			l.Sizes, l.Machines, l.Read = g.Sizes, there, read
			s.set(l)
			return
		}
		if !read.After(l.Read) {
			return
		}
	}
	from, to := l.Sizes, l.Sizes
	to.Desired = max(s.Goal(), len(l.Machines))
	if p, asked := s.Run.Pending[record.LowerKey]; asked {
		to = *p.Action.Sizes
	}
	if s.Ensure(record.Action{Kind: record.SetSizes, Key: record.LowerKey, Group: g.Name, From: &from, Sizes: &to}) {
		l.By = from.Desired - to.Desired
		s.Run.Lowered += l.By
		l.SetAt, l.Sizes = s.Now, to
		s.set(l)
	}
}

// atRest reports whether no machine of the group comes or goes, nor may: others may have resumed a
// process before it was seen suspended.
func (s sizeLowering) atRest() bool {
	g := &s.W.Group
	return g.HasSuspended(launching) && g.HasSuspended(ending) && !slices.ContainsFunc(s.W.Machines(), func(m *world.Machine) bool {
		return m.Leaving() || m.State == world.MachinePending
	}) && !slices.ContainsFunc(s.W.Group.Activities, func(a world.Activity) bool { return a.InProgress })
}

// confirm reads the group again once its desired size is lower. If there are more
// machines than that now, they are kept, unless others have lowered it further: that is theirs.
func (s sizeLowering) confirm(l record.Lowering) {
	g, there := &s.W.Group, len(standing(&s.Reader))
	if !s.Fresh(world.Cloud) || !s.W.Health[world.Cloud].Fresh.After(l.SetAt) || !s.Settled(record.LowerKey) {
		return
	}
	if there <= g.Sizes.Desired || g.Sizes.Desired < l.Sizes.Desired || givenUp(&s.Reader, record.KeepKey) {
		s.over(l)
		return
	}
	from, to := g.Sizes, g.Sizes
	to.Desired, to.Max = there, max(to.Max, there)
	if s.Ensure(record.Action{Kind: record.SetSizes, Key: record.KeepKey, Group: g.Name, From: &from, Sizes: &to}) {
		back := to.Desired - from.Desired
		s.Run.Lowered -= back
		l.SetAt, l.By = s.Now, l.By-back
		s.set(l)
	}
}

// over ends it, whatever came of it. If its answer was lost, nobody knows what of a difference
// is ours: where the desired size is another one, and lower than before, it counts as lowered, so that
// no machine goes which others want; where it is as asked for, machines that are gone may have taken it
// there. So much of it is named as in doubt.
func (s sizeLowering) over(l record.Lowering) {
	switch is := s.W.Group.Sizes.Desired; {
	case l.Unsure == 0:
	case !l.SetAt.IsZero():
		there := standing(&s.Reader)
		gone := slices.DeleteFunc(slices.Clone(l.Machines), func(id string) bool { return slices.Contains(there, id) })
		s.Run.Doubtful += min(len(gone), max(0, l.By))
	case is < l.Sizes.Desired:
		l.By, l.Sizes.Desired = l.Unsure, is
		s.Run.Lowered += l.By
		s.Run.Others += is - s.Run.Expected()
		keep(&s.Run, min(1, s.Run.Base.Desired))
		s.Run.Doubtful += min(l.By, is)
	}
	l.Over = true
	s.set(l)
}

func (s sizeLowering) set(l record.Lowering) {
	s.Run.Lowering, s.changed = &l, true
	s.Soon()
}

// resumeScaling lets the group end and launch machines again, in this order.
func (s *Step) resumeScaling() bool {
	for _, process := range []string{ending, launching} {
		if slices.Contains(s.Run.Suspended, process) && !s.resumeProcess(process) {
			return givenUp(&s.Reader, "resume/"+process)
		}
	}
	return true
}

// mayResume reports whether a process may act again: the group would end machines by
// its own choice if there are more than desired, and others did not want that, and launch some if it ends none.
func (s *Step) mayResume(process string) bool {
	switch process {
	case ending:
		size, l := s.W.Group.Sizes.Desired, s.Run.Lowering
		return len(standing(&s.Reader)) <= size || l != nil && size < l.Sizes.Desired
	case launching:
		return !slices.Contains(s.Run.Suspended, ending)
	}
	return true
}
