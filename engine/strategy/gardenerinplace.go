package strategy

import (
	"maps"
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

// GardenerInPlace is the automatic update in place of a Gardener worker pool
// (AutoInPlaceUpdate), with Drainboard as the controller of its machine deployments
// (machine-controller-manager, pkg/controller/deployment_inplace.go). What drains and updates
// a selected node, and takes it over afterwards, is Gardener's machine controller and node
// agent; so it is for pools in the simulator, real ones Gardener updates by itself.
//
//	setup   the candidates are put in order, limits resolved
//	roll    the zones side by side: new machines come as far as maxSurge allows, nodes are
//	        selected as far as maxUnavailable does. Once a zone has as many new and updated
//	        nodes as it is to have, what is left of its old ones is drained and ended
//	finish  the group returns to its size
//
// A node counts from its selection until it is healthy again, one whose update has failed for
// as long as that lasts: nobody else may take its place.
type GardenerInPlace struct {
	assess.Base
	// Seed: a node whose update is under way counts once, as the document's maxUnavailable
	// does. Else twice from the end of its drain on, as the controller counts: among the
	// selected, and among those that are not available. The numbers are Gardener's.
	Seed bool
}

// Name is "gardener-inplace", or "gardener-inplace-seed".
func (g GardenerInPlace) Name() string {
	if g.Seed {
		return "gardener-inplace-seed"
	}
	return "gardener-inplace"
}

// Suspends is AZRebalance: Gardener's zones do not give each other machines.
func (GardenerInPlace) Suspends() []string { return []string{rebalance} }

// Updates is by machine-controller-manager.
func (GardenerInPlace) Updates() selfdriven.Controller { return mcm.Controller{} }

// Capabilities: an old node that is too many is cordoned when its
// drain begins.
func (GardenerInPlace) Capabilities() assess.Capabilities {
	return assess.Capabilities{CordonsFirst: true, SeveralReasons: true, Surges: true, TemplateSetBy: setByShoot, TakesOverFrom: world.MoverGardener}
}

// Defaults are those of Gardener's API for such a pool, the rest that of its rolling updates.
func (g GardenerInPlace) Defaults() record.Settings {
	d := Gardener(g).Defaults()
	d.MaxSurge, d.MaxUnavailable = record.Amount{}, record.Amount{N: 1}
	d.Approve, d.Order = record.ApproveNone, nil
	d.HealthTimeout, d.UpdateTimeout = 0, 20*time.Minute
	maps.Copy(d.Origin, inPlaceOrigin())
	return d
}

// Phases are setup, roll, finish.
func (GardenerInPlace) Phases() []string { return []string{setup, rollPhase, finish} }

// Abilities: what is selected is Gardener's, the rest is ours.
func (GardenerInPlace) Abilities() []record.Ability {
	return inPlaceAbilities()
}

// Selects is why a node is to be updated.
func (GardenerInPlace) Selects(s *assess.Reader, m *world.Machine) string {
	return GardenerManual{}.Selects(s, m)
}

// Step takes the current phase on.
func (g GardenerInPlace) Step(s *engine.Step) {
	steps{setup: g.setup, rollPhase: g.roll, finish: EKS{}.scaleDown}.take(s, setup)
}

// setup learns what is to be updated and settles how many nodes each zone is to have.
func (g GardenerInPlace) setup(s *engine.Step) {
	if !candidates(s, world.AutoInPlaceUpdate) {
		return
	}
	s.Run.Zones = zoneSizes(s.W)
	s.Run.Limit, s.Run.Raise = g.Limit(s.W, &s.Run), g.Extra(s.W, &s.Run)
	if len(s.Run.Order) == 0 && (!choose(s) || s.AddUnrestoredLate(0, s.Run.Raise)) {
		s.Enter(finish)
		s.Soon()
		return
	}
	if s.Approved(rollPhase) {
		s.Enter(rollPhase)
		s.Soon()
	}
}

// roll selects nodes, and ends those that are too many.
func (g GardenerInPlace) roll(s *engine.Step) {
	if !s.SuspendProcess(rebalance) || !(Gardener{}).raise(s) {
		return
	}
	s.WatchSizes()
	s.Guard()
	s.FollowUpdates(nil)
	s.WatchHealth()
	s.UnhealthyFirst()
	s.Admit()
	if s.Run.State == record.Running && launched(s) && allRolled(&s.Reader) && s.Count(record.Updating) == 0 && s.Approved(finish) {
		s.Enter(finish)
		s.Soon()
	}
}

// Limit is how many nodes of all zones may be out of service at once.
func (GardenerInPlace) Limit(w *world.World, r *record.Run) int { return Gardener{}.Limit(w, r) }

// Bounds are Gardener's.
func (GardenerInPlace) Bounds(w *world.World, r *record.Run) assess.Bounds {
	return Gardener{}.Bounds(w, r)
}

// Extra is how many machines more the group has while it is updated.
func (GardenerInPlace) Extra(w *world.World, r *record.Run) int { return Gardener{}.surge(w, r) }

// Holds says why a node of a zone is not selected, or ended, now. As an Auto Scaling group
// chooses by itself in which zone a new machine is, a zone whose share of the surge is
// elsewhere goes unavailable first.
func (g GardenerInPlace) Holds(s *assess.Reader, machine string, about []string) string {
	zone := s.Run.Nodes.Peek(machine).Zone
	share, has := Gardener{}.shares(s.W, &s.Run)[zone]
	if !has {
		share.unavailable = 1
	}
	z, up := Gardener{}.look(s, zone, about), g.updates(s, zone, about)
	may := share.unavailable
	if may == 0 && z.there <= z.size && z.coming == 0 {
		may = 1
	}
	floor := min(z.size, z.there+z.coming) - may
	switch {
	case up.fresh < z.size && up.fresh+up.selected+up.about >= z.size:
		return g.waits(s, zone, systems.ZoneComplete(zone))
	case z.out >= share.most():
		return g.waits(s, zone, systems.ZoneOut(zone, z.out, share.most()))
	case z.serve-up.away-1 < floor:
		return g.waits(s, zone, systems.ZoneServes(zone, z.serve, floor+up.away))
	}
	return ""
}

// waits is why a zone waits: for the update in it that has failed, if one has.
func (GardenerInPlace) waits(s *assess.Reader, zone, why string) string {
	if failed := s.FailureIn(zone); failed != "" {
		return failed
	}
	return why
}

// updates is how far the update of a zone is: how many of its nodes are new or updated, how
// many are selected, and how many are about to be. away are those that the controller counts
// a second time: their drain is over, and they are not updated.
type updates struct{ fresh, selected, about, away int }

func (g GardenerInPlace) updates(s *assess.Reader, zone string, about []string) (u updates) {
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes.Get(m.ID)
		if m.Zone != zone || m.Leaving() || m.Detached || m.State == world.MachineStandby {
			continue
		}
		switch {
		case n.Stage == record.Updating:
			u.selected++
			if node := s.W.NodeOf(m.ID); !g.Seed && node != nil && away(node.InPlace()) {
				u.away++
			}
		case slices.Contains(about, m.ID):
			u.about++
		case n.Stage == record.Replaced, n.New && (n.Stage == record.Ready || n.Stage == record.Launching || n.Stage == record.Surplus):
			u.fresh++
		}
	}
	return u
}

