package strategy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/world"
)

// GardenerFollow is the update of a Gardener worker pool by machine-controller-manager
// (AutoRollingUpdate, AutoInPlaceUpdate), followed and helped:
//
//	roll  stages are read from the Machines, where the control cluster is given, and from the
//	      marks on the Nodes. A pause sets spec.paused of the machine deployments, a force
//	      deletes the pods of a node past their budgets and labels its Machine, skip and
//	      return set the Machine's deletion priority
//
// It is over when no node is to be updated any more and Gardener is done: the Shoot's last
// operation has succeeded for its current generation, the pool is in no list of pending ones,
// and all machine deployments are complete, as far as these are read. Without the control
// cluster as many nodes must be Ready as at the start. It fails when nothing is under way but
// machines that do not get Ready, and pauses when Gardener neither starts nor ends.
type GardenerFollow struct{ engine.Base }

// Name is "gardener-follow".
func (GardenerFollow) Name() string { return "gardener-follow" }

// Capabilities: Gardener's controller rolls the pool.
func (GardenerFollow) Capabilities() engine.Capabilities {
	return engine.Capabilities{Follows: true, TemplateSetBy: "a change of the Shoot", TakesOverFrom: world.MoverGardener}
}

// Defaults are how long is waited for what is not known, and what Gardener does with pods.
// Its own limits are those of its Machines.
func (GardenerFollow) Defaults() engine.Settings {
	d := engine.Common()
	d.Order = []engine.Order{engine.OrderFewestBlockers}
	d.DrainTimeout, d.OnDrainTimeout = 2*time.Hour, engine.TimeoutWait
	d.NodeReadyTimeout, d.WaitForStart = 20*time.Minute, engine.WaitForStart
	d.Unmanaged, d.EmptyDir = true, true
	d.Approve = engine.ApproveNone
	d.Origin = map[string]string{
		"max-unavailable":      "Gardener: the Shoot's, split over the zones",
		"drain-timeout":        "Gardener: machineDrainTimeout of each Machine",
		"on-drain-timeout":     "Gardener drains, and forces in the end",
		"node-ready-timeout":   "Gardener: 20 minutes (machineCreationTimeout)",
		"order":                "Gardener: machine priority, then phase and age",
		"force-unmanaged":      "Gardener: all pods go",
		"delete-emptydir-data": "Gardener: all pods go",
		"approve":              "Gardener asks nobody",
	}
	return d
}

// Phases is one.
func (GardenerFollow) Phases() []string { return []string{roll} }

// Abilities are what Gardener offers.
func (GardenerFollow) Abilities() []engine.Ability {
	return []engine.Ability{
		{Kind: engine.CmdApprove, Answer: engine.No, How: "Gardener asks nobody; pause holds it"},
		{Kind: engine.CmdPause, Answer: engine.Substitute, How: "spec.paused of the machine deployments: no further node goes; drains that have begun go on, and what is new still comes up to the surge"},
		{Kind: engine.CmdResume, Answer: engine.Yes, How: "lets the machine deployments go on"},
		{Kind: engine.CmdForce, Answer: engine.Yes, How: "deletes the pods past their budgets, and labels the Machine force-deletion"},
		{Kind: engine.CmdSkip, Answer: engine.Substitute, How: "goes after the others of its zone (machinepriority 4 of its Machine); it cannot be left out"},
		{Kind: engine.CmdReturn, Answer: engine.Substitute, How: "goes in its turn again; asked once more, before the others of its zone (machinepriority 2 of its Machine)"},
		{Kind: engine.CmdAbort, Answer: engine.Substitute, How: "pauses the machine deployments for good and ends the run; Gardener finishes what it has begun"},
	}
}

