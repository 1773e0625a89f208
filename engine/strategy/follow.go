package strategy

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Follow is the update of a group by its own controller, followed and helped. What follows one
// embeds it, and says which (Follows), its defaults and abilities:
//
//	roll  stages are read from the controller's objects, as far as they are given, and from the
//	      marks on the nodes
//
// It is over when no node is to be updated any more and the controller is through
// (selfdriven.Controller.Unfinished). Without its objects as many nodes must be Ready as at the
// start. It fails when nothing is under way but machines that do not get Ready, and pauses when
// the controller neither starts nor ends.
type Follow struct{ assess.Base }

// Phases is one.
func (Follow) Phases() []string { return []string{rollPhase} }

// allHeld reports whether another user has paused all parts of the group, or all that is left of it.
func allHeld(s *assess.Reader, by []string, parts int) bool {
	return len(by) > 0 && (len(by) == parts || s.LeftToOthers() && len(active(s)) == 0)
}

// Step follows the roll until it is over.
func (f Follow) Step(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	c := selfdriven.Of(&s.W.Group)
	if c == nil || c != s.Rules.Follows() {
		s.Fail(record.Failed, systems.NotDrivenBy(string(s.Rules.Follows().Mover())))
		return
	}
	s.Run.Limit = s.Rules.Limit(s.W, &s.Run)
	s.Enter(rollPhase)
	if by := s.HeldByOthers(); allHeld(&s.Reader, by, len(c.Parts(&s.W.Group))) {
		s.PauseWith(by)
		return
	}
	if failed := s.FailedInPlace(); failed != "" {
		s.EndAwait()
		if s.StoodStill(progress, s.Run.Settings.NodeReadyTimeout) {
			s.Fail(record.Failed, failed)
		}
		return
	}
	if f.rolled(s, c) && s.RestorePace() {
		noteUnproven(s)
		noteKept(s)
		s.Succeed()
	}
}

// rolled reports whether the roll is over; while it is not, what is waited for is said, and a wait without end
// ends the run.
func (f Follow) rolled(s *engine.Step, c selfdriven.Controller) bool {
	left, still := f.Awaited(s.W, &s.Run), s.Run.Settings.NodeReadyTimeout
	over, known := f.over(&s.Reader)
	switch coming := f.coming(&s.Reader); {
	case len(coming) > 0:
		s.EndAwait()
		if s.StoodStill(machinesReady, giveUps*still) {
			s.Fail(record.CreationFail, systems.NoMachineReady(giveUps*still, coming))
		}
		return false
	case over && len(left) > 0:
		s.Await(waitsToEnd(&s.Reader), left)
		return false
	case over && len(unproven(&s.Reader)) > 0:
		s.Await(systems.NoneOutdatedYet, unproven(&s.Reader))
		return false
	case len(left) > 0 && !known:
		s.Await(systems.FewerServe(assess.Serving(s.W), s.Run.Base.Desired), left)
		return false
	case f.notStarted(&s.Reader, left):
		s.Await(systems.UpdateNotStarted, left)
		return false
	case known && f.idles(&s.Reader):
		s.EndAwait()
		if s.StoodStill(progress, standstill(&s.Reader)) {
			s.GiveUp(systems.NobodyMoves(s.DrivenBy(), standstill(&s.Reader), f.standing(&s.Reader)))
		}
		return false
	case known:
		s.EndAwait()
		s.Moves()
	case s.StoodStill(progress, still):
		s.Note(systems.MoreUnknown(assess.Serving(s.W), s.Run.Base.Desired, c.Words().Where))
		over = true
	}
	return over
}

// What is waited for: new machines, and anything, where nothing says that more is to come.
const (
	machinesReady = "Ready machines"
	progress      = "further progress"
)

// underWay are the stages of nodes with which a controller has begun, and is not through.
var underWay = []record.Stage{record.Draining, record.Settling, record.Terminating, record.Updating, record.Launching, record.NodeFail}

// active are the machines with which the controller has begun, and is not through.
func active(s *assess.Reader) []string {
	kept := s.KeptFailed()
	return slices.DeleteFunc(s.In(underWay...), func(id string) bool { return slices.Contains(kept, id) })
}

// standstill is how long a run waits for a controller that moves nothing.
func standstill(s *assess.Reader) time.Duration {
	return s.Run.Settings.WaitForStart
}

// idles reports whether nodes are left and the controller is at none of them by a deadline of its
// own that is still to come: nobody can tell whether it will move again.
func (Follow) idles(s *assess.Reader) bool {
	for _, id := range active(s) {
		if at, known := due(s, id); !known || s.Now.Before(at) {
			return false // a system without limits that are known has its own end
		}
	}
	return len(s.Run.PausedDeployments) == 0 && len(active(s))+s.Count(record.Outdated) > 0
}

// due is by when the controller is to be through with what it does with a node, by its own limits;
// false where they are not known.
func due(s *assess.Reader, id string) (at time.Time, known bool) {
	n := s.Run.Nodes.Get(id)
	if n.Wait != nil {
		return n.Wait.End, true
	}
	l := s.Rules.Follows().Limits(&s.W.Group, s.W.Machine(id))
	switch n.Stage {
	case record.Draining:
		return n.Began.Add(l.Drain), l.Drain > 0
	case record.Updating:
		return n.Began.Add(l.Drain + l.Update), l.Drain > 0 && l.Update > 0
	}
	return n.Since.Add(s.Run.Settings.TerminateTimeout), l.Drain > 0
}

