package strategy

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// EKS is the update of an EKS managed node group with the strategy DEFAULT, as
// "Managed node update behavior" (Amazon EKS user guide, 2022) describes it, on
// any Auto Scaling group:
//
//	setup       a new template version if an image is asked for; the group set to a
//	            version by number; maxUnavailable resolved
//	scale up    max and desired raised by the larger of twice the zones and
//	            maxUnavailable; done when every zone with nodes has a new one and all
//	            new ones are Ready; then every outdated node is tainted
//	upgrade     random nodes, up to maxUnavailable: drained, cordoned, taken out of
//	            load balancers, 60 s, terminated through the group
//	scale down  the group returns to its size
//
// A node counts against maxUnavailable from the start of its drain until its
// machine has left the group; then its slot is free, because the surge already
// stands in for it.
type EKS struct{ assess.Base }

// Names of the phases.
const (
	setup     = "setup"
	scaleUp   = "scale up"
	upgrade   = "upgrade"
	scaleDown = "scale down"
)

// unschedulable is the taint that EKS puts on the nodes it is going to replace.
var unschedulable = world.Taint{Key: world.EKSGroupKey, Value: "unschedulable", Effect: "NoSchedule"}

// surplus keeps pods off new nodes that will be retired, as far as others have room.
var surplus = world.Taint{Key: world.SurplusTaint, Effect: "PreferNoSchedule"}

// maxUnavailableQuota is EKS's own bound on maxUnavailable.
const maxUnavailableQuota = 100

// rebalance is the Auto Scaling process that would move instances between zones
// on its own, undrained.
const rebalance = "AZRebalance"

// Capabilities: new nodes come first.
func (EKS) Capabilities() assess.Capabilities { return assess.Capabilities{Surges: true} }

// Suspends is AZRebalance.
func (EKS) Suspends() []string { return []string{rebalance} }

// Name is "eks".
func (EKS) Name() string { return "eks" }

// Defaults are the constants of the EKS user guide.
func (EKS) Defaults() record.Settings {
	d := record.Common()
	d.MaxUnavailable = record.Amount{N: 1}
	d.DrainTimeout = 15 * time.Minute
	d.Settle = 60 * time.Second
	d.Origin = eksOrigin()
	d.Origin["max-surge"] = surgeOrigin
	return d
}

// Phases are setup, scale up, upgrade, scale down.
func (EKS) Phases() []string { return []string{setup, scaleUp, upgrade, scaleDown} }

// Abilities is what an operator can do to a run that we drive: everything.
func (EKS) Abilities() []record.Ability { return everything() }

// Step takes the current phase on.
func (e EKS) Step(s *engine.Step) {
	steps{setup: e.setup, scaleUp: e.scaleUp, upgrade: e.upgrade, scaleDown: e.scaleDown}.take(s, setup)
}

// opposed pauses the run if another controller or a user is at work on the group so that continuing would do
// harm. It reports whether that is so.
func opposed(s *engine.Step) bool {
	why := s.Opposed()
	if why != "" {
		s.Pause(systems.PausedBeside(why))
	}
	return why != ""
}

// setup takes the group to what its nodes are to become.
func (EKS) setup(s *engine.Step) {
	s.WatchSizes()
	if retarget(s) && s.Approved(scaleUp) {
		s.Enter(scaleUp)
		s.Soon()
	}
}

// retarget settles what the nodes are to become and how many may go at once, sets
// the group to it, and ends what its warm pool holds of anything else. It reports
// whether all is done.
func retarget(s *engine.Step) bool {
	if !s.Fresh(world.Cloud) {
		return false
	}
	s.Run.Limit = s.Rules.Limit(s.W, &s.Run)
	return settleTarget(s) && pointAt(s, s.Run.Target.Templates[0]) && s.EndWarm(s.Run.Target.Templates)
}

// settleTarget settles which templates the nodes are to be of. It reports whether that is
// known: an image asked for may need a version of its own.
func settleTarget(s *engine.Step) bool {
	g := &s.W.Group
	if len(s.Run.Target.Templates) > 0 {
		return true
	}
	first := g.Template
	if s.Run.Target.Image != "" {
		made, ok := s.EnsureTemplate(s.Run.Target.Image)
		if !ok {
			return false
		}
		first = made
	}
	s.Run.Target.Templates = append([]world.Template{first}, g.Overrides...)
	return true
}

// targetKnown is settleTarget where the machines are told apart by the templates before anything else is done:
// a decision that settles them ends with that.
func targetKnown(s *engine.Step) bool {
	if len(s.Run.Target.Templates) > 0 {
		return true
	}
	if settleTarget(s) {
		s.Soon()
	}
	return false
}

