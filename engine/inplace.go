package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Updates in place by the group's own controller (machine-controller-manager): we select a node
// with a label, the controller drains it, the node agent updates it. It counts as out of
// service until it is healthy again.

// Waits of a node that is updated in place.
const (
	updating       = "update" // after the drain by the controller (drainBy)
	gettingHealthy = "getting healthy"
)

func selectKey(machine string) string { return record.LabelOf(machine, "", world.SelectLabel, "").Key }

// startUpdate selects a node for its update in place.
func (s *Step) startUpdate(id string) {
	n := s.Run.Nodes[id]
	n.Stage, n.Since, n.LetGo, n.Began, n.Blocked, n.Reason = record.Updating, s.Now, time.Time{}, s.Now, false, ""
	n.Pods, _ = s.podsToMove(n.Name)
	n.Wait = s.controllerDrainWait(id)
	s.SetNode(id, n)
	s.selectNode(id, n)
	s.Report(record.Event{Type: record.NodeUpdating, Node: n.Name, Zone: n.Zone, Until: until(n.Wait), Batch: n.Batch, Message: text.SelectedForUpdate(n.Pods, s.drivenBy())})
}

func (s *Step) selectNode(id string, n record.Node) {
	s.Ensure(record.LabelOf(id, n.Name, world.SelectLabel, "true"))
}

// FollowUpdates takes the nodes on that are updated in place, by what their labels and
// conditions tell. fails is called with each whose update has just failed, and why; it may
// pause the run.
func (s *Step) FollowUpdates(fails func(node, why string)) {
	if !s.Fresh(world.Cluster) {
		return
	}
	for _, id := range s.In(record.Updating) {
		n := s.Run.Nodes[id]
		if node := s.W.Node(n.Name); node != nil && s.Run.State == record.Running {
			s.followUpdate(id, n, node, fails)
		}
	}
	for _, id := range s.In(record.Updating) { // none if the run was paused
		n := s.Run.Nodes[id]
		if node := s.W.Node(n.Name); node != nil && s.Run.State == record.Running && s.unselected(id) && node.InPlace().Candidate {
			s.selectNode(id, n)
		}
	}
}

// lookAtUpdates takes note of what becomes of updates that are going on while the run is
// paused: the controller does not wait for us. Nobody is selected, and nothing is ended.
func (s *Step) lookAtUpdates() {
	if !s.Fresh(world.Cluster) {
		return
	}
	for _, id := range s.In(record.Updating) {
		n := s.Run.Nodes[id]
		if node := s.W.Node(n.Name); node != nil {
			s.followUpdate(id, n, node, func(string, string) {})
		}
	}
}

func (s *Step) followUpdate(id string, n record.Node, node *world.Node, fails func(node, why string)) {
	at := node.InPlace()
	switch {
	case node.Updated() && s.settled(selectKey(id)):
		s.updated(id, n, node)
		return
	case !at.Candidate:
		n = s.waitFor(n, s.newWait(gettingHealthy, s.Run.Settings.NodeReadyTimeout, world.Cluster))
	case at.Failed:
		n.Wait = s.healthWait(n)
		s.updateFailed(id, n, cmp.Or(at.Why, text.SaysNotWhy(s.drivenBy())), fails)
		s.giveUpUpdate(id)
		return
	case at.Step == world.GardenerReady || at.Step == world.GardenerDrained:
		n = s.waitFor(n, s.updateWait(id))
	case n.Wait == nil || n.Wait.OfHealth(): // it was tried again, from the start
		n = s.waitFor(n, s.controllerDrainWait(id))
	}
	n = s.reportStuck(id, n)
	late := !drainedByController(n) && s.Over(n.Wait)
	if n.Blocked && !late { // it was tried again
		n.Blocked, n.Reason = false, ""
		s.Report(record.Event{Type: record.NodeUpdating, Node: n.Name, Zone: n.Zone, Message: text.UpdateRetried})
	}
	s.SetNode(id, n)
	if late {
		s.updateFailed(id, n, text.DidNotEnd(n.Wait.For, n.Wait.End.Sub(n.Wait.Start)), fails)
	}
}

