package engine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Retire drains and ends surplus new nodes, emptiest first, under limit and
// gate, until excess of them are gone. It reports how many are in work or wait for
// a slot.
func (s *Step) Retire(excess int) int {
	working, due := toRetire(&s.Reader, excess)
	gate{s}.startDrains(due, s.Slots())
	return working + len(due)
}

// Retiring reports whether surplus new nodes are in work, or wait for a slot, until excess of
// them are gone.
func (s *Step) Retiring(excess int) bool {
	working, due := toRetire(&s.Reader, excess)
	return working+len(due) > 0
}

// toRetire counts the new nodes that are being retired, and lists those that are due to be.
func toRetire(s *assess.Reader, excess int) (working int, due []string) {
	present := 0
	var ready []string
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes.Get(m.ID)
		switch {
		case n.Stage == record.Terminating:
			working++
			continue
		case m.Leaving() && n.New && (n.Stage == record.Draining || n.Stage == record.Settling):
			working++ // terminated by others meanwhile: its marks go with its node
			continue
		case isAside(m):
			continue
		case n.New && (n.Stage == record.Draining || n.Stage == record.Settling):
			working++
			excess--
		case n.New && (n.Stage == record.Ready || n.Stage == record.Surplus || n.Stage == record.Launching && s.Run.Retires()):
			ready = append(ready, m.ID)
		}
		present++
	}
	return working, mostSpare(s, ready, min(len(ready), max(0, excess), max(0, present-s.Goal())))
}

// mostSpare picks n of the surplus machines: those whose hooks were asked already, and
// those marked as surplus first, then of the zone with the most machines, so that the zones end even and
// AZRebalance finds nothing to move; then the emptiest. None goes that would leave the zones uneven because
// those of the others cannot be drained: AZRebalance would end one of these undrained.
func mostSpare(s *assess.Reader, machines []string, n int) []string {
	if n <= 0 {
		return nil
	}
	asked := assess.HooksUnderWay(&s.Run, record.BeforeNode)
	inZone := s.ZonesLeft()
	unmarked := func(id string) int {
		switch n := s.Run.Nodes.Get(id); {
		case !n.LetGo.IsZero() || slices.Contains(asked, id):
			return -1
		case n.Stage == record.Surplus:
			return 0
		}
		return 1
	}
	list := s.ByPods(machines)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(unmarked(a), unmarked(b)) })
	place, byZone := map[string]int{}, map[string][]string{}
	for i, id := range list {
		place[id] = i
		zone := s.Run.Nodes.Peek(id).Zone
		byZone[zone] = append(byZone[zone], id)
	}
	leftOut := slices.ContainsFunc(s.In(record.Skipped, record.NodeFail), func(id string) bool { return s.Run.Nodes.Peek(id).New })
	tilts := func(zone string) bool {
		spread := assess.Spread(s.W, inZone)
		inZone[zone]--
		after := assess.Spread(s.W, inZone)
		inZone[zone]++
		return leftOut && unmarked(byZone[zone][0]) >= 0 && after > max(1, spread, assess.Spread(s.W, s.ZonesBefore()))
	}
	var out []string
	for len(out) < n {
		zones := slices.DeleteFunc(slices.Sorted(maps.Keys(byZone)), tilts)
		if len(zones) == 0 {
			break
		}
		zone := slices.MinFunc(zones, func(a, b string) int {
			one, two := byZone[a][0], byZone[b][0]
			return cmp.Or(cmp.Compare(unmarked(one), unmarked(two)), cmp.Compare(inZone[b], inZone[a]), cmp.Compare(place[one], place[two]))
		})
		out = append(out, byZone[zone][0])
		inZone[zone]--
		if byZone[zone] = byZone[zone][1:]; len(byZone[zone]) == 0 {
			delete(byZone, zone)
		}
	}
	return out
}

// StopRetiring puts new nodes that are being retired back into service. It
// reports whether none is ending any more.
func (s *Step) StopRetiring() bool {
	gate{s}.open() // no drain is to start any more
	done := true
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		n := s.Run.Nodes.Get(id)
		switch {
		case !n.New:
		case vanishes(s, n):
			done = false
		case n.Stage == record.Draining, n.Stage == record.Settling, n.Stage == record.Terminating && !terminationAsked(&s.Reader, id):
			s.putBack(id, n)
		case n.Stage == record.Terminating:
			done = false
		}
	}
	return done
}

// placeWithin is how long a pod may wait for the scheduler to look at all nodes. One
// that has waited for longer found no place on those that are empty.
const placeWithin = 30 * time.Second

