package assess

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Unavailable counts the nodes that are out of service because of us: from the
// first eviction until the machine has left the group or, if the node is given up or
// returned to service in between, until our cordon is off. Where the cluster has to prove valid after it, it
// holds its slot until then.
func (s *Reader) Unavailable() int { return len(s.facts().with[holding]) }

// holdsSlot reports whether a node is one of them.
func holdsSlot(run *record.Run, id string, n record.Node) bool {
	switch n.Stage {
	case record.Draining, record.Settling, record.Updating:
		return true
	case record.Terminating:
		return !n.Validated // else something stands in for it already
	case record.Skipped, record.NodeFail, record.Ready, record.Surplus:
		return !n.Began.IsZero() && slices.ContainsFunc(run.Marks[id], func(m record.Mark) bool { return m.Put.Kind == record.Cordon && !m.Foreign })
	case record.Replaced:
		return !n.PendingValidation.IsZero()
	}
	return false
}

// GateReason says why no new drain may start now, "" if one may that leaves so many nodes
// in service. Two things are looked at: that they are enough, and that the pods we
// evicted have found a place.
func (s *Reader) GateReason(stay int) string {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return text.TooOldToDrain
	}
	if (gate{s}).validFirst() {
		if why := (gate{s}).awaitingValidation(); why != "" {
			return why
		}
	}
	size := min(s.Run.Base.Desired, s.W.Group.Sizes.Desired) // who has made it smaller meanwhile, wants fewer
	if s.Capabilities().SurgeServes {
		size = MustServe(s)
	}
	if floor := size - (gate{s}).mayBeUnseen(); stay < floor {
		return text.TooFewServe(s.InService(), floor, s.OutOfService())
	}
	if why := (gate{s}).awaitsRoom(stay); why != "" {
		return why
	}
	return gate{s}.unschedulableReplacement()
}

// gate is the part of a Reader that knows what keeps drains from starting.
type gate struct{ *Reader }

// validFirst reports whether no drain starts while the cluster is not valid.
func (s gate) validFirst() bool {
	return s.Capabilities().RequiresValidation && !s.Nodeless() && !s.Run.Settings.PassInvalid
}

// awaitsRoom says which replacement a drain waits for that leaves so many nodes in service, "" for none: a
// surge that fits is what the pods of one batch need, and they have taken it until replacements are Ready.
func (s gate) awaitsRoom(stay int) string {
	if s.Run.Settings.Surge != record.SurgeFit {
		return ""
	}
	launch := s.AwaitedLaunch()
	if floor := min(s.Run.Base.Desired+max(0, s.Run.Surge()), s.W.Group.Sizes.Desired) - s.mayBeUnseen(); launch == "" || stay >= floor {
		return ""
	}
	return text.FitWaits(launch)
}

// mayBeUnseen is how many nodes may be out of service with nothing in their place: the limit,
// less what machines outside the group stand in for as long as there are any.
func (s gate) mayBeUnseen() int {
	if s.Capabilities().SurgeServes {
		return s.Spare()
	}
	all, left := len(s.facts().with[outside]), len(s.facts().with[outsideStill])
	if left == 0 {
		return max(1, s.Run.Limit-all)
	}
	return max(0, s.Run.Limit-all)
}

// MustServe is how many nodes the group is to have without the surge: as many as before, or fewer if others
// have made it smaller meanwhile.
func MustServe(s *Reader) int {
	return min(s.Run.Base.Desired, s.W.Group.Sizes.Desired, s.Goal()+Uncounted(s))
}

// Uncounted is by how much others have raised the group that the run has yet to count, which it does when
// nothing of its own is under way.
func Uncounted(s *Reader) int {
	by := s.W.Group.Sizes.Desired - s.Run.Expected()
	for _, id := range s.In(record.Terminating) {
		if m := s.W.Machine(id); s.Run.Nodes.Peek(id).Decrement && m != nil && !m.Leaving() {
			by-- // what it lowers may not show yet
		}
	}
	return max(0, by)
}

// Spare is MaxUnavailable resolved for the group, a share rounded down. Once nothing is left of the surge
// (the last nodes take it down with them, or others have taken it) one node goes at least: one that
// was returned to, or came late.
func (s *Reader) Spare() int {
	n := s.Run.Settings.MaxUnavailable.Of(s.Run.Base.Desired, false)
	if s.Run.Raise > 0 { // a share is of the size that the limit was worked out from
		n = min(n, max(0, s.Run.Limit-s.Run.Raise))
	}
	if s.Run.Raised && s.Run.Surge() <= 0 {
		return max(1, n)
	}
	return n
}