// pointAt sets the group to a template, by number. It reports whether it is.
func pointAt(s *engine.Step, want world.Template) bool {
	spec := strconv.FormatInt(want.Version, 10)
	return s.Ensure(record.Action{Kind: record.SetTemplate, Key: "set-template/" + want.String(), Group: s.W.Group.Name, Template: &want, TemplateSpec: spec, Mixed: s.W.Group.Mixed})
}

// Limit resolves maxUnavailable for a group: a share rounds down, to at least
// one node and at most EKS's quota.
func Limit(a record.Amount, size int) int {
	return min(max(1, a.Of(size, false)), maxUnavailableQuota)
}

// Limit is how many nodes may be out of service at once.
func (EKS) Limit(_ *world.World, r *record.Run) int {
	return Limit(r.Settings.MaxUnavailable, r.Base.Desired)
}

// Bounds: once the surge was asked for, no more nodes go at once than it was for.
func (e EKS) Bounds(w *world.World, r *record.Run) assess.Bounds {
	b := EKSMinimal{}.Bounds(w, r)
	if r.RaisedAt.IsZero() && !r.Raised {
		return b
	}
	most, why := max(1, r.RaisedFor, r.Raise), text.SurgeLaunched(r.Raise)
	if r.Settings.Surge == record.SurgeFit {
		most, why = max(1, r.RaisedFor), text.OneBatch
	}
	if most < b.Most {
		b.Most, b.Why = most, why
	}
	return b
}

// scaleUp launches the nodes that the pods will move to.
func (e EKS) scaleUp(s *engine.Step) {
	if !s.Fresh(world.Cloud) {
		return
	}
	if len(s.Run.Order) == 0 && !s.Run.Raised {
		if !choose(s) || s.AddUnrestoredLate(assess.JoinGuess, e.Extra(s.W, &s.Run)) {
			s.Enter(scaleDown)
			s.Soon()
			return
		}
	}
	s.WatchSizes()
	if !s.SuspendProcess(rebalance) || !e.raise(s) {
		return
	}
	s.Guard()
	missing, unserved := e.missing(s)
	if !s.AwaitLaunches(record.WaitNewNodes, missing) {
		return
	}
	if len(unserved) > 0 {
		s.Note(systems.ZonesNotServed(unserved, noLaunch(&s.W.Group, &s.Run)))
	}
	if !e.taintOutdated(s) {
		return
	}
	endWait(s)
	if !s.Approved(upgrade) {
		return
	}
	s.ForgoMissing()
	e.chooseSurplus(s)
	s.Enter(upgrade)
	s.Soon()
}

// endWait ends the wait of a phase, which may be all that a decision changes. A run that this decision
// has failed has a wait of its own.
func endWait(s *engine.Step) {
	if s.Run.PhaseWait != nil && s.Run.State == record.Running {
		s.Run.PhaseWait = nil
		s.NoteChange()
	}
}

// choose fixes the order of the outdated nodes. It reports false if none is.
func choose(s *engine.Step) bool {
	var outdated []string
	for id, n := range s.Run.Nodes.All() {
		if n.Stage == record.Outdated {
			outdated = append(outdated, id)
		}
	}
	s.Run.Order = preflight.InOrder(&s.Reader, outdated)
	return len(s.Run.Order) > 0
}

// raise lifts max and desired.
func (e EKS) raise(s *engine.Step) bool {
	if s.Run.RaisedAt.IsZero() && !s.Run.Raised { // what was asked for is not worked out again from what came of it
		s.Run.Raise, s.Run.RaisedFor = e.Extra(s.W, &s.Run), s.Run.Limit
	}
	return s.EnsureRaise()
}

// missing says what is not there yet of the new nodes, "" when every zone with
// nodes has a new one and all new ones are Ready and labelled. unserved are zones without
// a new one where the cloud does not launch by name: all machines are there, and the
// group chose other zones for them.
func (e EKS) missing(s *engine.Step) (missing string, unserved []string) {
	have := map[string]bool{}
	count := 0
	for _, m := range s.W.Machines() {
		if m.Leaving() || m.State == world.MachineStandby {
			continue
		}
		count++
		n := s.Run.Nodes.Get(m.ID)
		if !n.New {
			continue
		}
		if n.Stage == record.Launching {
			return s.WhyNotReady(m), nil
		}
		have[n.Zone] = have[n.Zone] || s.ReadyForPods(m, s.W.NodeOf(m.ID)) // its node may have been lost since
	}
	short := s.Run.Expected() - count
	failure := s.LaunchFailure()
	if short > 0 && failure == "" {
		return systems.StillToLaunch(short), nil
	}
	for _, zone := range toServe(s.W, &s.Run) {
		switch {
		case have[zone]:
			continue
		case noLaunch(&s.W.Group, &s.Run) == "":
			s.LaunchInZone(zone)
		case short <= 0 && !s.LaunchFailedIn(zone):
			unserved = append(unserved, zone)
			continue
		}
		return systems.ZoneHasNoNew(zone, cmp.Or(assess.LaunchRefusal(&s.Run, zone), failure)), nil
	}
	return "", unserved
}

