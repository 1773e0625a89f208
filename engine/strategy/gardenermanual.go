package strategy

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// GardenerManual updates the nodes of a Gardener worker pool in place, one batch after the
// other (ManualInPlaceUpdate): machine-controller-manager marks the candidates, and the user who
// updates the pool selects nodes with a label. It drains all that are selected, however
// many; so limit, zones and budgets are ours to look at.
//
//	setup  the candidates are put in order
//	roll   nodes are selected, up to maxUnavailable; each counts until it is healthy again:
//	       no candidate any more, Ready, not cordoned, its critical components ready. A
//	       batch follows when the last is through. A failed update pauses the run
type GardenerManual struct{ assess.Base }

// Name is "gardener-manual".
func (GardenerManual) Name() string { return "gardener-manual" }

// Updates is by machine-controller-manager.
func (GardenerManual) Updates() selfdriven.Controller { return mcm.Controller{} }

// Capabilities: a batch follows when the last is through.
func (GardenerManual) Capabilities() assess.Capabilities {
	return assess.Capabilities{WholeBatches: true, SeveralReasons: true, TemplateSetBy: setByShoot, TakesOverFrom: world.MoverGardener}
}

// Defaults are those of machine-controller-manager; it has no limit, so that is ours.
func (GardenerManual) Defaults() record.Settings {
	d := record.Common()
	d.MaxUnavailable = record.Amount{N: 1}
	d.Order = []record.Order{record.OrderFewestBlockers}
	d.DrainTimeout, d.OnDrainTimeout = 2*time.Hour, record.TimeoutWait
	d.UpdateTimeout, d.WaitForStart = 20*time.Minute, engine.WaitForStart
	d.Unmanaged, d.EmptyDir = true, true
	d.Origin = manualOrigin()
	return d
}

// Phases are setup and roll.
func (GardenerManual) Phases() []string { return []string{setup, rollPhase} }

// Abilities: what drains is Gardener's.
func (GardenerManual) Abilities() []record.Ability {
	return manualAbilities()
}

// Selects is why a node is to be updated.
func (GardenerManual) Selects(s *assess.Reader, m *world.Machine) string {
	if n := s.W.NodeOf(m.ID); n != nil && n.InPlace().Candidate {
		return systems.UpdateCandidate
	}
	return ""
}

// Step takes the current phase on.
func (g GardenerManual) Step(s *engine.Step) {
	steps{setup: g.setup, rollPhase: g.roll}.take(s, setup)
}

func (g GardenerManual) setup(s *engine.Step) {
	if !candidates(s, world.ManualInPlaceUpdate) {
		return
	}
	s.Run.Limit = g.Limit(s.W, &s.Run)
	s.TakeUpCandidates() // those that came while Gardener was waited for
	if len(s.Run.Order) == 0 && (!choose(s) || s.AddUnrestoredLate(0, 0)) {
		g.succeed(s, systems.NoCandidateYet)
		return
	}
	s.EndAwait()
	if s.Approved(rollPhase) {
		s.Enter(rollPhase)
		s.Soon()
	}
}

// candidates learns which nodes of a pool with an update strategy await their update. It
// reports whether that is known; the run fails in a group that is no such pool.
func candidates(s *engine.Step, update string) bool {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return false
	}
	if p := s.W.Group.Pool; p == nil || p.Update != update && p.Update != "" { // what it is may not be readable
		s.Fail(record.Failed, systems.NotInPlace(update))
		return false
	}
	if len(s.Run.Target.Templates) == 0 {
		s.Run.Target.Templates = templatesOf(s.W)
		s.Soon() // the machines are told apart by it first
		return false
	}
	return true
}

// templatesOf are all that the pool's machines were made from: an update in place changes
// none of them.
func templatesOf(w *world.World) []world.Template {
	out := []world.Template{w.Group.Template}
	for _, m := range w.Machines() {
		if !slices.Contains(out, m.Template) {
			out = append(out, m.Template)
		}
	}
	return out
}

