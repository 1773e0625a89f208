package strategy

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/selfdriven/mcm"
	"github.com/drainboard/drainboard/engine/world"
)

// GardenerManual updates the nodes of a Gardener worker pool in place, one batch after the
// other (ManualInPlaceUpdate): machine-controller-manager marks the candidates, and whoever
// updates the pool selects nodes with a label. It drains all that are selected, however
// many; so limit, zones and budgets are ours to look at.
//
//	setup  the candidates are put in order
//	roll   nodes are selected, up to maxUnavailable; each counts until it is healthy again:
//	       no candidate any more, Ready, not cordoned, its critical components ready. A
//	       batch follows when the last is through. A failed update pauses the run
type GardenerManual struct{ engine.Base }

// Name is "gardener-manual".
func (GardenerManual) Name() string { return "gardener-manual" }

// Updates is by machine-controller-manager.
func (GardenerManual) Updates() selfdriven.Controller { return mcm.Controller{} }

// Capabilities: a batch follows when the last is through.
func (GardenerManual) Capabilities() engine.Capabilities {
	return engine.Capabilities{WholeBatches: true, SeveralReasons: true, TemplateSetBy: "a change of the Shoot", TakesOverFrom: world.MoverGardener}
}

// Defaults are those of machine-controller-manager; it has no limit, so that is ours.
func (GardenerManual) Defaults() record.Settings {
	d := record.Common()
	d.MaxUnavailable = record.Amount{N: 1}
	d.Order = []record.Order{record.OrderFewestBlockers}
	d.DrainTimeout, d.OnDrainTimeout = 2*time.Hour, record.TimeoutWait
	d.UpdateTimeout, d.WaitForStart = 20*time.Minute, engine.WaitForStart
	d.Unmanaged, d.EmptyDir = true, true
	d.Origin = map[string]string{
		"max-unavailable":      "Drainboard: one node; Gardener has no limit for a manual update",
		"drain-timeout":        "Gardener: 2 hours (machineDrainTimeout), then it deletes what is left",
		"on-drain-timeout":     "Gardener drains, and forces in the end",
		"node-ready-timeout":   "Drainboard",
		"order":                "Drainboard: fewest blockers",
		"force-unmanaged":      "Gardener: all pods go",
		"delete-emptydir-data": "Gardener: all pods go",
		"approve":              "Drainboard",
	}
	return d
}

// Phases are setup and roll.
func (GardenerManual) Phases() []string { return []string{setup, rollPhase} }

// Abilities: what drains is Gardener's.
func (GardenerManual) Abilities() []record.Ability {
	return []record.Ability{
		{Kind: record.CmdApprove, Answer: record.Yes, How: "lets the batch's nodes be selected"},
		{Kind: record.CmdPause, Answer: record.Yes, How: "no further node is selected; Gardener finishes those that are"},
		{Kind: record.CmdResume, Answer: record.Yes, How: "goes on"},
		{Kind: record.CmdForce, Answer: record.Yes, How: "deletes the pods of the node past their budgets; Gardener's drain then goes on"},
		{Kind: record.CmdSkip, Answer: record.Yes, How: "leaves the node as it is; one that is selected is left to Gardener"},
		{Kind: record.CmdReturn, Answer: record.Yes, How: "takes a skipped node up again, at the end of the order"},
		{Kind: record.CmdAbort, Answer: record.Substitute, How: "no further node is selected; Gardener finishes those that are"},
	}
}

// Selects is why a node is to be updated.
func (GardenerManual) Selects(s *engine.Reader, m *world.Machine) string {
	if n := s.W.NodeOf(m.ID); n != nil && n.InPlace().Candidate {
		return "candidate for an update in place"
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
		g.succeed(s, "no node is a candidate for an update yet")
		return
	}
	s.EndAwait()
	if s.Approved(rollPhase) {
		s.Enter(rollPhase)
		s.Soon()
	}
}

