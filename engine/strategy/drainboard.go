package strategy

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/waves"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/validationwait"
	"github.com/drainboard/drainboard/engine/world"
)

// Drainboard is our own rules, for any Auto Scaling group: as fast as the surge that is allowed makes
// possible, with the promises of the others.
//
//	setup       as EKS's rules. The whole cluster has to be valid before, in a group of kops
//	scale up    max and desired raised by maxSurge, no more than nodes are to be replaced; outdated nodes
//	            are avoided by new pods; done when the first new node is Ready
//	upgrade     nodes in waves of 1, 2, 4, ... up to the limit, then as slots are free: cordoned, drained,
//	            and terminated through the group once nothing routes to them any more. A new node is Ready
//	            before the next drain takes one out of service. A Deployment of one replica that its PDB keeps on a
//	            node gets a second one while its pod moves (Settings.Singles)
//	scale down  the group returns to its size
//
// The limit is maxSurge and maxUnavailable together. A node counts against it from the start of its
// drain until its machine has left the group; no drain leaves fewer nodes in service than the group is
// to have, less maxUnavailable. In a group of kops it counts until the cluster has proved valid after that,
// as by kops's rules.
type Drainboard struct{ assess.Base }

// Taints of nodes that are going to be replaced: new pods avoid them, and where a new node of their zone
// serves, they are closed.
var (
	avoided = world.Taint{Key: world.OutdatedTaint, Effect: "PreferNoSchedule"}
	closed  = world.Taint{Key: world.ClosedTaint, Effect: "NoSchedule"}
)

// Name is "drainboard".
func (Drainboard) Name() string { return "drainboard" }

// Defaults are EKS's, but for those numbers that make the pace.
func (Drainboard) Defaults() record.Settings {
	d := EKS{}.Defaults()
	d.MaxUnavailable, d.MaxSurge, d.Surge = record.Amount{}, record.Amount{N: 1}, record.SurgeAmount
	d.Order = []record.Order{record.OrderApart}
	d.OnTrouble = record.TroubleHold
	d.Singles = true
	d.Origin = drainboardOrigin()
	return d
}

// Phases are those of EKS's rules.
func (Drainboard) Phases() []string { return EKS{}.Phases() }

// Abilities is what an operator can do to a run that we drive: everything.
func (Drainboard) Abilities() []record.Ability { return everything() }

// Capabilities: new nodes come first, old ones are closed, and go when nothing routes to them.
func (Drainboard) Capabilities() assess.Capabilities {
	return assess.Capabilities{Surges: true, SurgeServes: true, CordonsFirst: true, AwaitsRoutes: true, TellsMoves: true, ValidatesWhereSet: true}
}

// Suspends is AZRebalance.
func (Drainboard) Suspends() []string { return []string{rebalance} }

// Limit is how many nodes go at once: as many as may be unavailable and as others stand in for.
func (d Drainboard) Limit(w *world.World, r *record.Run) int {
	extra := d.Extra(w, r)
	if !r.RaisedAt.IsZero() || r.Raised { // by fewer nodes that are left it would be less
		extra = max(extra, r.Raise)
	}
	return max(1, r.Settings.MaxUnavailable.Of(r.Base.Desired, false)+extra)
}

// Bounds: none may be unavailable where others stand in for what goes.
func (d Drainboard) Bounds(w *world.World, r *record.Run) assess.Bounds {
	b := assess.Base{}.Bounds(w, r)
	if d.Extra(w, r) > 0 || r.Raise > 0 {
		b.Least = 0
	}
	return b
}

// Extra is maxSurge, a share rounded up, but no more than nodes are to be replaced.
func (Drainboard) Extra(_ *world.World, r *record.Run) int {
	going := 0
	for _, n := range r.Nodes.All() {
		if outdated(n) {
			going++
		}
	}
	return min(r.Settings.MaxSurge.Of(r.Base.Desired, true), going)
}

// Holds keeps to the waves, which are of outdated nodes: the surplus is retired whatever they wait for.
func (Drainboard) Holds(s *assess.Reader, machine string, about []string) string {
	if s.Run.Nodes.Peek(machine).New {
		return ""
	}
	return waves.Holds(s, about)
}

// Step takes the current phase on.
func (d Drainboard) Step(s *engine.Step) {
	steps{setup: d.setup, scaleUp: d.scaleUp, upgrade: d.upgrade, scaleDown: EKS{}.scaleDown}.take(s, setup)
}

// AsKops gives settings kops's numbers for the validation of its cluster.
func AsKops(d record.Settings) record.Settings {
	k := Kops{}.Defaults()
	d.Interval, d.ValidateCount, d.ValidatePause, d.ValidateRetry, d.ValidateTimeout = k.Interval, k.ValidateCount, k.ValidatePause, k.ValidateRetry, k.ValidateTimeout
	d.Origin = maps.Clone(d.Origin)
	for _, flag := range []string{"interval", "validate-count", "validate-pause", "validate-retry", "validation-timeout", "fail-on-validate-error"} {
		d.Origin[flag] = k.Origin[flag]
	}
	return d
}

// setup has the cluster validated, where that is required, before anything is done for nodes that are outdated.
func (d Drainboard) setup(s *engine.Step) {
	if s.Capabilities().RequiresValidation {
		if !s.Fresh(world.Cloud) || !targetKnown(s) {
			return
		}
		goes := slices.ContainsFunc(slices.Collect(s.Run.Nodes.Values()), outdated)
		if (goes || len(s.W.Group.Warm) > 0) && !validationwait.First(s) {
			return
		}
	}
	EKS{}.setup(s)
}