// placing reports whether a pod that replaces an evicted one may still come to any
// node.
func placing(s *assess.Reader) bool {
	for _, p := range s.W.Unplaced() {
		if until := p.Created.Add(placeWithin); assess.StandsIn(&s.Run, p) && s.Now.Before(until) {
			s.WakeAt(until)
			return true
		}
	}
	return false
}

// RetireEmpty ends new nodes that hold nothing that would have to be evicted and that
// no evicted pod is about to come to, at most excess of them, those of the fullest zones
// first. It reports whether none is in work any more.
func (s *Step) RetireEmpty(excess int) bool {
	placing := placing(&s.Reader)
	done := true
	var empty []*world.Machine
	excess = min(excess, s.W.Group.Sizes.Desired-s.Goal())
	for _, n := range s.Run.Nodes.All() {
		if n.New && (n.Stage == record.Draining || n.Stage == record.Settling) {
			excess--
		}
	}
	for _, m := range s.W.Machines() {
		n := s.Run.Nodes.Get(m.ID)
		if !n.New || isAside(m) && n.Stage != record.Terminating {
			continue
		}
		left, _ := assess.LeavingPods(s.W, s.W.PodsOn(n.Name), s.Consents())
		switch n.Stage {
		case record.Terminating:
			done = false
		case record.Draining, record.Settling:
			done = false
			switch {
			case len(left) > 0:
				s.putBack(m.ID, n)
			case n.Stage == record.Draining:
				s.advanceDrain(m.ID, n)
			default:
				s.advanceSettling(m.ID, n)
			}
		case record.Ready, record.Surplus, record.Launching:
			if len(left) == 0 && mayRetire(&s.Reader, n, m.ID) {
				empty = append(empty, m)
			}
		}
	}
	for inZone := s.ZonesLeft(); excess > 0 && len(empty) > 0; excess-- {
		next := slices.MaxFunc(empty, func(a, b *world.Machine) int { return cmp.Compare(inZone[a.Zone], inZone[b.Zone]) })
		inZone[next.Zone]--
		empty = slices.DeleteFunc(empty, func(m *world.Machine) bool { return m == next })
		done = false
		if !placing {
			s.startDrain(next.ID)
			s.Soon()
		}
	}
	return done
}

// mayRetire reports whether an empty node may be retired now. One whose retirement has begun before, and that others have
// cordoned, is left to them: pods came to it since.
func mayRetire(s *assess.Reader, n record.Node, id string) bool {
	node := s.W.NodeOf(id)
	theirs := !n.Began.IsZero() && node != nil && node.Unschedulable && !assess.OurCordon(&s.Run, id, node.Name)
	return s.Fresh(world.Cluster) && !givenUp(s, "terminate/"+id) && !theirs
}

// isAside reports whether a machine is none of those that its group is to have: others end it, or have set it to
// Standby.
func isAside(m *world.Machine) bool { return m.Leaving() || m.State == world.MachineStandby }

// detachShows is how long a machine that was detached may be on no list at all: its group
// has it no more, and the list of those that are detached may lag.
const detachShows = time.Minute

// DetachLast takes machines out of their group, those that go last first, until so many
// of those that are to be replaced are out of it. One that cannot be taken out is passed
// over. It returns how many of these are out, or asked for, and whether the answer to one
// is open.
func (s *Step) DetachLast(want int) (have int, open bool) {
	toGo := slices.DeleteFunc(slices.Clone(s.Run.Order), func(id string) bool {
		n := s.Run.Nodes.Get(id)
		return n.Stage != record.Outdated && n.Stage != record.Queued
	})
	var inside []string
	for _, id := range toGo {
		asked, busy := s.Run.Pending[record.DetachKey(id)]
		switch {
		case busy && asked.Accepted.IsZero():
			have, open = have+1, true
		case s.Run.Nodes.Peek(id).Detached: // also while it is being terminated: it is one more until it is gone
			have++
		default:
			inside = append(inside, id)
		}
	}
	for _, id := range slices.Backward(inside) {
		if have >= want || s.failed {
			break
		}
		n, m := s.Run.Nodes.Get(id), s.W.Machine(id)
		if m == nil || m.State != world.MachineInService || s.Run.Retries[record.DetachKey(id)].Stays() {
			continue
		}
		have++
		open = !s.Ensure(record.Action{Kind: record.Detach, Key: record.DetachKey(id), Machine: id, Node: n.Name, Zone: n.Zone, Group: s.Run.Group, Tag: s.Capabilities().DetachTag}) || open
	}
	return min(have, want), open
}

// DetachedAside counts the machines that are out of their group, or were asked to be, and that
// were skipped since: each is one more than the group is to have until a user ends it. open: of one
// it is not known yet whether it is out.
func (s *Step) DetachedAside() (count int, open bool) {
	for id, n := range s.Run.Nodes.All() {
		p, asked := s.Run.Pending[record.DetachKey(id)]
		if n.Stage == record.Skipped && (n.Outside() || asked) {
			count++
			open = open || asked && p.Accepted.IsZero()
		}
	}
	return count, open
}

