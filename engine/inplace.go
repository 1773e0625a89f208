package engine

import (
	"cmp"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Updates in place by the group's own controller (machine-controller-manager): we select a node
// with a label, the controller drains it, the node agent updates it. It counts as out of
// service until it is healthy again.

// Waits of a node that is updated in place.
const (
	updating       = "update" // after the drain by the controller (DrainBy)
	gettingHealthy = "getting healthy"
)

func selectKey(machine string) string { return record.LabelOf(machine, "", world.SelectLabel, "").Key }

// startUpdate selects a node for its update in place.
func startUpdate(s *Step, id string) {
	n := s.Run.Nodes.Get(id)
	n.Stage, n.Since, n.LetGo, n.Began, n.Blocked, n.Reason = record.Updating, s.Now, time.Time{}, s.Now, false, ""
	n.Pods, _ = s.PodsToMove(n.Name)
	n.Wait = controllerDrainWait(&s.Reader, id)
	s.SetNode(id, n)
	selectNode(s, id, n)
	s.Report(record.Event{Type: record.NodeUpdating, Node: n.Name, Zone: n.Zone, Until: until(s, n.Wait), Batch: n.Batch, Message: systems.SelectedForUpdate(n.Pods, s.DrivenBy())})
}

func selectNode(s *Step, id string, n record.Node) {
	s.Ensure(record.LabelOf(id, n.Name, world.SelectLabel, "true"))
}

// FollowUpdates takes the nodes on that are updated in place, by what their labels and
// conditions tell. fails is called with each whose update has just failed, and why; it may
// pause the run.
func (s *Step) FollowUpdates(fails func(node, why string)) {
	if !s.Fresh(world.Cluster) {
		return
	}
	settleUpdated(s)
	for _, id := range s.In(record.Updating) {
		n := s.Run.Nodes.Get(id)
		if node := s.W.Node(n.Name); node != nil && s.Run.State == record.Running {
			followUpdate(s, id, n, node, fails)
		}
	}
	for _, id := range s.In(record.Updating) { // none if the run was paused
		n := s.Run.Nodes.Get(id)
		if node := s.W.Node(n.Name); node != nil && s.Run.State == record.Running && unselected(&s.Reader, id) && node.InPlace().Candidate {
			selectNode(s, id, n)
		}
	}
}

// lookAtUpdates takes note of what becomes of updates that are in progress while the run is
// paused: the controller does not wait for us. Nobody is selected, and nothing is ended.
func lookAtUpdates(s *Step) {
	if !s.Fresh(world.Cluster) {
		return
	}
	settleUpdated(s)
	for _, id := range s.In(record.Updating) {
		n := s.Run.Nodes.Get(id)
		if node := s.W.Node(n.Name); node != nil {
			followUpdate(s, id, n, node, func(string, string) {})
		}
	}
}

// settleUpdated settles the nodes that wait for their turn and were updated meanwhile: they had been
// selected before they were skipped and returned, or were selected by another user.
func settleUpdated(s *Step) {
	for _, id := range s.In(record.Outdated, record.Queued) {
		m, node := s.W.Machine(id), s.W.NodeOf(id)
		if m == nil || m.Leaving() || node == nil || !s.UpToDate(m) || !node.Updated() || !s.Settled(selectKey(id)) {
			continue
		}
		n := s.Run.Nodes.Get(id)
		n.Stage, n.Since, n.Wait, n.Reason = record.Replaced, s.Now, nil, ""
		s.SetNode(id, n)
		s.changed = true
		s.Report(record.Event{Type: record.NodeReplaced, Node: n.Name, Zone: n.Zone, Reason: record.ReasonInPlace, Message: systems.UpdatedBeforeItsTurn(node.Version)})
	}
}

func followUpdate(s *Step, id string, n record.Node, node *world.Node, fails func(node, why string)) {
	at := node.InPlace()
	switch {
	case node.Updated() && s.Settled(selectKey(id)):
		updated(s, id, n, node)
		return
	case !at.Candidate:
		n = waitFor(s, n, s.NewWait(gettingHealthy, s.Run.Settings.NodeReadyTimeout, world.Cluster))
	case at.Failed:
		n.Wait = healthWait(&s.Reader, n)
		updateFailed(s, id, n, cmp.Or(at.Why, systems.SaysNotWhy(s.DrivenBy())), fails)
		giveUpUpdate(s, id)
		return
	case at.Step == world.GardenerReady || at.Step == world.GardenerDrained:
		n = waitFor(s, n, updateWait(&s.Reader, id))
	case n.Wait == nil || n.Wait.OfHealth(): // it was tried again, from the start
		n = waitFor(s, n, controllerDrainWait(&s.Reader, id))
	}
	n = reportStuck(s, id, n)
	late := !assess.DrainedByController(n) && s.Over(n.Wait)
	if n.Blocked && !late { // it was tried again
		n.Blocked, n.Reason = false, ""
		s.Report(record.Event{Type: record.NodeUpdating, Node: n.Name, Zone: n.Zone, Message: systems.UpdateRetried})
	}
	s.SetNode(id, n)
	if late {
		updateFailed(s, id, n, systems.DidNotEnd(n.Wait.For, n.Wait.End.Sub(n.Wait.Start)), fails)
	}
}

// TakeUpCandidates puts the nodes that have become candidates since the run began at the end of
// its order: they are marked one after the other, and again when the Shoot is changed once more.
func (s *Step) TakeUpCandidates() {
	if !s.Fresh(world.Cluster) || !s.Fresh(world.Cloud) {
		return
	}
	for _, id := range append(s.In(record.Ready), s.In(record.Replaced)...) {
		m, node := s.W.Machine(id), s.W.NodeOf(id)
		if m == nil || m.Leaving() || node == nil || !node.InPlace().Candidate || !selected(&s.Reader, m) || !s.Settled(selectKey(id)) {
			continue
		}
		n := s.Run.Nodes.Get(id)
		n.Stage, n.Since, n.New, n.Old, n.Batch, n.Wait, n.Reason, n.Order = record.Outdated, s.Now, false, node.Version, 0, nil, "", ""
		s.SetNode(id, n)
		endOrders(s, id)
		observer{s}.inOrder(id)
		s.changed = true
		s.Report(record.Event{Type: record.NodeOutdated, Node: n.Name, Zone: n.Zone, Reason: "candidate", Message: systems.BecameCandidate})
	}
}

// healthWait is the time that a node whose update has failed has to get healthy, nil for any.
func healthWait(s *assess.Reader, n record.Node) *record.Wait {
	switch {
	case s.Run.Settings.HealthTimeout <= 0:
		return nil
	case n.Wait != nil && n.Wait.OfHealth():
		return n.Wait
	}
	return s.NewWait(record.WaitUnhealthy, s.Run.Settings.HealthTimeout, world.Cluster)
}

// giveUpUpdate ends the machine of a node whose update has failed when its time to get
// healthy is up, and has another one come. It has its slot already.
func giveUpUpdate(s *Step, id string) {
	n := s.Run.Nodes.Get(id)
	if s.Run.State != record.Running || n.Wait == nil || !s.Over(n.Wait) || !s.Fresh(world.Cloud) {
		return
	}
	limit := s.Run.Settings.HealthTimeout
	if while := unsettled(&s.Reader, id); while != "" {
		s.postpone(id, systems.FailedPostponed(limit, while))
		return
	}
	n.Unfit, n.Wait, n.Blocked, n.Reason = systems.UpdateFailed, nil, false, ""
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.Warning, Node: n.Name, Zone: n.Zone, Reason: record.ReasonGivenUp, Message: systems.FailedGivenUp(limit)})
	s.startDrain(id)
}