// inPlaceWays says how a pool is updated whose update strategy keeps the machines.
var inPlaceWays = map[string]string{
	world.ManualInPlaceUpdate: "by hand (ManualInPlaceUpdate)",
	world.AutoInPlaceUpdate:   "by itself (AutoInPlaceUpdate)",
}

// candidates learns which nodes of a pool with an update strategy await their update. It
// reports whether that is known; the run fails in a group that is no such pool.
func candidates(s *engine.Step, update string) bool {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return false
	}
	if p := s.W.Group.Pool; p == nil || p.Update != update && p.Update != "" { // what it is may not be readable
		s.Fail(record.Failed, "the group is no worker pool that is updated in place "+inPlaceWays[update])
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
		s.Pause("the update of " + node + " failed: " + why + ". It stays cordoned until it is updated: repair it, and Gardener's node agent tries again; then resume. Or leave it to Gardener and skip it")
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
	g.succeed(s, "no node is left to update")
}

// succeed ends the run, unless Gardener is not done with the pool: then it waits, and says in
// a clause why.
func (g GardenerManual) succeed(s *engine.Step, what string) {
	if left := g.Awaited(s.W, &s.Run); len(left) > 0 {
		s.Await(what, left)
		return
	}
	s.EndAwait()
	s.Succeed()
}

// Awaited is what shows that Gardener is not done with the pool; nothing where nodes are left
// out by choice, since with those it never is.
func (GardenerManual) Awaited(w *world.World, r *record.Run) []world.Unfinished {
	if len(r.Target.Only) > 0 {
		return nil
	}
	for _, n := range r.Nodes {
		if n.Stage == record.Skipped || n.Stage == record.NodeFail {
			return nil
		}
	}
	return unfinished(w)
}

// Holds says why a node is not selected now: one whose update has failed comes first, the
// zones take their turns, and a budget that allows nothing would be broken in the end.
func (GardenerManual) Holds(s *engine.Reader, machine string, about []string) string {
	if failed := s.FailureIn(""); failed != "" {
		return failed
	}
	n := s.Run.Nodes[machine]
	here := 0
	for _, id := range append(s.In(record.Updating), about...) {
		if s.Run.Nodes[id].Zone == n.Zone {
			here++
		}
	}
	zones := zonesWith(&s.Run, func(n record.Node) bool {
		return n.Stage == record.Outdated || n.Stage == record.Queued || n.Stage == record.Updating
	})
	if most := (s.Run.Limit + len(zones) - 1) / max(1, len(zones)); here >= most {
		return fmt.Sprintf("zone %s has %d nodes in their update, the zones take turns", n.Zone, here)
	}
	if why := s.ShutBudget(n.Name); why != "" {
		return why + ", and Gardener would delete it past that in the end"
	}
	return ""
}

// End: nothing is put back, what is selected is Gardener's.
func (GardenerManual) End(*engine.Step) bool { return true }

// Progress counts updated nodes.
func (GardenerManual) Progress(phase string, _ *world.World, r *record.Run) (done, total int) {
	if phase == rollPhase {
		return r.Outdated()
	}
	return 0, 0
}

// Does says what a phase will do, for whoever is to approve it.
func (GardenerManual) Does(phase string, _ *world.World, r *record.Run) string {
	if phase == rollPhase {
		return fmt.Sprintf("the nodes are selected for their update, up to %d at once, with no further question; Gardener drains and updates them", r.Limit)
	}
	return ""
}

// Estimate is how long the nodes take that are left.
func (GardenerManual) Estimate(_ *world.World, r *record.Run, left int) time.Duration {
	return rounds(left, r.Limit) * (engine.DrainGuess + updateGuess)
}

// updateGuess is how long an update in place takes, before one was seen.
const updateGuess = 5 * time.Minute

// Warnings say what Gardener does with what is selected.
func (GardenerManual) Warnings(_ *world.World, r *record.Run) []string {
	return []string{fmt.Sprintf("Gardener drains the nodes that are selected, and after %s, or when a budget has refused for too long, deletes their pods past their budgets: a node is selected only while the budgets of its pods let them go", r.Settings.DrainTimeout)}
}
