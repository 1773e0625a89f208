package strategy

import (
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/validationwait"
	"github.com/drainboard/drainboard/engine/world"
)

// Kops is the rolling update of an instance group, as kops's own documentation ("Rolling
// Updates") and code (pkg/instancegroups) have it:
//
//	validate  the whole cluster, once; not for bastions
//	taint     PreferNoSchedule on the nodes that are going to be replaced; outdated
//	          machines of the warm pool are ended
//	surge     up to maxSurge machines, those that go last, are detached: the group launches
//	          others in their place, and the cluster proves valid with them
//	roll      nodes, up to maxSurge and maxUnavailable together: cordoned, taken out of
//	          load balancers, drained, 5 s, ended directly; 15 s, and the cluster proves
//	          valid again. Detached ones go last, and nothing replaces them
//
// A node holds its slot from the start of its drain until a validation after the end of
// its machine has passed. No drain starts while the cluster is not valid, or while it would
// leave fewer nodes in service than the group is to have, less maxUnavailable: who lets an
// invalid cluster pass (fail-on-validate-error=false) has still this gate, and with
// cloudonly it counts machines that the cloud has in service. One node goes alone as long
// as no machine of the new specification has proved itself.
type Kops struct{ assess.Base }

// Names of the phases.
const (
	validate  = "validate"
	taint     = "taint"
	surge     = "surge"
	rollPhase = "roll"
)

// scheduled is the taint of nodes that are going to be replaced (kops
// pkg/instancegroups/instancegroups.go, rollingUpdateTaintKey).
var scheduled = world.Taint{Key: world.KopsTaint, Effect: "PreferNoSchedule"}

// Name is "kops".
func (Kops) Name() string { return "kops" }

// Defaults are those of kops rolling-update cluster (cmd/kops/rolling-update_cluster.go)
// and of resolveSettings (pkg/instancegroups/settings.go) on AWS. maxUnavailable is 0
// beside a surge; without one a node goes at a time.
func (Kops) Defaults() record.Settings {
	d := record.Common()
	d.MaxSurge = record.Amount{N: 1}
	d.DrainTimeout = 15 * time.Minute
	d.Settle = 5 * time.Second
	d.Interval = 15 * time.Second
	d.ValidateCount = 2
	d.ValidatePause = 10 * time.Second
	d.ValidateRetry = 30 * time.Second
	d.ValidateTimeout = 15 * time.Minute
	d.DeregisterLimit = 5 * time.Minute
	d.Unmanaged, d.EmptyDir = true, true
	d.Origin = kopsOrigin()
	return d
}

// Phases are validate, taint, surge, roll.
func (Kops) Phases() []string { return []string{validate, taint, surge, rollPhase} }

// Abilities is what an operator can do to a run that we drive: everything.
func (Kops) Abilities() []record.Ability { return everything() }

// DetachedTag is the tag that kops puts on a machine before it takes it out of its group.
const DetachedTag = "kops.k8s.io/detached-from-asg"

// Capabilities are kops's: its nodes are set apart before their first eviction
// (pkg/instancegroups/instancegroups.go, drainNode), and their machines ended through EC2
// (upup/pkg/fi/cloudup/awsup/aws_cloud.go, deleteInstance).
func (Kops) Capabilities() assess.Capabilities {
	return assess.Capabilities{Direct: true, IsolatesFirst: true, RequiresValidation: true, SeveralReasons: true, Surges: true, Detaches: true, DetachTag: DetachedTag, TemplateSetBy: setByKops, EndsWarmAlone: true, TakesOverFrom: world.MoverKops}
}

// Selects is why kops replaces a machine of the group's own specification
// (pkg/cloudinstances/cloud_instance_group.go).
func (Kops) Selects(s *assess.Reader, m *world.Machine) string {
	n := s.W.NodeOf(m.ID)
	switch {
	case m.Detached:
		return systems.DetachedBefore
	case n != nil && asksForUpdate(n):
		return systems.NeedsUpdate
	case n == nil && s.Run.Target.All && s.FirstLook():
		return assess.AskedFor // its age is not known, but that it was there before
	}
	return ""
}

func asksForUpdate(n *world.Node) bool {
	_, asks := n.Annotations[world.KopsNeedsUpdate]
	return asks
}

// Step takes the current phase on.
func (k Kops) Step(s *engine.Step) {
	steps{validate: k.validate, taint: k.taint, surge: k.surge, rollPhase: k.roll}.take(s, validate)
}