// waitFor starts the wait of another step of an update.
func waitFor(s *Step, n record.Node, w *record.Wait) record.Node {
	if n.Wait == nil || n.Wait.For != w.For {
		n.Wait = w
		s.changed = true
		if w.For == updating && !n.Blocked {
			s.Report(record.Event{Type: record.NodeUpdating, Node: n.Name, Zone: n.Zone, Until: until(s, n.Wait), Message: systems.DrainedUpdating})
		}
	}
	return n
}

// controllerDrainWait and updateWait are waits for the controller.
func controllerDrainWait(s *assess.Reader, id string) *record.Wait {
	return controllerWait(s, assess.DrainBy+s.DrivenBy(), limitsHere(s, id).Drain, s.Run.Settings.DrainTimeout)
}

func updateWait(s *assess.Reader, id string) *record.Wait {
	return controllerWait(s, updating, limitsHere(s, id).Update, s.Run.Settings.UpdateTimeout)
}

// limitsHere are the controller's limits of a machine, none where they are only guessed.
func limitsHere(s *assess.Reader, id string) selfdriven.Limits {
	if c := s.Controller(); c != nil {
		if limits := c.Limits(&s.W.Group, s.W.Machine(id)); !limits.Guess {
			return limits
		}
	}
	return selfdriven.Limits{}
}