// scaleUp launches the first nodes that the pods will move to.
func (d Drainboard) scaleUp(s *engine.Step) {
	if !s.Fresh(world.Cloud) {
		return
	}
	if len(s.Run.Order) == 0 && !s.Run.Raised {
		s.Run.Limit = d.Limit(s.W, &s.Run) // it does not change with what is raised
		if !choose(s) || s.AddUnrestoredLate(assess.JoinGuess, d.Extra(s.W, &s.Run)) {
			s.Enter(scaleDown)
			s.Soon()
			return
		}
	}
	s.WatchSizes()
	if !s.SuspendProcess(rebalance) || !d.raise(s) {
		return
	}
	s.Guard()
	if d.close(s); !s.AwaitLaunches(record.WaitNewNodes, d.missing(s)) {
		return
	}
	endWait(s)
	if !s.Approved(upgrade) {
		return
	}
	s.ForgoMissing()
	EKS{}.chooseSurplus(s)
	s.Enter(upgrade)
	s.Soon()
}

// raise lifts max and desired.
func (d Drainboard) raise(s *engine.Step) bool {
	if s.Run.RaisedAt.IsZero() { // what was asked for is not worked out again from what came of it
		s.Run.Raise = d.Extra(s.W, &s.Run)
	}
	return s.EnsureRaise()
}

// missing says what is not there yet, "" once a new node is Ready and the group has launched all, or
// has failed to. The others boot while the first nodes drain. Where others have lowered the group by as much
// as it was raised, it launches none.
func (Drainboard) missing(s *engine.Step) string {
	short := s.NotLaunched(s.Run.Expected())
	if short > 0 && s.LaunchFailure() == "" {
		return systems.StillToLaunch(short)
	}
	if s.Run.Raise == 0 || len(newReady(s)) > 0 {
		return ""
	}
	for _, id := range s.In(record.Launching) {
		if m := s.W.Machine(id); m != nil && s.Run.Nodes.Peek(id).New {
			return s.WhyNotReady(m)
		}
	}
	if short <= 0 && !slices.ContainsFunc(s.W.Machines(), func(m *world.Machine) bool { return !m.Leaving() && s.Run.Nodes.Peek(m.ID).New }) {
		return ""
	}
	return systems.StillToLaunch(s.Run.Raise)
}

// newReady are the zones with new nodes that have been Ready and take pods, unless a cordon that is not ours keeps them off; true
// where one is Ready now.
func newReady(s *engine.Step) map[string]bool {
	zones := map[string]bool{}
	for _, id := range s.In(record.Ready) {
		n, m := s.Run.Nodes.Get(id), s.W.Machine(id)
		if node := s.W.Node(n.Name); n.New && node != nil && !node.Unschedulable && (m == nil || !m.Leaving()) {
			zones[n.Zone] = zones[n.Zone] || node.Ready
		}
	}
	return zones
}

// close keeps pods off the nodes that are going to be replaced, so that each moves once: altogether where
// a new node of the zone serves, elsewhere as far as others have room. Where others have taken all new nodes
// of a zone away, or none is Ready, its old ones take pods again.
func (Drainboard) close(s *engine.Step) {
	fresh := newReady(s)
	for _, id := range s.Run.Order {
		n := s.Run.Nodes.Get(id)
		if n.Stage != record.Outdated && n.Stage != record.Queued && n.Stage != record.Draining {
			continue
		}
		if node := s.W.Node(n.Name); node == nil || node.Unschedulable {
			continue
		}
		s.Taint(id, n.Name, avoided)
		if fresh[n.Zone] {
			s.Taint(id, n.Name, closed)
		} else if m, known := s.Run.MarkOf(record.TaintOf(id, n.Name, closed)); known {
			s.Unmark(m)
		}
	}
}

// upgrade drains and replaces the outdated nodes.
func (d Drainboard) upgrade(s *engine.Step) {
	s.WatchSizes()
	s.Guard()
	d.close(s)
	EKS{}.markSurplus(s)
	s.WatchLaunches(s.AwaitedLaunch())
	proved := d.Proved(s)
	s.GrowWave()
	s.Admit()
	if allRolled(&s.Reader) && proved && s.Approved(scaleDown) {
		s.Enter(scaleDown)
		s.Soon()
	}
}

// Proved has a kops cluster validated after the ends of machines that are replaced.
func (Drainboard) Proved(s *engine.Step) bool { return validationwait.AfterEnds(s) }

// End undoes what the run changed on the group, as far as no node depends on it.
func (Drainboard) End(s *engine.Step) bool { return EKS{}.End(s) }

// Progress counts new nodes while scaling up, replaced ones in the upgrade.
func (Drainboard) Progress(phase string, w *world.World, r *record.Run) (done, total int) {
	if phase == scaleUp {
		done, total = EKS{}.Progress(phase, w, r)
		return min(done, 1), min(total, 1)
	}
	return EKS{}.Progress(phase, w, r)
}

// Estimate counts, for each round of nodes, a drain with the least wait after it and, where all of the
// limit is the surge's, the launch of what replaces them; where the cluster is validated, that too.
func (Drainboard) Estimate(_ *world.World, r *record.Run, left int) time.Duration {
	round := assess.DrainGuess + 5*time.Second
	if k := r.Settings; k.Validates() {
		round += k.Interval + assess.JoinGuess + time.Duration(max(0, k.ValidateCount-1))*k.ValidatePause
	}
	return assess.JoinGuess + rounds(left, r.Limit)*round
}