// PassesGate reports whether a node waits for approval that does not serve: its drain
// takes nothing out of service.
func (s *Reader) PassesGate(machine string) bool {
	if (gate{s}).validFirst() {
		return false // a node that does not serve makes the cluster invalid
	}
	return s.Run.Nodes.Peek(machine).Stage == record.Outdated && s.TakesNothing(machine)
}

// TakesNothing reports whether a machine does not serve and is not waited for: its drain takes
// nothing out of service, so that the gate lets it start.
func (s *Reader) TakesNothing(machine string) bool {
	m := s.W.Machine(machine)
	return m != nil && !m.Leaving() && !s.Serves(m) && !s.WaitedFor(machine) && s.TakenBy(s.Run.Nodes.Peek(machine).Name) == ""
}

// MayStart is how many nodes that serve may start to drain before the gate holds the next one,
// once there are so many machines more.
func (s *Reader) MayStart(extra int) int {
	away := max(1, s.Run.Limit)
	if s.Capabilities().SurgeServes {
		away = s.Spare()
	}
	if extra > 0 && s.Capabilities().Detaches {
		away = max(0, s.Run.Limit-extra)
	}
	return s.InService() + extra - min(s.Run.Base.Desired, s.W.Group.Sizes.Desired) + away
}

// mostIdle is how many nodes out of service the gate names.
const mostIdle = 3

// OutOfService names the nodes that do not serve, although nothing of ours keeps them
// from it, each with the way out; "" if there is none.
func (s *Reader) OutOfService() string {
	var out []string
	for _, id := range s.With(outOfUse) {
		m, node, n := s.W.Machine(id), s.W.NodeOf(id), s.Run.Nodes.Get(id)
		if node == nil || m.Leaving() || record.WorkingOn(n.Stage) || n.Stage == record.Launching || s.TakenBy(node.Name) != "" {
			continue
		}
		update := node.InPlace()
		switch approvable := s.PassesGate(m.ID); {
		case update.Candidate && update.Failed:
			out = append(out, text.UpdateHasFailed(node.Name))
		case update.Candidate && update.Taken(): // its cordon is the controller's
			out = append(out, text.IsUpdated(node.Name))
		case node.Unschedulable && !OurCordon(&s.Run, m.ID, node.Name):
			out = append(out, text.CordonedByAnother(node.Name, approvable))
		case !node.Ready:
			out = append(out, text.IdleNotReady(node.Name, approvable))
		}
	}
	if more := len(out) - mostIdle; more > 0 {
		out = append(out[:mostIdle], text.Rest(more))
	}
	return strings.Join(out, "; ")
}

// InService counts the group's nodes that are Ready and schedulable, less those
// that drain. A node with nothing but our own taint or cordon still serves until
// its drain begins.
func (s *Reader) InService() int {
	idle := s.facts().with[outOfUse]
	count := len(s.W.Machines()) - len(idle)
	if s.Nodeless() {
		return count
	}
	for name := range s.takenNodes() {
		if node := s.W.Node(name); node != nil && s.W.Machine(node.Machine) != nil && s.W.NodeOf(node.Machine) == node && !idle[node.Machine] {
			count--
		}
	}
	return count
}

// Serves reports whether a machine of the group is in service: its node is Ready and takes
// pods, or wears nothing but a cordon of ours.
func (s *Reader) Serves(m *world.Machine) bool {
	return s.servesItself(m) && (s.Nodeless() || s.TakenBy(s.W.NodeOf(m.ID).Name) == "")
}

// servesItself reports the same, whatever others do with the node.
func (s *Reader) servesItself(m *world.Machine) bool {
	if s.Nodeless() {
		return m.State == world.MachineInService && !InWork(&s.Run, m.ID)
	}
	node := s.W.NodeOf(m.ID)
	if m.State != world.MachineInService || node == nil || !node.Ready || node.Unschedulable && !OurCordon(&s.Run, m.ID, node.Name) {
		return false
	}
	switch s.Run.Nodes.Peek(m.ID).Stage {
	case record.Draining, record.Settling, record.Terminating, record.Launching, record.Updating:
		return false
	}
	return true
}