// detaching reports whether a machine was just taken out of its group, and may be on no
// list for a moment: until a look that is later than that.
func detaching(s *assess.Reader, id string) bool {
	p, busy := s.Run.Pending[record.DetachKey(id)]
	if !busy || p.Accepted.IsZero() { // it may be carried out at any moment
		return busy
	}
	shows := p.Accepted.Add(detachShows)
	s.WakeAt(shows)
	return !s.W.Health[world.Cloud].Fresh.After(shows)
}

// DetachedLast puts the machines that are out of their group at the end of the order: the
// group replaces the others as they go.
func (s *Step) DetachedLast() {
	last := func(id string) int {
		if s.Run.Nodes.Peek(id).Detached {
			return 1
		}
		return 0
	}
	compare := func(a, b string) int { return cmp.Compare(last(a), last(b)) }
	if !slices.IsSortedFunc(s.Run.Order, compare) {
		s.Run.Order = slices.Clone(s.Run.Order)
		slices.SortStableFunc(s.Run.Order, compare)
		s.changed = true
	}
}

// listUnrestoredDetached names the machines that run outside their group, or are out of its load
// balancers, at the end of a run.
func (s *Step) listUnrestoredDetached() {
	for _, id := range slices.Sorted(s.Run.Nodes.Keys()) {
		n, m := s.Run.Nodes.Get(id), s.W.Machine(id)
		gone := m == nil && !detaching(&s.Reader, id) || m != nil && m.Leaving()
		if gone || n.Stage == record.Replaced || n.Stage == record.Terminating {
			continue
		}
		if n.Detached {
			s.AddUnrestored(s.Run.LeaveDetached(id))
		} else if n.OffBalancers {
			s.AddUnrestored(s.Run.LeaveOff(id))
		}
	}
	for _, m := range s.W.Machines() { // of an earlier roll, in a run that ended before it looked at them
		if !s.Run.Nodes.Has(m.ID) && m.Detached && !m.Leaving() {
			s.AddUnrestored(s.Run.LeaveDetached(m.ID))
		}
	}
}

// left notes that a machine has left its group; the cluster has to prove valid without it.
func (s observer) left(id string) {
	if n, known := s.Run.Nodes.Find(id); known && !n.Detached {
		n.Detached, s.changed = true, true
		s.SetNode(id, n)
		requireValidation(s.Step, id)
	}
}

// EndWarm ends the machines of the group's warm pool that were made from another
// template than those to keep, so that they do not come into service; the group
// fills its pool again. It reports whether none is left. One that cannot be ended
// is no harm: it is rolled like any other when it comes into service.
func (s *Step) EndWarm(keep []world.Template) bool {
	done := true
	for _, m := range s.W.Group.Warm {
		key := "end-warm/" + m.ID
		if slices.Contains(keep, m.Template) || m.Leaving() {
			continue
		}
		if givenUp(&s.Reader, key) {
			s.Note(text.WarmNotEnded(m.ID, s.Run.Retries[key].Message))
			continue
		}
		done = s.Ensure(record.Action{Kind: record.EndWarm, Key: key, Machine: m.ID, Zone: m.Zone, Group: s.Run.Group}) && done
	}
	return done
}

// retireMargin is what retiring a node takes beyond its drain and the wait after it: that its
// machine goes.
const retireMargin = 5 * time.Minute

// retires reports whether the run, which is about to end early, is to retire what is left of
// its surge first, and there is some.
func retires(s *assess.Reader) bool {
	return s.Run.Retire && s.Excess() > 0
}

// retirement is the part of a step that retires what is left of a raise.
type retirement struct{ *Step }

// begin has a run that has restored what was in flight retire its surplus nodes.
func (s retirement) begin() {
	s.Run.State, s.Run.PhaseWait, s.Run.Retire = record.Running, nil, false
	s.Run.Validation = nil // while it ended nobody has looked, and that took the time of one that was under way
	s.Run.Target.Templates = retireTargets(&s.Run, s.W)
	if s.Run.Limit == 0 {
		s.Run.Limit = max(1, s.Rules.Limit(s.W, &s.Run))
	}
	s.Run.Phases = append(s.Run.Phases, record.Phase{Name: record.PhaseRetire})
	s.Enter(record.PhaseRetire)
	s.Soon()
}

// retireTargets are the templates of the nodes that are new to a run that retires its surplus:
// its target. A run that ended before its first phase had worked that out has none: new is then
// what the group launches.
func retireTargets(r *record.Run, w *world.World) []world.Template {
	if len(r.Target.Templates) > 0 {
		return r.Target.Templates
	}
	return append([]world.Template{r.BaseTemplate}, w.Group.Overrides...)
}