// validate settles what is to be replaced, and has the cluster validated before anything
// is done to it.
func (k Kops) validate(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !targetKnown(s) {
		return
	}
	if len(s.Run.Order) == 0 {
		s.Run.ValidatedOnce = s.SomeCurrent()
		some := choose(s)
		s.DetachedLast()
		s.Run.Surges = k.Surge(s.W, &s.Run)
		s.Run.Limit = k.Limit(s.W, &s.Run)
		if !some || s.AddUnrestoredLate(0, 0) {
			k.nothing(s)
			return
		}
		endWait(s) // of machines that were waited for before there was something to replace
	}
	if !k.bare(s) && !validationwait.First(s) {
		return
	}
	want := s.Run.Target.Templates[0]
	if (s.W.Group.Template == want || pointAt(s, want)) && s.Approved(taint) {
		s.Enter(taint)
		s.Soon()
	}
}

// bare reports whether the cluster is not looked at before the group is touched.
func (Kops) bare(s *engine.Step) bool {
	return s.W.Group.Role == world.RoleBastion || s.Run.Settings.CloudOnly
}

// taint keeps new pods off the nodes that go, as far as others have room, and ends what
// the warm pool holds of an older specification.
func (k Kops) taint(s *engine.Step) {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	tainted := k.taintAll(s)
	if s.EndWarm(s.Run.Target.Templates) && tainted && s.Approved(surge) {
		s.Enter(surge)
		s.Soon()
	}
}

// taintAll taints the nodes that are still to go. One that is cordoned takes no pods.
func (Kops) taintAll(s *engine.Step) bool {
	if s.Run.Settings.CloudOnly {
		return true
	}
	return s.TaintAll(scheduled, func(n record.Node, node *world.Node) bool { return node.Unschedulable || n.Stage == record.Draining })
}

// roll replaces the nodes. It is over when what others have ended has a replacement, too.
func (k Kops) roll(s *engine.Step) {
	if !allRolled(&s.Reader) { // else the marks come off, and not on again while the run waits for its hooks
		s.Guard()
	}
	k.taintAll(s)
	s.DetachedLast()
	proved := validationwait.AfterEnds(s)
	if s.SurgeSpent() {
		if have, open := s.DetachLast(1); have > 0 || open {
			return // it is a surge of one
		}
	}
	if !s.Leaving() {
		s.Admit()
	}
	switch {
	case s.Run.State != record.Running: // the end has a time of its own
	case !allRolled(&s.Reader):
		s.Run.PhaseWait = nil
	case proved && s.WatchLaunches(s.Missing()):
		k.finish(s)
	}
}

// nothing ends a run that has no node to replace. It waits for new machines: others, or an
// earlier process of the run, may have ended the outdated ones just before. What is outdated
// in the warm pool is ended once the cluster was found valid, as kops does it.
func (k Kops) nothing(s *engine.Step) {
	if s.WarmAlone() && !k.bare(s) && !validationwait.First(s) {
		return
	}
	if s.WarmAlone() && !s.EndWarm(s.Run.Target.Templates) {
		return
	}
	if s.Run.State == record.Running && s.WatchLaunches(s.Missing()) {
		k.finish(s)
	}
	if s.Run.State == record.Running {
		s.Run.Order = nil // it is made again: a node may be returned, or become outdated
	}
}

// finish ends the run well.
func (Kops) finish(s *engine.Step) {
	if s.UnmarkAll() {
		s.Succeed()
	}
}

// End gives the group its template back, if the run was to set it to another one. Detached
// machines serve on, and are named: to put one back makes the group larger, and ending its
// successor for that may end what works.
func (Kops) End(s *engine.Step) bool {
	if !s.Fresh(world.Cloud) {
		return false
	}
	done := s.RestoreTemplate()
	if t := s.Run.Target.Templates; len(t) > 0 && t[0] != s.Run.BaseTemplate {
		done = s.EndWarm(s.Launches()) && done
	}
	return done
}

// Progress counts detached machines in the surge, replaced nodes in the roll.
func (k Kops) Progress(phase string, w *world.World, r *record.Run) (done, total int) {
	switch phase {
	case surge:
		for _, n := range r.Nodes.All() {
			if n.Detached {
				done++
			}
		}
		return done, max(done, r.Surges)
	case rollPhase:
		return r.Outdated()
	}
	return 0, 0
}