// Limit is how many nodes may be out of service at once, at least 1.
func (GardenerManual) Limit(w *world.World, r *record.Run) int {
	return max(1, r.Settings.MaxUnavailable.Of(r.Base.Desired, false))
}

func (g GardenerManual) roll(s *engine.Step) {
	s.FollowUpdates(func(node, why string) {
		s.Pause(systems.RepairUpdate(node, why))
	})
	if s.Run.State != record.Running {
		return
	}
	s.TakeUpCandidates()
	s.Admit()
	if s.Run.State != record.Running {
		return
	}
	if s.Count(record.Outdated, record.Queued, record.Updating) > 0 {
		s.EndAwait()
		return
	}
	g.succeed(s, systems.NoNodeLeft)
}

// succeed ends the run, unless Gardener is not done with the pool: then it waits, and says in
// a clause why.
func (g GardenerManual) succeed(s *engine.Step, what string) {
	left := g.Awaited(s.W, &s.Run)
	if len(left) == 0 && len(s.Run.Order) == 0 {
		left = unproven(&s.Reader)
	}
	if len(left) > 0 {
		s.Await(what, left)
		return
	}
	s.EndAwait()
	noteUnproven(s)
	noteKept(s)
	s.Succeed()
}

// Awaited is what shows that Gardener is not done with the pool; nothing where nodes are left
// out by choice, since with those it never is.
func (GardenerManual) Awaited(w *world.World, r *record.Run) []world.Unfinished {
	if len(r.Target.Only) > 0 {
		return nil
	}
	for _, n := range r.Nodes.All() {
		if n.Stage == record.Skipped || n.Stage == record.NodeFail {
			return nil
		}
	}
	return unfinished(w)
}

// Holds says why a node is not selected now: one whose update has failed comes first, the
// zones take their turns, and a budget that allows nothing would be broken in the end.
func (GardenerManual) Holds(s *assess.Reader, machine string, about []string) string {
	if failed := s.FailureIn(""); failed != "" {
		return failed
	}
	n := s.Run.Nodes.Get(machine)
	here := 0
	for _, id := range append(s.In(record.Updating), about...) {
		if s.Run.Nodes.Peek(id).Zone == n.Zone {
			here++
		}
	}
	zones := zonesWith(&s.Run, func(n record.Node) bool {
		return n.Stage == record.Outdated || n.Stage == record.Queued || n.Stage == record.Updating
	})
	if most := (s.Run.Limit + len(zones) - 1) / max(1, len(zones)); here >= most {
		return systems.ZonesTakeTurns(n.Zone, here)
	}
	if why := s.ShutBudget(n.Name); why != "" {
		return systems.GardenerWouldDelete(why)
	}
	return ""
}

// End: nothing is restored, what is selected is Gardener's.
func (GardenerManual) End(*engine.Step) bool { return true }

// Progress counts updated nodes.
func (GardenerManual) Progress(phase string, _ *world.World, r *record.Run) (done, total int) {
	if phase == rollPhase {
		return r.Outdated()
	}
	return 0, 0
}

// Does says what a phase will do, for the user who approves it.
func (GardenerManual) Does(phase string, _ *world.World, r *record.Run) string {
	if phase == rollPhase {
		return systems.GardenerSelects(r.Limit)
	}
	return ""
}

// Estimate is how long the nodes take that are left.
func (GardenerManual) Estimate(_ *world.World, r *record.Run, left int) time.Duration {
	return rounds(left, r.Limit) * (assess.DrainGuess + updateGuess)
}

// updateGuess is how long an update in place takes, before one was seen.
const updateGuess = 5 * time.Minute

// Warnings say what Gardener does with what is selected.
func (GardenerManual) Warnings(_ *world.World, r *record.Run) []string {
	return []string{systems.SelectedWhileBudgetsAllow(r.Settings.DrainTimeout)}
}