// controllerWait is a wait for the controller, by its own limit where that is known: its clock
// runs whether or not we see anything. Else it is ours.
func controllerWait(s *assess.Reader, what string, its, ours time.Duration) *record.Wait {
	if its > 0 {
		return &record.Wait{For: what, Start: s.Now, End: s.Now.Add(its)}
	}
	return s.NewWait(what, ours, world.Cluster)
}

// updated settles a node whose update is over.
func updated(s *Step, id string, n record.Node, node *world.Node) {
	took := s.Now.Sub(n.Began)
	s.Run.NodeTime = max(s.Run.NodeTime, took)
	n.Stage, n.Since, n.Wait, n.Blocked, n.Reason, n.Began, n.Pods = record.Replaced, s.Now, nil, false, "", time.Time{}, 0
	s.SetNode(id, n)
	addPendingHook(s, id, n)
	s.Report(record.Event{Type: record.NodeReplaced, Node: n.Name, Zone: n.Zone, Reason: record.ReasonInPlace, Message: systems.UpdatedInPlace(node.Version, took)})
	s.Soon() // its slot is free
}

// updateFailed notes that the update of a node has failed. It stays out of service.
func updateFailed(s *Step, id string, n record.Node, why string, fails func(node, why string)) {
	was := s.Run.Nodes.Get(id)
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
	s.Report(record.Event{Type: record.NodeBlocked, Node: n.Name, Zone: n.Zone, Reason: record.ReasonUpdateFailed, Message: systems.UpdateFailedWhy(why)})
	if fails != nil {
		fails(n.Name, why)
	}
}

// listUnrestoredUpdates says what becomes of the nodes that were selected when a run ends: who
// selected them cannot take it back.
func listUnrestoredUpdates(s *Step) {
	for _, id := range s.In(record.Updating) {
		n := s.Run.Nodes.Get(id)
		s.Note(systems.SelectedBefore(s.Label(id, n), s.DrivenBy()))
	}
}

// unselected reports whether a node that is to be updated was not selected after all.
func unselected(s *assess.Reader, id string) bool {
	n := s.Run.Nodes.Get(id)
	if node := s.W.Node(n.Name); node != nil && (node.InPlace().Selected || node.InPlace().Taken()) {
		return false
	}
	return s.Settled(selectKey(id))
}

// Nodes that a controller drains while a run of ours follows it: what the eviction API told it is
// not known, and is worked out from the budgets.

// slowAfter is for how long pods are kept on a node that a controller drains before that is
// told: two tries of machine-controller-manager's.
const slowAfter = 40 * time.Second

// tellAfter is slowAfter, or the time of the group's own controller; half of its drain timeout where that
// is short, since it deletes the pods then.
func tellAfter(s *assess.Reader, machine string) time.Duration {
	c := s.Controller()
	if c == nil {
		return slowAfter
	}
	l := c.Limits(&s.W.Group, s.W.Machine(machine))
	after := cmp.Or(l.Slow, slowAfter)
	if l.Drain > 0 && !l.Guess {
		after = min(after, l.Drain/2)
	}
	return after
}

// reportStuck reports what keeps pods on a node that a controller drains, once it has for a while,
// and that nothing does any more. It returns the node as it is to be kept.
func reportStuck(s *Step, id string, n record.Node) record.Node {
	var kept *world.Pod
	if assess.IsDraining(n) {
		for _, p := range s.W.PodsOn(n.Name) {
			if s.Judge(p).Fate == drain.Leaves && blockers.Stuck(&s.Reader, p) {
				kept = p
				break
			}
		}
	}
	switch {
	case kept == nil && n.Stuck.Reported && n.Stage != record.Outdated: // else nobody drains it any more
		n.Stuck = record.Stuck{}
		s.Report(record.Event{Type: record.NodeDraining, Node: n.Name, Zone: n.Zone, Reason: "unblocked", Message: text.PodsFree})
	case kept == nil:
		n.Stuck = record.Stuck{}
	case n.Stuck.Since.IsZero():
		n.Stuck.Since = s.Now
		s.WakeAt(s.Now.Add(tellAfter(&s.Reader, id)))
	case !n.Stuck.Reported && s.Now.Sub(n.Stuck.Since) >= tellAfter(&s.Reader, id):
		n.Stuck.Reported = true
		b := blockers.Of(&s.Reader, kept, n, id)
		s.Report(record.Event{Type: record.NodeBlocked, Node: n.Name, Zone: n.Zone, Pod: b.Pod, Budget: b.BudgetRefs(), Reason: string(b.Kind), Until: until(s, b.Deadline), Message: text.WithWayOut(b.Detail, b.WayOut)})
	}
	return n
}