// NotServing lists those that do not serve of machines whose drains may start.
func (s *Reader) NotServing(machines []string) []string {
	f := s.facts()
	starts := func(id string) bool {
		return slices.Contains([]record.Stage{record.Queued, record.Ready, record.Surplus}, f.of[id].stage)
	}
	if !anyKey(f.with[outOfUse], starts) && !anyKey(f.with[Unlisted], starts) {
		return nil // as a rule: no need to look at all of them
	}
	return slices.DeleteFunc(slices.Clone(machines), func(id string) bool { return !f.with[outOfUse][id] && !f.with[Unlisted][id] })
}

// Idles reports whether nothing is under way that would change what holds a node back.
func (s *Reader) Idles() bool {
	if len(HooksUnderWay(&s.Run, record.BeforeNode))+s.Count(record.Draining, record.Settling, record.Terminating, record.Launching) > 0 || s.updateGoesOn() {
		return false
	}
	there, want := 0, s.W.Group.Sizes.Desired
	if s.Run.Holds() {
		want = s.Run.Expected() // which the cloud may not tell yet
	}
	for _, m := range s.W.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			there++
		}
	}
	return there >= want
}

// WaitedFor reports whether a node that is not heard from may come back and serve.
func (s *Reader) WaitedFor(machine string) bool {
	n := s.W.NodeOf(machine)
	return s.Run.Settings.Unreachable == record.UnreachableWait && n != nil && !n.Unreachable.IsZero()
}

// OurCordon reports whether it was us who cordoned a node.
func OurCordon(run *record.Run, machine, node string) bool {
	mark, known := run.MarkOf(record.CordonOf(machine, node))
	return known && !mark.Foreign
}

// unschedulableReplacement names a pod that stands in for an evicted one and has been Pending
// for too long, "" if there is none.
func (s gate) unschedulableReplacement() string {
	for _, p := range s.W.Unplaced() {
		if !StandsIn(&s.Run, p) {
			continue
		}
		since := p.Created.Add(s.Run.Settings.PendingLimit)
		if s.Now.Before(since) {
			s.WakeAt(since)
			continue
		}
		return text.ReplacementPending(p.Ref(), s.Now.Sub(p.Created), p.Unplaced, s.makesRoom())
	}
	return ""
}

// makesRoom is what gives pods a place that our own marks keep from every node, "" if there is none.
func (s gate) makesRoom() string {
	if node := s.cordonedAhead(); node != "" {
		return text.UncordonForRoom(node)
	}
	if s.taintedAll() {
		return text.RaiseForRoom
	}
	return ""
}

// taintedAll reports whether our taint keeps pods from every node of a group that launches no other: others
// have made it smaller since it was raised.
func (s gate) taintedAll() bool {
	machines := s.W.Machines()
	for _, m := range machines {
		node := s.W.NodeOf(m.ID)
		if m.Leaving() || node == nil || !slices.ContainsFunc(s.Run.Marks[m.ID], func(k record.Mark) bool {
			t := k.Put.AsTaint()
			return k.Put.Kind == record.AddTaint && k.Put.Node == node.Name && !k.Foreign && t.Effect == "NoSchedule" && node.HasTaint(t)
		}) {
			return false
		}
	}
	return len(machines) > 0 && len(machines) >= s.W.Group.Sizes.Desired
}

// cordonedAhead names a node that we have cordoned and do not drain yet, "" if there is none: one
// that is uncordoned takes pods until its drain.
func (s gate) cordonedAhead() string {
	for _, id := range s.In(record.Queued, record.Outdated) {
		if node := s.W.NodeOf(id); node != nil && node.Unschedulable && OurCordon(&s.Run, id, node.Name) {
			return node.Name
		}
	}
	return ""
}

// StandsIn reports whether a pod without a node replaces one that was evicted.
func StandsIn(run *record.Run, p *world.Pod) bool {
	return run.Evicted[p.Owner.UID] && p.Phase == world.PodPending
}

// HooksUnderWay lists the machines whose hooks of a phase run now.
func HooksUnderWay(run *record.Run, phase record.HookPhase) []string {
	var out []string
	for _, p := range run.Pending {
		if p.Action.Kind == record.RunHook && p.Action.Phase == phase {
			out = append(out, p.Action.Machine)
		}
	}
	return out
}