// old reports whether a node is still to be replaced.
func old(n record.Node) bool { return !n.New && n.Stage != record.Replaced }

// Warnings foresee zones that get no new node before their own are drained: the group
// launches where it has the fewest machines, and the cloud does not launch in a zone by name.
func (e EKS) Warnings(w *world.World, r *record.Run) []string {
	g, why := &w.Group, noLaunch(&w.Group, r)
	if why == "" {
		return nil
	}
	inZone, served := map[string]int{}, map[string]bool{}
	for _, m := range w.Machines() {
		if !m.Leaving() && m.State != world.MachineStandby {
			inZone[m.Zone]++
		}
	}
	for range e.Extra(w, r) {
		zone := slices.MinFunc(g.Zones, func(a, b string) int { return inZone[a] - inZone[b] })
		inZone[zone]++
		served[zone] = true
	}
	for _, zone := range zonesWith(r, func(n record.Node) bool { return n.New }) {
		served[zone] = true
	}
	unserved := slices.DeleteFunc(slices.Clone(toServe(w, r)), func(zone string) bool { return served[zone] })
	if len(unserved) == 0 {
		return nil
	}
	return []string{systems.ZonesUnserved(unserved, why)}
}

// taintOutdated keeps new pods off every node that is not new. Nodes that an
// earlier, failed update replaced are new, and stay untouched.
func (EKS) taintOutdated(s *engine.Step) bool {
	return s.TaintAll(unschedulable, func(record.Node, *world.Node) bool { return false })
}

// chooseSurplus picks the new nodes that will be too many in the end, from the zones
// that will be the fullest, and asks the scheduler to keep them as empty as the
// rest allows.
func (EKS) chooseSurplus(s *engine.Step) {
	perZone, staying := map[string][]string{}, map[string]int{}
	going := 0
	for id, n := range s.Run.Nodes.All() {
		switch {
		case n.New && n.Stage == record.Ready:
			perZone[n.Zone] = append(perZone[n.Zone], id)
			staying[n.Zone]++
		case n.Stage == record.Skipped:
			staying[n.Zone]++
		case !n.New:
			going++
		}
	}
	for range max(0, s.Excess()-going) {
		fullest := ""
		for _, zone := range zonesWith(&s.Run, func(n record.Node) bool { return n.New }) {
			if len(perZone[zone]) > 0 && (fullest == "" || staying[zone] > staying[fullest]) {
				fullest = zone
			}
		}
		if fullest == "" {
			return
		}
		staying[fullest]--
		ids := s.ByPods(perZone[fullest])
		n := s.Run.Nodes.Get(ids[0])
		n.Stage, n.Since = record.Surplus, s.Now
		s.SetNode(ids[0], n)
		perZone[fullest] = ids[1:]
	}
}

// upgrade drains and replaces the outdated nodes.
func (e EKS) upgrade(s *engine.Step) {
	s.WatchSizes()
	s.Guard()
	e.taintOutdated(s)
	e.markSurplus(s)
	s.WatchLaunches(s.AwaitedLaunch())
	s.Admit()
	if allRolled(&s.Reader) && s.Approved(scaleDown) {
		s.Enter(scaleDown)
		s.Soon()
	}
}

// allRolled reports whether no outdated node is left to roll.
func allRolled(s *assess.Reader) bool {
	return s.Count(record.Outdated, record.Queued) == 0 && !slices.ContainsFunc(s.In(record.Draining, record.Settling, record.Terminating),
		func(id string) bool { return !s.Run.Nodes.Peek(id).New })
}

func (EKS) markSurplus(s *engine.Step) {
	for _, id := range s.In(record.Surplus) {
		s.Taint(id, s.Run.Nodes.Peek(id).Name, surplus)
	}
}

// Progress counts new nodes while scaling up, replaced ones in the upgrade.
func (EKS) Progress(phase string, w *world.World, r *record.Run) (done, total int) {
	switch phase {
	case scaleUp:
		for _, n := range r.Nodes.All() {
			if n.New && (n.Stage == record.Ready || n.Stage == record.Surplus) {
				done++
			}
		}
		return min(done, r.Raise), r.Raise
	case upgrade:
		return r.Outdated()
	}
	return 0, 0
}