// TakeUpCandidates puts the nodes that have become candidates since the run began at the end of
// its order: they are marked one after the other, and anew when the Shoot is changed once more.
func (s *Step) TakeUpCandidates() {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return
	}
	for _, id := range append(s.In(record.Ready), s.In(record.Replaced)...) {
		m, node := s.W.Machine(id), s.W.NodeOf(id)
		if m == nil || m.Leaving() || node == nil || !node.InPlace().Candidate || !s.selected(m) || !s.settled(selectKey(id)) {
			continue
		}
		n := s.Run.Nodes[id]
		n.Stage, n.Since, n.New, n.Old, n.Batch, n.Wait, n.Reason, n.Order = record.Outdated, s.Now, false, node.Version, 0, nil, "", ""
		s.SetNode(id, n)
		s.endOrders(id)
		s.inOrder(id)
		s.changed = true
		s.Report(record.Event{Type: record.NodeOutdated, Node: n.Name, Zone: n.Zone, Reason: "candidate", Message: text.BecameCandidate})
	}
}

// healthWait is the time that a node whose update has failed has to get healthy, nil for any.
func (s *Reader) healthWait(n record.Node) *record.Wait {
	switch {
	case s.Run.Settings.HealthTimeout <= 0:
		return nil
	case n.Wait != nil && n.Wait.OfHealth():
		return n.Wait
	}
	return s.newWait(record.WaitUnhealthy, s.Run.Settings.HealthTimeout, world.Cluster)
}

// giveUpUpdate ends the machine of a node whose update has failed when its time to get
// healthy is up, and has another one come. It has its slot already.
func (s *Step) giveUpUpdate(id string) {
	n := s.Run.Nodes[id]
	if s.Run.State != record.Running || n.Wait == nil || !s.Over(n.Wait) || !s.Fresh(world.Cloud) {
		return
	}
	limit := s.Run.Settings.HealthTimeout
	if while := s.unsettled(id); while != "" {
		s.postpone(id, text.FailedPostponed(limit, while))
		return
	}
	n.Unfit, n.Wait, n.Blocked, n.Reason = text.UpdateFailed, nil, false, ""
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.Warning, Node: n.Name, Zone: n.Zone, Reason: record.ReasonGivenUp, Message: text.FailedGivenUp(limit)})
	s.startDrain(id)
}

// waitFor starts the wait of another step of an update.
func (s *Step) waitFor(n record.Node, w *record.Wait) record.Node {
	if n.Wait == nil || n.Wait.For != w.For {
		n.Wait = w
		s.changed = true
		if w.For == updating && !n.Blocked {
			s.Report(record.Event{Type: record.NodeUpdating, Node: n.Name, Zone: n.Zone, Until: until(n.Wait), Message: text.DrainedUpdating})
		}
	}
	return n
}

// controllerDrainWait and updateWait are waits for the controller.
func (s *Reader) controllerDrainWait(id string) *record.Wait {
	return s.controllerWait(drainBy+s.drivenBy(), s.limitsHere(id).Drain, s.Run.Settings.DrainTimeout)
}

func (s *Reader) updateWait(id string) *record.Wait {
	return s.controllerWait(updating, s.limitsHere(id).Update, s.Run.Settings.UpdateTimeout)
}

// limitsHere are the controller's limits of a machine, none where they are only guessed.
func (s *Reader) limitsHere(id string) selfdriven.Limits {
	if c := s.controller(); c != nil {
		if limits := c.Limits(&s.W.Group, s.W.Machine(id)); !limits.Guess {
			return limits
		}
	}
	return selfdriven.Limits{}
}