// Step follows the roll until it is over.
func (g GardenerFollow) Step(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	if s.W.Group.Pool == nil {
		s.Fail(engine.Failed, "the group is no worker pool of Gardener")
		return
	}
	s.Run.Limit = g.Limit(s.W, &s.Run)
	s.Enter(roll)
	if by := s.HeldByOthers(); len(by) > 0 && (len(by) == len(s.W.Group.Pool.Deployments) || s.LeftToOthers() && s.Count(underWay...) == 0) {
		s.PauseWith(by)
		return
	}
	left := g.Awaited(s.W, &s.Run)
	still := s.Run.Settings.NodeReadyTimeout
	if failed := s.FailedInPlace(); failed != "" {
		s.EndAwait()
		if s.StoodStill(progress, still) {
			s.Fail(engine.Failed, failed)
		}
		return
	}
	over, known := g.over(&s.Reader)
	switch coming := g.coming(&s.Reader); {
	case len(coming) > 0:
		s.EndAwait()
		if s.StoodStill("machines that get Ready", giveUps*still) {
			s.Fail(engine.CreationFail, fmt.Sprintf("NodeCreationFailure: no machine has got Ready for %s: %s", engine.Span(giveUps*still), strings.Join(coming, "; ")))
		}
		return
	case over && len(left) > 0:
		s.Await(waitsToEnd(&s.Reader), left)
		return
	case len(left) > 0 && !known:
		s.Await(fmt.Sprintf("%d serve of the %d that did at the start", s.Serving(), s.Run.Base.Desired), left)
		return
	case g.notStarted(&s.Reader, left):
		s.Await("the update of the outdated nodes has not started", left)
		return
	case known:
		s.EndAwait()
		s.Moves()
	case s.StoodStill(progress, still):
		s.Note(fmt.Sprintf("%d serve of the %d that did at the start: whether more are to come is known in the control cluster only", s.Serving(), s.Run.Base.Desired))
		over = true
	}
	if over {
		s.Succeed()
	}
}

// progress is what is waited for where nothing says that more is to come.
const progress = "further progress"

// underWay are the stages of nodes with which Gardener has begun, and is not through.
var underWay = []engine.Stage{engine.Draining, engine.Settling, engine.Terminating, engine.Updating, engine.Launching, engine.NodeFail}

// coming says of the new machines that are not Ready why, as long as nothing else is under
// way: Gardener makes others in their place without end.
func (GardenerFollow) coming(s *engine.Reader) (out []string) {
	for _, id := range s.In(underWay...) {
		switch n := s.Run.Nodes[id]; {
		case !n.New && n.Stage != engine.NodeFail:
			return nil
		case n.New && (n.Stage == engine.Launching || n.Stage == engine.NodeFail):
			out = append(out, strings.TrimSuffix(cmp.Or(n.Name, id)+" "+n.Reason, " "))
		}
	}
	return out
}

// Awaited is what shows that Gardener is not done with the pool.
func (GardenerFollow) Awaited(w *world.World, _ *engine.Run) []world.Unfinished {
	return w.Group.Pool.Unfinished()
}

// waitsToEnd says why a run waits that has no node left to follow.
func waitsToEnd(s *engine.Reader) string {
	if done, _ := s.Run.Outdated(); done > 0 {
		return "no node is left to update"
	}
	return "no node is outdated yet"
}

// notStarted reports whether nodes are to be updated, and the Shoot tells that Gardener has
// not come to them: it asks for another version, as a rule, and is being reconciled.
func (GardenerFollow) notStarted(s *engine.Reader, left []world.Unfinished) bool {
	return len(s.Run.PausedDeployments) == 0 && len(s.HeldByOthers()) == 0 &&
		s.Count(engine.Outdated) > 0 && s.Count(append(underWay, engine.Replaced)...) == 0 &&
		slices.ContainsFunc(left, func(u world.Unfinished) bool { return u.Kind != world.UnfinishedDeployment })
}

// over reports whether nothing is left to do on nodes; known, whether that can be told: without
// the control cluster it cannot while fewer nodes serve than at the start. Whether Gardener is
// done is for Awaited to tell.
func (GardenerFollow) over(s *engine.Reader) (over, known bool) {
	if len(s.Run.PausedDeployments) > 0 || s.Count(append(underWay, engine.Outdated)...) > 0 {
		return false, true
	}
	if s.W.Group.Pool.Control {
		return true, true
	}
	over = s.Serving() >= s.Run.Base.Desired
	return over, over
}

// Limit is how many nodes may be out of service at once, as far as it is known; at least 1.
func (GardenerFollow) Limit(w *world.World, _ *engine.Run) int {
	out := 0
	if p := w.Group.Pool; p != nil {
		for _, d := range p.Deployments {
			out += max(d.MaxUnavailable, min(1, d.MaxSurge))
		}
		for _, z := range p.Shares {
			out += max(z.MaxUnavailable, min(1, z.MaxSurge))
		}
	}
	return max(1, out)
}

// End has nothing to put back beyond what the engine does.
func (GardenerFollow) End(*engine.Step) bool { return true }

// Progress counts updated nodes.
func (GardenerFollow) Progress(_ string, _ *world.World, r *engine.Run) (done, total int) {
	return r.Outdated()
}

// Warnings say what cannot be told or done from here.
func (GardenerFollow) Warnings(w *world.World, _ *engine.Run) (out []string) {
	if p := w.Group.Pool; p != nil && !p.Control {
		out = append(out, "without the control cluster (--control-kubeconfig) the roll can be followed and pods can be forced, but nothing can pause it or change its order")
	}
	return out
}
