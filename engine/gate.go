package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Unavailable counts the nodes that are out of service because of us: from the
// first eviction until the machine has left the group or, if the node is given up
// in between, until our cordon is off. Where the cluster has to prove valid after it, it
// holds its slot until then.
func (s *Reader) Unavailable() int { return len(s.facts().with[holding]) }

// holdsSlot reports whether a node is one of them.
func (s *Reader) holdsSlot(id string, n record.Node) bool {
	switch n.Stage {
	case record.Draining, record.Settling, record.Updating:
		return true
	case record.Terminating:
		return !n.Validated // else something stands in for it already
	case record.Skipped, record.NodeFail:
		return !n.Began.IsZero() && slices.ContainsFunc(s.Run.Marks[id], func(m record.Mark) bool { return m.Put.Kind == record.Cordon && !m.Foreign })
	case record.Replaced:
		return !n.PendingValidation.IsZero()
	}
	return false
}

// shut says why no new drain may start now, "" if one may that leaves so many nodes
// in service. Two things are looked at: that they are enough, and that the pods we
// evicted have found a place.
func (s *Reader) shut(stay int) string {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return text.TooOldToDrain
	}
	if s.validFirst() {
		if why := s.awaitingValidation(); why != "" {
			return why
		}
	}
	size := min(s.Run.Base.Desired, s.W.Group.Sizes.Desired) // who has made it smaller meanwhile, wants fewer
	if floor := size - s.mayBeUnseen(); stay < floor {
		return text.TooFewServe(s.inService(), floor, s.outOfService())
	}
	return s.unschedulableReplacement()
}

// validFirst reports whether no drain starts while the cluster is not valid.
func (s *Reader) validFirst() bool {
	return s.capabilities().RequiresValidation && !s.nodeless() && !s.Run.Settings.PassInvalid
}

// mayBeUnseen is how many nodes may be out of service with nothing in their place: the limit,
// less what machines outside the group stand in for as long as there are any.
func (s *Reader) mayBeUnseen() int {
	all, left := len(s.facts().with[outside]), len(s.facts().with[outsideStill])
	if left == 0 {
		return max(1, s.Run.Limit-all)
	}
	return max(0, s.Run.Limit-all)
}

// passesGate reports whether a node waits for approval that does not serve: its drain
// takes nothing out of service.
func (s *Reader) passesGate(machine string) bool {
	if s.validFirst() {
		return false // a node that does not serve makes the cluster invalid
	}
	n, m := s.Run.Nodes[machine], s.W.Machine(machine)
	return n.Stage == record.Outdated && m != nil && !m.Leaving() && !s.Serves(m) && !s.waitedFor(machine) && s.takenBy(n.Name) == ""
}

// mostIdle is how many nodes out of service the gate names.
const mostIdle = 3