// away reports whether the drain of a node is over, and machine-controller-manager has not
// taken it over as updated: its Machine is not Running (InPlaceUpdating, InPlaceUpdateFailed,
// InPlaceUpdateSuccessful).
func away(p world.InPlaceUpdate) bool {
	return p.Candidate && (p.Done || p.Failed || p.Step == world.GardenerReady || p.Step == world.GardenerDrained)
}

// Ends reports whether an old node is too many: its zone has as many new and updated ones as
// it is to have.
func (g GardenerInPlace) Ends(s *assess.Reader, machine string) bool {
	zone := s.Run.Nodes.Peek(machine).Zone
	return g.updates(s, zone, nil).fresh >= s.Run.Zones[zone]
}

// Decrements reports whether the end of a machine takes the group's size down: that of one
// that is too many does, one whose update failed is replaced.
func (GardenerInPlace) Decrements(s *assess.Reader, machine string) bool {
	return s.Excess() > 0 && s.Run.Nodes.Peek(machine).Unfit == ""
}

// End undoes what the run changed on the group, as far as no node depends on it.
func (GardenerInPlace) End(s *engine.Step) bool { return EKS{}.End(s) }

// Progress counts nodes that are updated, or ended.
func (GardenerInPlace) Progress(phase string, w *world.World, r *record.Run) (done, total int) {
	return Gardener{}.Progress(phase, w, r)
}
