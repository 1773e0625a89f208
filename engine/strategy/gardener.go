package strategy

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Gardener is the rolling update of a Gardener worker pool (AutoRollingUpdate), as its
// document "Shoot Updates and Upgrades" and machine-controller-manager
// (pkg/controller/deployment_rolling.go, pkg/util/provider/drain) have it, on any Auto
// Scaling group; each zone of the group stands for a machine deployment:
//
//	setup   the group set to the template, limits resolved
//	taint   PreferNoSchedule on the outdated nodes
//	roll    the zones side by side: machines come and go as far as maxSurge and
//	        maxUnavailable of the zone allow (gardenerzones.go). A node is cordoned,
//	        drained (all pods but those of DaemonSets and static ones), ended. A machine
//	        that does not get Ready, or is not healthy for too long, is ended as well
//	finish  the group returns to its size
//
// A node counts from the start of its drain until its machine has left the group; a zone
// then waits until as many of its nodes serve as have to.
type Gardener struct {
	assess.Base
	// Seed: the numbers of the document. Else those of the controllers as they are.
	Seed bool
}

// oldTaint is what machine-controller-manager puts on the nodes of old machine sets
// (pkg/controller/deployment_util.go, PreferNoScheduleKey).
var oldTaint = world.Taint{Key: world.GardenerTaint, Value: "True", Effect: "PreferNoSchedule"}

// Name is "gardener", or "gardener-seed" with the document's numbers.
func (g Gardener) Name() string {
	if g.Seed {
		return "gardener-seed"
	}
	return "gardener"
}

// Suspends is AZRebalance: Gardener's zones do not give each other machines.
func (Gardener) Suspends() []string { return []string{rebalance} }

// Capabilities: a node is cordoned when its drain begins.
func (Gardener) Capabilities() assess.Capabilities {
	return assess.Capabilities{CordonsFirst: true, Surges: true, TakesOverFrom: world.MoverGardener}
}

// Defaults are those of the document, or of machine-controller-manager v0.62.1 as
// Gardener v1.150 deploys it.
func (g Gardener) Defaults() record.Settings {
	d := record.Common()
	d.MaxSurge = record.Amount{N: 1}
	d.Order = []record.Order{record.OrderOldest}
	d.DrainTimeout, d.OnDrainTimeout = 2*time.Hour, record.TimeoutForce
	d.EvictionRetry = 20 * time.Second
	d.HealthTimeout = 10 * time.Minute
	d.Unreachable, d.UnreachableAfter = record.UnreachableTerminate, 5*time.Minute
	d.Unmanaged, d.EmptyDir = true, true
	d.Origin = gardenerOrigin(g.Seed)
	if g.Seed {
		d.NodeReadyTimeout, d.EvictRetries = 10*time.Minute, 10
		d.NodeConditions = []string{"KernelDeadlock", "ReadonlyFilesystem", "DiskPressure"}
		return d
	}
	d.NodeReadyTimeout, d.EvictRetries = 20*time.Minute, 360
	d.NodeConditions = slices.Clone(world.HealthConditions)
	d.MisconfiguredRetry, d.VolumesInTurn, d.HealthInTurn = 5*time.Second, true, true
	return d
}

// Phases are setup, taint, roll, finish.
func (Gardener) Phases() []string { return []string{setup, taint, rollPhase, finish} }

// Abilities is what an operator can do to a run that we drive: everything.
func (Gardener) Abilities() []record.Ability { return everything() }

// Step takes the current phase on.
func (g Gardener) Step(s *engine.Step) {
	steps{setup: g.setup, taint: g.taint, rollPhase: g.roll, finish: EKS{}.scaleDown}.take(s, setup)
}

// setup takes the group to what its nodes are to become, and settles how many machines
// each zone is to have.
func (g Gardener) setup(s *engine.Step) {
	if !s.Fresh(world.Cloud) {
		return
	}
	if len(s.Run.Zones) == 0 {
		s.Run.Zones = zoneSizes(s.W)
	}
	s.Run.Limit = g.Limit(s.W, &s.Run)
	if settleTarget(s) && pointAt(s, s.Run.Target.Templates[0]) && s.EndWarm(s.Run.Target.Templates) && s.Approved(taint) {
		s.Enter(taint)
		s.Soon()
	}
}

// taint keeps new pods off the outdated nodes, as far as others have room.
func (g Gardener) taint(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	if len(s.Run.Order) == 0 && (!choose(s) || s.AddUnrestoredLate(assess.JoinGuess, g.Extra(s.W, &s.Run))) {
		s.Enter(finish)
		s.Soon()
		return
	}
	if g.taintOld(s) && s.Approved(rollPhase) {
		s.Run.Zones = zoneSizes(s.W) // a user may have scaled the group since the setup
		s.Run.Limit, s.Run.Raise = g.Limit(s.W, &s.Run), g.surge(s.W, &s.Run)
		s.Enter(rollPhase)
		s.Soon()
	}
}

func (Gardener) taintOld(s *engine.Step) bool {
	return s.TaintAll(oldTaint, func(record.Node, *world.Node) bool { return false })
}

// roll replaces the nodes, zone beside zone.
func (g Gardener) roll(s *engine.Step) {
	if !s.SuspendProcess(rebalance) || !g.raise(s) {
		return
	}
	s.WatchSizes()
	s.Guard()
	g.taintOld(s)
	s.WatchHealth()
	s.UnhealthyFirst()
	s.Admit()
	if s.Run.State == record.Running && launched(s) && allRolled(&s.Reader) && s.Approved(finish) {
		s.Enter(finish)
		s.Soon()
	}
}

// launched reports whether all machines that the group is to have are there and Ready.
func launched(s *engine.Step) bool { return s.AwaitReplacements(s.Missing(), giveUps*s.JoinTime()) }

// giveUps is after how many machines in a row that did not get Ready the run pauses or ends:
// Gardener tries without end, but nobody may be there to see it.
const giveUps = 2

// raise lifts max and desired by what the zones may have more.
func (Gardener) raise(s *engine.Step) bool {
	return s.Run.Raise == 0 || s.EnsureRaise()
}

// End undoes what the run changed on the group, as far as no node depends on it.
func (Gardener) End(s *engine.Step) bool { return EKS{}.End(s) }

// Progress counts replaced nodes in the roll.
func (Gardener) Progress(phase string, _ *world.World, r *record.Run) (done, total int) {
	if phase == rollPhase {
		return r.Outdated()
	}
	return 0, 0
}