// controllerWait is a wait for the controller, by its own limit where that is known: its clock
// runs whether or not we see anything. Else it is ours.
func (s *Reader) controllerWait(what string, its, ours time.Duration) *record.Wait {
	if its > 0 {
		return &record.Wait{For: what, Start: s.Now, End: s.Now.Add(its)}
	}
	return s.newWait(what, ours, world.Cluster)
}

// updated settles a node whose update is over.
func (s *Step) updated(id string, n record.Node, node *world.Node) {
	took := s.Now.Sub(n.Began)
	s.Run.NodeTime = max(s.Run.NodeTime, took)
	n.Stage, n.Since, n.Wait, n.Blocked, n.Reason, n.Began, n.Pods = record.Replaced, s.Now, nil, false, "", time.Time{}, 0
	s.SetNode(id, n)
	s.addPendingHook(id, n)
	s.Report(record.Event{Type: record.NodeReplaced, Node: n.Name, Zone: n.Zone, Reason: record.ReasonInPlace, Message: text.UpdatedInPlace(node.Version, took)})
	s.Soon() // its slot is free
}

// updateFailed notes that the update of a node has failed. It stays out of service.
func (s *Step) updateFailed(id string, n record.Node, why string, fails func(node, why string)) {
	was := s.Run.Nodes[id]
	if n.Blocked = true; !was.Blocked {
		n.Reason = why
	}
	if was.Wait != n.Wait || !was.Blocked {
		s.SetNode(id, n)
		s.changed = true
	}
	if was.Blocked {
		return
	}
	s.Report(record.Event{Type: record.NodeBlocked, Node: n.Name, Zone: n.Zone, Reason: record.ReasonUpdateFailed, Message: text.UpdateFailedWhy(why)})
	if fails != nil {
		fails(n.Name, why)
	}
}

// FailureIn says which update in place has failed in a zone ("" for any) and was not made up
// for, and the way out; "" if none has.
func (s *Reader) FailureIn(zone string) string {
	for _, id := range s.In(record.Updating) {
		if n := s.Run.Nodes[id]; n.Blocked && (zone == "" || n.Zone == zone) {
			return text.RepairOrSkip(s.label(id, n), s.drivenBy())
		}
	}
	return ""
}

// stalled says which failed update takes the slot that the next node needs, while nothing
// else is under way; "" if none does.
func (s *Reader) stalled() string {
	if s.slots() > 0 || !s.idles() {
		return ""
	}
	return s.FailureIn("")
}

// updateGoesOn reports whether an update in place is under way that has not failed.
func (s *Reader) updateGoesOn() bool {
	return slices.ContainsFunc(s.In(record.Updating), func(id string) bool { return !s.Run.Nodes[id].Blocked })
}

// ShutBudget names a pod of a node whose budget lets none go now, and the budget, "" if
// there is none: the controller deletes such pods past their budgets in the end, so that the node
// is not selected before.
func (s *Reader) ShutBudget(node string) string {
	for _, p := range s.W.PodsOn(node) {
		if drain.Judge(s.W, p, s.Consents()).Fate != drain.Leaves {
			continue
		}
		if g := drain.GateOf(s.W, p, func(string) int { return 0 }); !g.Open && len(g.Budgets) > 0 {
			return text.KeptByBudget(p.Ref(), g.Budgets[0].Ref())
		}
	}
	return ""
}

// listUnrestoredUpdates says what becomes of the nodes that were selected when a run ends: who
// selected them cannot take it back.
func (s *Step) listUnrestoredUpdates() {
	for _, id := range s.In(record.Updating) {
		n := s.Run.Nodes[id]
		s.Note(text.SelectedBefore(s.label(id, n), s.drivenBy()))
	}
}

// unselected reports whether a node that is to be updated was not selected after all.
func (s *Reader) unselected(id string) bool {
	n := s.Run.Nodes[id]
	if node := s.W.Node(n.Name); node != nil && (node.InPlace().Selected || node.InPlace().Taken()) {
		return false
	}
	return s.settled(selectKey(id))
}