// outOfService names the nodes that do not serve, although nothing of ours keeps them
// from it, each with the way out; "" if there is none.
func (s *Reader) outOfService() string {
	var out []string
	for _, id := range s.with(outOfUse) {
		m, node, n := s.W.Machine(id), s.W.NodeOf(id), s.Run.Nodes[id]
		if node == nil || m.Leaving() || record.WorkingOn(n.Stage) || n.Stage == record.Launching || s.takenBy(node.Name) != "" {
			continue
		}
		switch approvable := s.passesGate(m.ID); {
		case node.Unschedulable && !s.ourCordon(m.ID, node.Name):
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

// inService counts the group's nodes that are Ready and schedulable, less those
// that drain. A node with nothing but our own taint or cordon still serves until
// its drain begins.
func (s *Reader) inService() int {
	idle := s.facts().with[outOfUse]
	count := len(s.W.Machines()) - len(idle)
	if s.nodeless() {
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
	return s.servesItself(m) && (s.nodeless() || s.takenBy(s.W.NodeOf(m.ID).Name) == "")
}

// servesItself reports the same, whatever others do with the node.
func (s *Reader) servesItself(m *world.Machine) bool {
	if s.nodeless() {
		return m.State == world.MachineInService && !s.inWork(m.ID)
	}
	node := s.W.NodeOf(m.ID)
	if m.State != world.MachineInService || node == nil || !node.Ready || node.Unschedulable && !s.ourCordon(m.ID, node.Name) {
		return false
	}
	switch s.Run.Nodes[m.ID].Stage {
	case record.Draining, record.Settling, record.Terminating, record.Launching, record.Updating:
		return false
	}
	return true
}

// startDrains begins to empty nodes, at most slots of them, one after the other as
// far as the gate allows. One that does not serve takes nothing out of service, and
// goes ahead of those that the gate holds. One that another user or tool takes out of service
// is waited for.
func (s *Step) startDrains(machines []string, slots int) {
	if len(machines) == 0 {
		return
	}
	if slots <= 0 {
		if why := s.noRoom(); why != "" {
			s.holdGate(why)
		}
		return
	}
	asked := s.hooksUnderWay(record.BeforeNode)
	slots -= len(asked)
	if slots <= 0 {
		return
	}
	in, held, waits, back := s.inService(), "", false, "" // back: why the strategy holds one back
	about := slices.Clone(asked)
	for _, id := range asked { // as if they drained
		if m := s.W.Machine(id); m != nil && s.Serves(m) {
			in--
		}
	}
	for len(machines) > 0 {
		id := machines[0]
		machines = machines[1:]
		if slices.Contains(asked, id) {
			continue
		}
		if s.takenBy(s.Run.Nodes[id].Name) != "" {
			waits = true
			continue
		}
		m := s.W.Machine(id)
		serves := m != nil && s.Serves(m)
		stay := in
		if serves || s.waitedFor(id) {
			stay--
		}
		if held != "" && stay < in {
			continue
		}
		if s.conduct().inPlace(&s.Reader, id) && s.W.NodeOf(id) == nil {
			back = text.NothingToSelect(s.label(id, s.Run.Nodes[id]))
			continue
		}
		if why := s.held(id, about); (serves || s.conduct().holdsIdle()) && why != "" {
			back = why
			continue
		}
		if why := s.shut(stay); why != "" {
			if held == "" {
				machines = s.notServing(machines)
			}
			held = why
			continue
		}
		if serves {
			in--
		}
		if !s.Run.GateSince.IsZero() {
			s.Run.GateSince = s.Now // a drain has passed it
		}
		if s.letGo(id) {
			s.startDrain(id)
		} else {
			about = append(about, id)
		}
		if slots--; slots == 0 {
			held, waits, back = "", false, "" // the limit holds the others, not the gate
			break
		}
	}
	if held == "" && waits && len(asked)+s.Count(record.Draining, record.Settling, record.Terminating, record.Updating) == 0 {
		held = s.waitsFor()
	}
	if held == "" && back != "" && s.idles() {
		held = text.HeldBack(back, s.outOfService())
	}
	if held != "" {
		s.holdGate(held)
	} else {
		s.openGate()
	}
}

// notServing lists those that do not serve of machines whose drains may start.
func (s *Reader) notServing(machines []string) []string {
	f := s.facts()
	starts := func(id string) bool {
		return slices.Contains([]record.Stage{record.Queued, record.Ready, record.Surplus}, f.of[id].stage)
	}
	if !anyKey(f.with[outOfUse], starts) && !anyKey(f.with[unlisted], starts) {
		return nil // as a rule: no need to look at all of them
	}
	return slices.DeleteFunc(slices.Clone(machines), func(id string) bool { return !f.with[outOfUse][id] && !f.with[unlisted][id] })
}

// idles reports whether nothing is under way that would change what holds a node back.
func (s *Reader) idles() bool {
	if len(s.hooksUnderWay(record.BeforeNode))+s.Count(record.Draining, record.Settling, record.Terminating, record.Launching) > 0 || s.updateGoesOn() {
		return false
	}
	there, want := 0, s.W.Group.Sizes.Desired
	if s.Run.Raised && s.Run.Foreign == "" {
		want = s.Run.Expected() // which the cloud may not tell yet
	}
	for _, m := range s.W.Machines() {
		if !m.Leaving() && !m.Detached && m.State != world.MachineStandby {
			there++
		}
	}
	return there >= want
}

// waitedFor reports whether a node that is not heard from may come back and serve.
func (s *Reader) waitedFor(machine string) bool {
	n := s.W.NodeOf(machine)
	return s.Run.Settings.Unreachable == record.UnreachableWait && n != nil && !n.Unreachable.IsZero()
}

// ourCordon reports whether it was us who cordoned a node.
func (s *Reader) ourCordon(machine, node string) bool {
	mark, known := s.Run.MarkOf(record.CordonOf(machine, node))
	return known && !mark.Foreign
}

// unschedulableReplacement names a pod that stands in for an evicted one and has been Pending
// for too long, "" if there is none.
func (s *Reader) unschedulableReplacement() string {
	for _, p := range s.W.Unplaced() {
		if !s.standsIn(p) {
			continue
		}
		since := p.Created.Add(s.Run.Settings.PendingLimit)
		if s.Now.Before(since) {
			s.WakeAt(since)
			continue
		}
		return text.ReplacementPending(p.Ref(), s.Now.Sub(p.Created), p.Unplaced)
	}
	return ""
}

// standsIn reports whether a pod without a node replaces one that was evicted.
func (s *Reader) standsIn(p *world.Pod) bool {
	return s.Run.Evicted[p.Owner.UID] && p.Phase == world.PodPending
}

// Admit starts drains: as many queued nodes as the limit and the gate allow.
func (s *Step) Admit() {
	if s.Run.State != record.Running {
		return
	}
	s.AddUnrestoredLate(0, s.Run.Surge())
	slots := s.slots()
	s.approve(slots)
	queued := s.Count(record.Queued)
	if why := cmp.Or(s.noRoom(), s.stalled()); why != "" && queued+s.Count(record.Outdated) > 0 {
		s.holdGate(why)
		return
	}
	if queued == 0 {
		s.openGate()
	}
	if slots <= 0 {
		return
	}
	s.startDrains(s.nextQueued(), slots)
}

// holdGate notes that no drain starts now; a gate that stays shut pauses the run.
func (s *Step) holdGate(why string) {
	if s.Run.GateSince.IsZero() {
		s.Run.GateSince = s.Now
		s.Report(record.Event{Type: record.Warning, Reason: "gate", Message: text.NoDrainStarts(why)})
	}
	s.setGate(why)
	limit := s.Run.GateSince.Add(s.Run.Settings.GatePause)
	s.WakeAt(limit)
	if !s.Now.Before(limit) {
		s.openGate()
		s.Pause(text.NoDrainStarted(s.Run.Settings.GatePause, why))
	}
}

func (s *Step) openGate() {
	s.Run.GateSince = time.Time{}
	s.setGate("")
}

// setGate says why no drain starts; that is written down for who watches.
func (s *Step) setGate(why string) {
	s.changed = s.changed || s.Run.Gate != why
	s.Run.Gate = why
}