// retireSurge is the phase in which surplus nodes are drained by all rules and terminated
// with decrement, until the raise is gone: at the end of a run that has ended early, or as a
// run of its own. New nodes go and outdated ones stay, because who ends a run early may not
// trust the new ones. A node that cannot be drained in time is left out, and the phase has a
// time of its own; what is left then is named.
func (s retirement) retireSurge() {
	if !s.Fresh(world.Cloud) || !s.Fresh(world.Cluster) {
		return
	}
	s.Enter(record.PhaseRetire)
	if why := s.Opposed(); why != "" {
		s.Pause(systems.PausedBeside(why))
		return
	}
	if s.Run.PhaseWait == nil {
		rounds := (s.Excess() + s.Run.Limit - 1) / max(1, s.Run.Limit)
		s.StartPhaseWait(record.WaitRetiring, time.Duration(max(1, rounds))*(s.Run.Settings.DrainTimeout+s.Run.Settings.Settle+retireMargin))
	}
	s.WatchSizes()
	if idle := s.Count(record.Draining, record.Settling, record.Terminating) == 0; idle && !s.LowerToMachines() {
		return
	}
	switch {
	case s.Over(s.Run.PhaseWait):
		if !s.StopRetiring() {
			return
		}
	case s.Retiring(s.Excess()):
		s.retireExcess()
		return
	}
	if s.EndsOpen() || len(s.Run.PendingHooks) > 0 {
		return
	}
	bounds := s.RestoreMax()
	if !s.RestoreTemplate() || !s.UnmarkAll() || !s.ResumeEven() || !bounds {
		return
	}
	s.finishRetiring()
}

// retireExcess takes the nodes on that are too many, while the group moves no machine between
// zones by itself.
func (s retirement) retireExcess() {
	for _, process := range s.Rules.Suspends() {
		if !s.SuspendProcess(process) {
			return
		}
	}
	if v, validating := s.Rules.(Validating); validating {
		if v.Proved(s.Step); s.Run.State != record.Running {
			return
		}
	}
	s.choose()
	s.Retire(s.Excess())
}

// choose marks the nodes that will be retired as surplus, so that the pods of one do
// not move to another.
func (s retirement) choose() {
	want := s.Excess() - s.Count(record.Surplus)
	for _, id := range s.In(record.Draining, record.Settling, record.Terminating) {
		if s.Run.Nodes.Peek(id).New {
			want--
		}
	}
	ready := s.In(record.Ready)
	for _, id := range mostSpare(&s.Reader, ready, min(want, len(ready))) {
		n := s.Run.Nodes.Get(id)
		n.Stage, n.Since = record.Surplus, s.Now
		s.SetNode(id, n)
	}
	for _, id := range s.In(record.Surplus) {
		if s.W.Node(s.Run.Nodes.Peek(id).Name) != nil {
			s.Taint(id, s.Run.Nodes.Peek(id).Name, surplusTaint)
		}
	}
}

// surplusTaint keeps pods off nodes that will be retired, as far as others have room.
var surplusTaint = world.Taint{Key: world.SurplusTaint, Effect: "PreferNoSchedule"}

// finishRetiring ends the run: as it had ended before, or by what is left of the raise where
// that is all there was to do.
func (s retirement) finishRetiring() {
	if s.Run.Result == record.NotStartedYet {
		s.Run.Result = record.Succeeded
		if why := raiseStays(&s.Reader); why != "" {
			s.Run.Result, s.Run.Why = record.NodesLeft, why
			s.nameRaise()
		}
	}
	s.finishEarly()
}

// PlanRetirement is the run that takes back what a run that has ended left of its raise, and
// false if that left nothing that can be told from what others have changed since. It takes
// the settings and the limit of that run, and the processes that it left suspended.
func PlanRetirement(rules Strategy, ended record.Run, w *world.World, id string, seed uint64) (record.Run, bool) {
	if ended.State != record.Finished || ended.RaiseLeft == nil {
		return record.Run{}, false
	}
	r := assess.NewRun(rules, id, seed, w, ended.Settings, record.Target{Templates: retireTargets(&ended, w)})
	r.Inherit(*ended.RaiseLeft, w.Group.Sizes)
	r.Suspended = slices.DeleteFunc(slices.Clone(ended.Suspended), func(process string) bool { return !w.Group.HasSuspended(process) })
	r.Phases = []record.Phase{{Name: record.PhaseRetire}}
	r.Settings.Approve, r.Settings.RetireSurge = record.ApproveNone, false
	r.Limit = max(1, ended.Limit)
	return r, r.Inherited != nil
}
