package strategy

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// EKSMinimal is the update of an EKS managed node group with the strategy MINIMAL
// (NodegroupUpdateConfig.updateStrategy, Amazon EKS, January 2025), on any Auto
// Scaling group: for groups that cannot have more machines than they have, because
// of quota, cost or scarce instance types.
//
//	setup    as DEFAULT
//	cordon   every outdated node is cordoned: what is evicted moves to new nodes only
//	upgrade  nodes, up to maxUnavailable: drained, terminated; the group replaces them.
//	         No surge and no wait between an empty node and its termination
//	finish   until the last replacements are Ready, and what an earlier run has left of a
//	         raise is taken back
//
// A node counts against maxUnavailable from the start of its drain until its
// machine has left the group; the replacements gate then holds the next drain until
// the replacement is Ready. A node that only wears our cordon still serves.
type EKSMinimal struct{ assess.Base }

// Names of the phases that DEFAULT does not have.
const (
	cordon = "cordon"
	finish = "finish"
)

// Suspends is AZRebalance.
func (EKSMinimal) Suspends() []string { return []string{rebalance} }

// Name is "eks-minimal".
func (EKSMinimal) Name() string { return "eks-minimal" }

// Defaults are EKS's, without the wait before a termination.
func (EKSMinimal) Defaults() record.Settings {
	d := EKS{}.Defaults()
	d.Settle = 0
	d.Origin["post-drain-wait"] = minimalOrigin
	return d
}

// Phases are setup, cordon, upgrade, finish.
func (EKSMinimal) Phases() []string { return []string{setup, cordon, upgrade, finish} }

// Abilities is what an operator can do to a run that we drive: everything.
func (EKSMinimal) Abilities() []record.Ability { return everything() }

// Limit is how many nodes may be out of service at once.
func (EKSMinimal) Limit(w *world.World, r *record.Run) int { return EKS{}.Limit(w, r) }

// Bounds are EKS's own, or the group's size.
func (EKSMinimal) Bounds(w *world.World, r *record.Run) assess.Bounds {
	b := assess.Base{}.Bounds(w, r)
	if b.Most > maxUnavailableQuota {
		b.Most, b.Why = maxUnavailableQuota, systems.EKSQuotaAtOnce
	}
	return b
}

// Step takes the current phase on.
func (e EKSMinimal) Step(s *engine.Step) {
	steps{setup: e.setup, cordon: e.cordon, upgrade: e.upgrade, finish: EKS{}.scaleDown}.take(s, setup)
}

func (EKSMinimal) setup(s *engine.Step) {
	s.WatchSizes()
	if retarget(s) && s.Approved(cordon) {
		s.Enter(cordon)
		s.Soon()
	}
}

// cordon keeps every pod off the nodes that are going to be replaced.
func (EKSMinimal) cordon(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	s.WatchSizes()
	if len(s.Run.Order) == 0 && (!choose(s) || s.AddUnrestoredLate(0, 0)) {
		s.Enter(finish)
		s.Soon()
		return
	}
	all := s.SuspendProcess(rebalance)
	for _, id := range s.Run.Order {
		if n := s.Run.Nodes.Get(id); s.W.Node(n.Name) != nil && n.Stage == record.Outdated {
			all = s.Mark(record.CordonOf(id, n.Name)) && all
		}
	}
	if all && s.Approved(upgrade) {
		s.Enter(upgrade)
		s.Soon()
	}
}

// cordonLate cordons the nodes that have come into the order since: returned to, or
// launched from the old template. Each is cordoned once: who uncordons one
// afterwards, to make room, is not contradicted.
func cordonLate(s *engine.Step) {
	for _, id := range s.Run.Order {
		n := s.Run.Nodes.Get(id)
		if len(s.Run.Marks[id]) == 0 && s.W.Node(n.Name) != nil && (n.Stage == record.Outdated || n.Stage == record.Queued) {
			s.Mark(record.CordonOf(id, n.Name))
		}
	}
}

// upgrade drains and ends the outdated nodes as far as their replacements come.
func (EKSMinimal) upgrade(s *engine.Step) {
	s.WatchSizes()
	s.Guard()
	cordonLate(s)
	s.WatchLaunches(s.AwaitedLaunch())
	s.Admit()
	if allRolled(&s.Reader) {
		if s.Approved(finish) {
			s.Enter(finish)
			s.Soon()
		}
	}
}

// End undoes what the run changed on the group, as far as no node depends on it.
func (EKSMinimal) End(s *engine.Step) bool { return EKS{}.End(s) }

// Progress counts replaced nodes in the upgrade.
func (EKSMinimal) Progress(phase string, _ *world.World, r *record.Run) (done, total int) {
	if phase == upgrade {
		return r.Outdated()
	}
	return 0, 0
}
