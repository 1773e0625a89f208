package mng

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// consents are EKS's: it asks nobody.
var consents = drain.Consents{Unmanaged: true, EmptyDir: true}

// Leaving lists the pods that have to leave a node.
func Leaving(w *world.World, node string) (pods []*world.Pod) {
	for _, p := range w.PodsOn(node) {
		if drain.Judge(w, p, consents).Fate == drain.Leaves {
			pods = append(pods, p)
		}
	}
	return pods
}

// Marked reports whether EKS has marked a node, by what the marks on it tell.
func Marked(moves []world.Move) bool {
	return slices.ContainsFunc(moves, func(m world.Move) bool { return m.By == world.MoverEKS })
}

// Young reports whether a node has joined since the group's update began.
func Young(g *world.Group, n *world.Node) bool { return n.Created.After(g.Managed.Update.Since) }

// Next says of a marked node whether EKS drains it: all old nodes are marked before the first
// one is picked, so the marks alone tell nothing of that.
func (c Controller) Next(s selfdriven.Sight) selfdriven.Sight {
	if c.Drives(&s.World.Group) && s.Node != nil && s.Machine.Template == s.World.Group.Template && Young(&s.World.Group, s.Node) {
		s.New = true // what is too many in the end is marked and drained as well
	}
	if end, known := s.World.Group.EndOf(s.Machine.ID); known && s.Machine.Leaving() && c.Drives(&s.World.Group) {
		s.Reason = systems.EKSEnds(string(end.Why), end.Cause)
		return s
	}
	if s.Node == nil || s.Machine.Leaving() || !Marked(s.Moves) || s.Moves[0].By != world.MoverEKS {
		return s
	}
	left := Leaving(s.World, s.Name)
	s.Deadline = nil
	switch {
	case !Under(&s.World.Group):
		s.Stage, s.Reason = selfdriven.Outdated, systems.EKSMarkLeft
	case !s.World.KnowsPodsOn(s.Name):
		s.Stage, s.Reason = selfdriven.Outdated, systems.EKSMarked
	case !picked(s, left) && (s.Among != 1 || s.More > 0 || len(left) == 0):
		s.Stage, s.Reason = selfdriven.Outdated, waiting(s, left)
	case len(left) > 0:
		return drains(s, left)
	default:
		return settling(s)
	}
	return s
}

// waiting says of a marked node that is not seen to drain whether EKS may be at it.
func waiting(s selfdriven.Sight, left []*world.Pod) string {
	switch {
	case len(left) == 0 && s.Among > 0:
		return systems.EKSCandidateEmpty
	case len(left) == 0:
		return systems.EKSMarkedEmpty
	case s.More > 0:
		return systems.EKSCandidateMore(s.More, s.Among)
	case s.Among > 0:
		return systems.Candidate(string(world.MoverEKS), s.Among)
	}
	return systems.EKSMarked
}

// drains says of a node that EKS drains it, since when and for how long.
func drains(s selfdriven.Sight, left []*world.Pod) selfdriven.Sight {
	s.Stage, s.Reason, s.Since = selfdriven.Draining, text.EKSDrains, began(s.Now, left)
	if !picked(s, left) {
		s.Reason = systems.Candidate(string(world.MoverEKS), 1)
	}
	if s.Was == selfdriven.Draining {
		s.Since = s.WasSince
	}
	s.Deadline = gives(s.Now, s.Since, picked(s, left))
	return s
}

// settling says of a drained node how long EKS waits before it terminates it.
func settling(s selfdriven.Sight) selfdriven.Sight {
	s.Stage, s.Reason, s.Since = selfdriven.Settling, text.DrainedBy(world.MoverEKS.Name()), s.Now
	if s.Was == selfdriven.Settling {
		s.Since = s.WasSince
	}
	if end := s.Since.Add(settle); !s.World.Group.Managed.Minimal && s.Now.Before(end) {
		s.Deadline = &selfdriven.Deadline{For: settles, Start: s.Since, End: end, Basis: systems.EKSSettles, Guess: true}
	}
	return s
}

// Foreign reports whether it is not the update that ends a machine, by the cause that the group's
// activity tells, "" for none: EKS asks for the end of a machine and leaves the desired size as it is.
func Foreign(why world.EndCause) bool { return why != "" && why != world.EndRequested }

// picked reports whether EKS has picked a marked node: a pod there goes because the eviction API
// was asked for it, or one did before. Pods that left otherwise say nothing: users delete and
// roll them meanwhile.
func picked(s selfdriven.Sight, left []*world.Pod) bool {
	return (s.Was == selfdriven.Draining || s.Was == selfdriven.Settling) && !s.Guessed || shows(left)
}

// shows reports whether a drain can be seen in the pods of a node.
func shows(left []*world.Pod) bool {
	return slices.ContainsFunc(left, func(p *world.Pod) bool { return p.Evicted && p.Terminating() })
}

// began is when the first eviction that shows was asked for, now where none does.
func began(now time.Time, left []*world.Pod) time.Time {
	for _, p := range left {
		if at := p.Ends.Add(-p.Grace); p.Evicted && p.Terminating() && at.Before(now) {
			now = at
		}
	}
	return now
}

// gives is when EKS gives up on a node whose drain began at a time, which was seen or inferred: with force
// it deletes the pods after the first window, which is why that is named first.
func gives(now, began time.Time, seen bool) *selfdriven.Deadline {
	d := &selfdriven.Deadline{For: systems.EKSWindowEnds, Start: began, End: began.Add(window), Basis: systems.EKSWindow, Guess: true}
	if !seen {
		d.Basis = systems.EKSWindowUnseen
	}
	if now.Before(d.End) {
		return d
	}
	d.For, d.End, d.Basis = systems.EKSGivesUp, began.Add(givesUp), systems.EKSWindows
	if !seen {
		d.Basis = systems.EKSWindowsUnseen
	}
	if !now.Before(d.End) {
		return nil
	}
	return d
}

// settles is what the countdown of a drained node ends with.
const settles = "settling"