// standing is what is known of a group in which nothing moves, a clause each.
func (Follow) standing(s *assess.Reader) (out []string) {
	c := s.Rules.Follows()
	for _, id := range active(s) {
		n := s.Run.Nodes.Get(id)
		at, _ := due(s, id)
		out = append(out, systems.PastDue(s.Label(id, n), string(n.Stage), s.Now.Sub(at)))
	}
	if n := s.Count(record.Outdated); n > 0 {
		out = append(out, systems.StillOutdated(n))
	}
	if by := s.HeldByOthers(); len(by) > 0 {
		out = append(out, systems.PartsPaused(c.Words().Part, by))
	}
	if p := s.W.Group.Pool; p != nil {
		for i := range p.Deployments {
			if d := &p.Deployments[i]; d.Frozen {
				out = append(out, systems.ZoneIsFrozen(cmp.Or(d.Zone, d.Name)))
			}
		}
		out = append(out, p.Notes...)
	}
	if !s.Controls() {
		out = append(out, systems.WhyElsewhere(c.Words().Where, c.Words().Flags))
	}
	return out
}

// coming says of the new machines that are not Ready why, as long as nothing else is under
// way: a controller makes others in their place without end.
func (Follow) coming(s *assess.Reader) (out []string) {
	for _, id := range active(s) {
		switch n := s.Run.Nodes.Get(id); {
		case !n.New && n.Stage != record.NodeFail:
			return nil
		case n.New && (n.Stage == record.Launching || n.Stage == record.NodeFail):
			out = append(out, strings.TrimSuffix(cmp.Or(n.Name, id)+" "+n.Reason, " "))
		}
	}
	return out
}

// Awaited is what shows that the controller is not through with the group for the current
// generation.
func (Follow) Awaited(w *world.World, _ *record.Run) []world.Unfinished {
	return unfinished(w)
}

// unfinished is what shows that the controller of a world's group is not through with it.
func unfinished(w *world.World) []world.Unfinished {
	if c := selfdriven.Of(&w.Group); c != nil {
		return c.Unfinished(&w.Group)
	}
	return nil
}

// unproven is what may be due of a run that has found nothing to update, nothing once it has, or
// once the controller was seen to begin.
func unproven(s *assess.Reader) []world.Unfinished {
	c := selfdriven.Of(&s.W.Group)
	if done, _ := s.Run.Outdated(); done > 0 || s.Run.Begun || c == nil || len(s.Run.Target.Only) > 0 {
		return nil
	}
	return c.Unproven(&s.W.Group)
}

// noteUnproven says at the end of a run what proves it done in the place of a usual sign, and after
// an update which later change would not be seen.
func noteUnproven(s *engine.Step) {
	c := selfdriven.Of(&s.W.Group)
	if c == nil {
		return
	}
	if proof := c.Proof(&s.W.Group); proof != "" {
		s.Note(proof)
	}
	if done, _ := s.Run.Outdated(); done == 0 {
		return
	}
	for _, u := range c.Unproven(&s.W.Group) {
		s.Note(u.Text)
	}
}

// noteKept says which machines stay as they are, though they failed.
func noteKept(s *engine.Step) {
	for _, id := range s.KeptFailed() {
		s.Note(systems.KeptThoughFailed(s.Label(id, s.Run.Nodes.Get(id)), s.DrivenBy(), keptUntil(&s.Reader, id)))
	}
}

// keptUntil is until when a machine that has failed is kept.
func keptUntil(s *assess.Reader, id string) time.Time {
	if m := s.W.Machine(id); m.Managed != nil {
		return m.Managed.Preserved
	}
	return s.W.NodeOf(id).Preserved
}

// waitsToEnd says why a run waits that has no node left to follow.
func waitsToEnd(s *assess.Reader) string {
	if done, _ := s.Run.Outdated(); done > 0 {
		return systems.NoNodeLeft
	}
	return systems.NoneOutdatedYet
}

// notStarted reports whether nodes are to be updated, and the controller has not come to them, as
// what is unfinished tells: none is under way, and no other has come since the run began.
func (Follow) notStarted(s *assess.Reader, left []world.Unfinished) bool {
	for id, n := range s.Run.Nodes.All() {
		if node := s.W.NodeOf(id); n.New && node != nil && node.Created.After(s.Run.Started) {
			return false
		}
	}
	return len(s.Run.PausedDeployments) == 0 && len(s.HeldByOthers()) == 0 &&
		s.Count(record.Outdated) > 0 && s.Count(record.Replaced)+len(active(s)) == 0 &&
		s.Rules.Follows().Unstarted(left)
}

// over reports whether nothing is left to do on nodes; known, whether that can be told: without
// the controller's objects it cannot while fewer nodes serve than at the start. Whether the
// controller is through is for Awaited to tell.
func (Follow) over(s *assess.Reader) (over, known bool) {
	if len(s.Run.PausedDeployments) > 0 || len(active(s))+s.Count(record.Outdated) > 0 {
		return false, true
	}
	if s.Rules.Follows().Controls(&s.W.Group) {
		return true, true
	}
	wanted, serve := s.Run.Base.Desired, assess.Serving(s.W)+len(s.KeptFailed())
	if p := s.W.Group.Pool; p != nil && p.Progress != nil && len(unfinished(s.W)) == 0 {
		wanted = min(wanted, len(s.W.Machines())) // Gardener is through: at the start there may have been surge nodes
	}
	over = serve >= wanted
	return over, over
}

// Limit is how many nodes may be out of service at once, as far as it is known; at least 1.
func (Follow) Limit(w *world.World, _ *record.Run) int {
	if c := selfdriven.Of(&w.Group); c != nil {
		return max(1, c.AtOnce(&w.Group))
	}
	return 1
}

// End has nothing to restore beyond what the engine does.
func (Follow) End(*engine.Step) bool { return true }

// Progress counts updated nodes.
func (Follow) Progress(_ string, _ *world.World, r *record.Run) (done, total int) {
	return r.Outdated()
}
