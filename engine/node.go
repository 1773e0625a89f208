package engine

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/assess/waves"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// stuckAfterForce is how long a pod that was deleted by force may still be on
// its node before the node goes without it.
const stuckAfterForce = 30 * time.Second

// leastSettle is the least wait between the two looks at an empty node: a
// scheduler that has not heard of the cordon yet may still place a pod.
const leastSettle = time.Second

// startDrain begins to empty a node; a machine without one is ended.
func (s *Step) startDrain(id string) {
	if s.Nodeless() {
		s.startEnd(id)
		return
	}
	if s.Conduct().InPlace(&s.Reader, id) {
		startUpdate(s, id)
		return
	}
	n := s.Run.Nodes.Get(id)
	n.Stage, n.Since, n.Empty, n.LetGo = record.Draining, s.Now, time.Time{}, time.Time{}
	if n.Began.IsZero() {
		n.Began, n.Wave = s.Now, waves.Number(&s.Run)
	}
	n.Routed, n.Routes, n.LookedAt, n.Unrouted = nil, nil, time.Time{}, false
	n.Pods, _ = s.PodsToMove(n.Name)
	n.Wait, n.Extended = drainWait(&s.Reader), 0
	n.Isolated = n.Isolated && !s.Capabilities().CordonsFirst // a user may have removed the cordon that an earlier drain rested on
	if isolatesFirst(&s.Reader) && !n.Isolated && s.W.Node(n.Name) != nil {
		n.Wait = nil // its time begins when it is set apart
	}
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.NodeDraining, Node: s.Label(id, n), Zone: n.Zone, Until: until(s, n.Wait), Batch: n.Batch, Message: text.PodsToMove(n.Pods)})
}

// drainWait is the time that a node has to lose its pods, nil for any.
func drainWait(s *assess.Reader) *record.Wait {
	if s.Run.Settings.OnDrainTimeout == record.TimeoutWait {
		return nil
	}
	return s.NewWait(record.WaitDrain, s.Run.Settings.DrainTimeout, world.Cluster)
}

// until is when a wait is over, for an event; nil where there is none, or it is over.
func until(s *Step, w *record.Wait) *time.Time {
	if w == nil || w.End.Before(s.Now) {
		return nil
	}
	return &w.End
}

// requireValidation notes that the cluster has to prove valid after the end of a machine, or after
// it was taken out of its group.
func requireValidation(s *Step, id string) {
	if n, known := s.Run.Nodes.Find(id); known && s.Capabilities().RequiresValidation && !n.New && !n.Validated && n.PendingValidation.IsZero() {
		n.PendingValidation = s.Now
		s.SetNode(id, n)
	}
}

// validateAgain notes the same where a proof was owed before: it has to follow this end.
func validateAgain(s *Step, id string) {
	if n, known := s.Run.Nodes.Find(id); known && !n.Validated && !n.PendingValidation.IsZero() {
		n.PendingValidation = time.Time{}
		s.SetNode(id, n)
	}
	requireValidation(s, id)
}

// advanceNodes takes every node in work one step on, as far as it can go now.
func (s *Step) advanceNodes() {
	for _, id := range append(s.In(record.Draining, record.Settling, record.Terminating), s.LeftOut()...) {
		if s.Run.State != record.Running && s.Run.State != record.Paused {
			return
		}
		n := s.Run.Nodes.Get(id)
		switch n.Stage {
		case record.Draining:
			s.advanceDrain(id, n)
		case record.Settling:
			s.advanceSettling(id, n)
		case record.Terminating:
			s.advanceTermination(id, n)
		case record.Skipped, record.Replaced, record.NodeFail:
			s.unmarkNode(id)
		case record.Ready, record.Surplus: // what marks it as surplus may stay
			for _, m := range s.Run.Marks[id] {
				if m.Isolates() {
					s.Unmark(m)
				}
			}
		}
	}
}

// advanceDrain cordons a node once no pod has to leave any more and lets it
// settle once a consistent read has shown so. A node that is retired (a surplus
// one), or that the strategy cordons beforehand, stays cordoned meanwhile.
func (s *Step) advanceDrain(id string, n record.Node) {
	pods := s.W.PodsOn(n.Name)
	left, _ := assess.LeavingPods(s.W, pods, s.Consents())
	if lost(s, id, n) || !isolate(s, id, s.Run.Nodes.Get(id)) {
		return
	}
	n = s.Run.Nodes.Get(id)
	cordon, joined := record.CordonOf(id, n.Name), s.W.Node(n.Name) != nil
	if joined && (n.New || marked(&s.Reader, cordon)) && !s.Mark(cordon) {
		return
	}
	if len(left) > 0 && !released(&s.Reader, n, left) {
		s.checkDrainDeadline(id, n, left)
		return
	}
	if joined && !s.Mark(cordon) {
		return
	}
	if !s.looked(id, n) {
		return
	}
	n = s.Run.Nodes.Get(id)
	if n.Empty.IsZero() {
		return // the consistent read knows of pods that the watch has yet to bring
	}
	if joined && !s.Mark(record.LabelOf(id, n.Name, record.ExcludeLabel, "true")) {
		return
	}
	s.Report(record.Event{Type: record.NodeDrained, Node: s.Label(id, n), Zone: n.Zone, Message: text.EmptyAfter(s.Now.Sub(n.Since))})
	n.Stage, n.Since, n.Blocked, n.Empty = record.Settling, s.Now, false, time.Time{}
	settle := max(s.Run.Settings.Settle, leastSettle)
	if !joined {
		settle = 0 // no load balancer and no scheduler knows it
	}
	n.Wait = s.NewWait("settling", settle)
	s.Soon() // a wave may begin with the next nodes, and no wait may be all that is left
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.NodeSettling, Node: s.Label(id, n), Zone: n.Zone, Until: until(s, n.Wait), Message: text.Settling(settle)})
}

// released reports whether the node may go although these pods are still on it: by
// the policy for unreachable nodes, or by a force order if each was deleted by
// force and does not end, or came back.
func released(s *assess.Reader, n record.Node, left []*world.Pod) bool {
	if n.Lost && unreachableLong(s, n.Name) {
		return true
	}
	order := order(s, n.Order)
	if order == nil {
		return false
	}
	for _, p := range left {
		known := s.Run.Pods.Get(p.UID)
		stuck := known.Last.Add(stuckAfterForce)
		if end := p.Ends.Add(stuckAfterForce); p.Terminating() && end.After(stuck) {
			stuck = end
		}
		switch {
		case known.Forced && !s.Now.Before(stuck):
		case known.Forced:
			s.WakeAt(stuck)
			return false
		case p.ToleratesAll && s.CameBack(p) && p.Terminating() && s.Now.Before(stuck): // it has its grace period as well
			s.WakeAt(stuck)
			return false
		case p.ToleratesAll && s.CameBack(p):
		default:
			return false
		}
	}
	return true
}

// looked asks for a consistent read of the node's pods, and takes its answer. It
// reports whether an answer came now; the node's Empty is set if it showed a
// cordoned node without a pod that had to leave.
func (s *Step) looked(id string, n record.Node) bool {
	o, ok := s.looks[id]
	if !ok {
		key := "look/" + id
		if retry, waiting := s.Run.Retries[key]; waiting && s.Now.Before(retry.Next) {
			s.WakeAt(retry.Next)
			return false
		}
		s.ask(record.Action{Kind: record.LookAtPods, Key: key, Machine: id, Node: n.Name})
		return false
	}
	delete(s.looks, id) // an answer is taken once: one that is too old by now is asked for again
	left, _ := assess.LeavingPods(s.W, o.Pods, s.Consents())
	n.Empty = time.Time{}
	if o.Unschedulable && (len(left) == 0 || released(&s.Reader, n, left)) {
		n.Empty = s.Now
		if !o.At.IsZero() && o.At.Before(s.Now) { // a process that slept hears of it late
			n.Empty = o.At
		}
	} else { // the watch lags behind this read: give it a moment
		s.Run.Retries["look/"+id] = record.Retry{Next: s.Now.Add(time.Second)}
		s.WakeAt(s.Now.Add(time.Second))
	}
	s.SetNode(id, n)
	return true
}

// advanceSettling looks once more when the wait is over, and then ends the
// machine; a node that has a pod again drains again.
func (s *Step) advanceSettling(id string, n record.Node) {
	if s.Run.State == record.Paused {
		return
	}
	if s.Fresh(world.Cluster) && (s.drainsAgain(id, n) || heardAgain(s, id, n)) { // a user may restore the cordon before it is looked at
		return
	}
	watchRoutes(s, id)
	if n = s.Run.Nodes.Get(id); !s.Over(n.Wait) || !s.Fresh(world.Cloud) { // whether the size goes down with it depends on the machines
		return
	}
	if !s.looked(id, n) {
		return
	}
	n = s.Run.Nodes.Get(id)
	if n.Empty.IsZero() {
		leaveSettling(s, id, n)
		return
	}
	reportRoutes(s, id, n)
	n.Stage, n.Since = record.Terminating, s.Now
	m := s.W.Machine(id)
	n.Decrement = takesDown(&s.Reader, id, n) && m != nil && !m.Leaving() // a termination by others lowers nothing
	if n.Decrement {
		s.Run.Lowered++
	}
	n.Wait = s.NewWait("terminating", s.Run.Settings.TerminateTimeout+assess.HoldTime(s.W, false), world.Cloud)
	s.SetNode(id, n)
	s.terminate(id, n)
}

// advanceTermination asks the group to end the machine and waits for it to go.
func (s *Step) advanceTermination(id string, n record.Node) {
	asked := terminationAsked(&s.Reader, id)
	if m := s.W.Machine(id); m != nil && m.Leaving() {
		requireValidation(s, id) // also where others ended it
		n = s.Run.Nodes.Get(id)
	}
	if s.Run.State == record.Paused && !asked || s.drainsAgain(id, n) {
		return
	}
	s.terminate(id, n)
	if s.Over(n.Wait) && s.Run.State == record.Running {
		s.Fail(record.Failed, text.NotEnded(id, n.Wait.End.Sub(n.Wait.Start), s.HeldBy(s.W.Machine(id))))
	}
}

// noteUncordoned notes that nodes which were seen empty are uncordoned, so that it does not count: others
// may have cordoned them again before the run is resumed, has read the cloud, or can write its record.
func noteUncordoned(s *Step) {
	if s.Nodeless() {
		return
	}
	for _, id := range s.In(record.Settling, record.Terminating) {
		n := s.Run.Nodes.Get(id)
		if n.Ends || void(n) || !isOpen(&s.Reader, id, n) {
			continue
		}
		s.voids = true
		if n.Empty, s.changed = (time.Time{}), true; n.Stage == record.Settling {
			n.Wait = nil
		}
		s.SetNode(id, n)
	}
}

// void reports whether what was seen of a node that is about to be ended does not count any more.
func void(n record.Node) bool {
	return n.Stage == record.Settling && n.Wait == nil || n.Stage == record.Terminating && n.Empty.IsZero()
}

// isOpen reports whether a node is not cordoned, and is not about to be by the run.
func isOpen(s *assess.Reader, id string, n record.Node) bool {
	node := s.W.NodeOf(id)
	return node != nil && !node.Unschedulable && s.Settled(record.CordonOf(id, n.Name).Key)
}

// drainsAgain returns a node to its drain that has joined, or was uncordoned, since it was seen
// empty, as long as its machine was not asked to end. One that is uncordoned while such a request
// is open returns if the request is refused, also where others have cordoned it since.
func (s *Step) drainsAgain(id string, n record.Node) bool {
	if s.W.NodeOf(id) == nil || s.Nodeless() {
		return false
	}
	if terminationAsked(&s.Reader, id) || !void(n) && !isOpen(&s.Reader, id, n) {
		return false
	}
	s.backToDrain(id, n)
	return true
}

// heardAgain returns a node to its drain that was to go with its pods, as nobody heard from it, and that has been heard from
// since: it was not seen empty.
func heardAgain(s *Step, id string, n record.Node) bool {
	if !n.Lost || s.W.Node(n.Name) == nil || assess.Silent(s.W, n.Name) {
		return false
	}
	n.Lost = false
	s.SetNode(id, n)
	leaveSettling(s, id, n)
	return true
}

// leaveSettling drains a node again that is no longer empty and cordoned, and says so.
func leaveSettling(s *Step, id string, n record.Node) {
	s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Message: text.DrainsAgain})
	s.backToDrain(id, n)
}

// backToDrain drains a node again whose machine was about to be ended.
func (s *Step) backToDrain(id string, n record.Node) {
	if n.Decrement {
		n.Decrement = false
		s.SetNode(id, n)
		s.Run.Lowered--
	}
	s.voids = true
	s.startDrain(id)
	s.Soon() // it is cordoned again
}

// vanished notes that the group had no such machine when it was asked to end it:
// another user has taken it out, and its end took nothing of the size down.
func (s *Step) vanished(a record.Action) {
	if a.Kind == record.Terminate {
		s.tookNothing(a.Machine)
	}
}

// tookNothing notes that the group's size was not lowered with a machine: others have ended
// it, or taken it out of the group.
func (s *Step) tookNothing(id string) {
	if n := s.Run.Nodes.Get(id); n.Decrement {
		s.Run.Lowered--
		n.Decrement, s.changed = false, true
		s.SetNode(id, n)
	}
}

// keepsSize ends an outdated machine without taking the group's size down; a new one that was
// to go stays.
func (s *Step) keepsSize(id string, n record.Node) {
	if n.New {
		s.putBack(id, n)
	} else {
		s.tookNothing(id)
	}
	s.Soon()
}

// lookValid is how old the consistent read may be that a termination rests on.
const lookValid = 30 * time.Second

// terminate asks the group to end a machine whose node was seen empty just now;
// otherwise it looks again first.
func (s *Step) terminate(id string, n record.Node) {
	if !terminationAsked(&s.Reader, id) && !s.Nodeless() && s.Now.Sub(n.Empty) > validFor(&s.Reader, n) {
		if retry, refused := s.Run.Retries["terminate/"+id]; refused && s.Now.Before(retry.Next) {
			s.WakeAt(retry.Next)
			return
		}
		if !s.Fresh(world.Cloud) || !s.looked(id, n) {
			return
		}
		if n = s.Run.Nodes.Get(id); n.Empty.IsZero() {
			s.backToDrain(id, n)
			return
		}
	}
	if n.Decrement && !terminationAsked(&s.Reader, id) && s.Run.Holds() && (s.Run.Expected() < s.Goal() || atMinimum(&s.Reader, id)) { // the minimum was raised
		s.keepsSize(id, n)
		return
	}
	s.Ensure(record.Action{Kind: record.Terminate, Key: "terminate/" + id, Machine: id, Node: n.Name, Decrement: n.Decrement, Direct: s.Capabilities().Direct, Group: s.Run.Group})
}

// validFor is how old the look may be that a machine's end rests on: less where the watch shows a pod that
// has to stop first.
func validFor(s *assess.Reader, n record.Node) time.Duration {
	if s.Fresh(world.Cluster) {
		if left, _ := assess.LeavingPods(s.W, s.W.PodsOn(n.Name), s.Consents()); len(left) > 0 && !released(s, n, left) {
			return leastSettle
		}
	}
	return lookValid
}

// atMinimum reports whether the end of a machine was refused because the group has no more than its
// minimum: others have lowered it since the machine was to go. While other machines end, the sizes may
// yet change.
func atMinimum(s *assess.Reader, id string) bool {
	r, refused := s.Refused("terminate/" + id)
	return refused && r.Refusal == record.RefusedConflict && s.Fresh(world.Cloud) && s.W.Group.Sizes.Desired <= s.W.Group.Sizes.Min &&
		!slices.ContainsFunc(s.In(record.Terminating), func(other string) bool { return terminationAsked(s, other) })
}

// terminationAsked reports whether the group may have been asked to end a machine.
func terminationAsked(s *assess.Reader, id string) bool {
	m := s.W.Machine(id)
	_, pending := s.Run.Pending["terminate/"+id]
	return pending || m == nil || m.Leaving()
}

// checkDrainDeadline acts when a node's time is up: fail, skip, or force. A
// deadline never falls before one full attempt after a time without sight.
func (s *Step) checkDrainDeadline(id string, n record.Node, left []*world.Pod) {
	if s.Run.State != record.Running || n.Wait == nil || !s.Over(n.Wait) {
		return
	}
	untried := func(p *world.Pod) bool {
		if n.Order != "" && (s.Run.Pods.Peek(p.UID).Forced || p.ToleratesAll && s.CameBack(p)) {
			return false // deleted by force already, and not deleted again
		}
		return !p.Terminating() && s.Judge(p).Fate == drain.Leaves
	}
	if !s.Run.Gap.IsZero() && !n.Tried.After(s.Run.Gap) && slices.ContainsFunc(left, untried) {
		return
	}
	switch assess.AtDeadline(&s.Run, n) {
	case record.TimeoutForce:
		why := text.ForcedByFlag
		if forcesByItself(&s.Reader) {
			why = text.ForcedByStrategy
		}
		if s.Run.Settings.PassDrain {
			why = text.ForcedToGoOn
		}
		orderForce(s, id, "", cmp.Or(s.Run.Settings.ForcedBy, s.Run.By), why)
		s.Soon() // what its strategy does before it forces
		return
	case record.TimeoutSkip:
		s.skip(id, text.DrainTookTooLong(s.Run.Settings.DrainTime(n)))
		return
	}
	for _, p := range left {
		b := blockers.Of(&s.Reader, p, n, id)
		n.BlockingPods = append(n.BlockingPods, b.Sentence())
		s.Report(record.Event{Type: record.PodBlocked, Node: n.Name, Pod: p.Ref(), Budget: b.BudgetRefs(), Reason: string(b.Kind), Message: b.Sentence()})
	}
	s.SetNode(id, n)
	s.Run.BlockingPods = append(s.Run.BlockingPods, n.BlockingPods...)
	s.failNode(id, record.EvictionFail, text.PodsStayed(len(left), s.Run.Settings.DrainTime(n)), text.DrainFailed(n.Name, s.Run.Settings.DrainTime(n), refs(left)))
}

// forcesByItself reports whether it is the strategy that forces drains whose time is up:
// nobody has asked for it in particular.
func forcesByItself(s *assess.Reader) bool {
	return s.Rules.Defaults().OnDrainTimeout == record.TimeoutForce && !strings.HasPrefix(s.Run.Settings.Origin["on-drain-timeout"], "flag")
}

// failNode gives a node up; its marks come off. The run continues without it, unless
// more nodes have failed than it may lose.
func (s *Step) failNode(id string, result record.Result, reason, why string) {
	n := s.Run.Nodes.Get(id)
	n.Stage, n.Since, n.Reason, n.Result, n.Wait, n.Blocked = record.NodeFail, s.Now, reason, result, nil, false
	offBalancers(s, id, &n)
	s.SetNode(id, n)
	s.Report(record.Event{Type: record.NodeFailed, Node: s.Label(id, n), Zone: n.Zone, Reason: string(result), Message: reason})
	if s.Count(record.NodeFail) > s.Run.Settings.MaxFailedNodes {
		addFailureCauses(s, id)
		s.Fail(worst(&s.Reader), why)
		return
	}
	s.Soon() // its slot is free
	s.Report(record.Event{Type: record.Warning, Node: s.Label(id, n), Zone: n.Zone, Reason: string(result), Message: text.MayFail(why, s.Run.Settings.MaxFailedNodes)})
}

// worst is what the nodes that have failed make of the run.
func worst(s *assess.Reader) record.Result {
	for _, id := range s.In(record.NodeFail) {
		if s.Run.Nodes.Peek(id).Result == record.EvictionFail {
			return record.EvictionFail
		}
	}
	return record.Failed
}

// skip leaves a node as it was before we touched it and continues without it.
func (s *Step) skip(id, why string) {
	n := s.Run.Nodes.Get(id)
	n.Stage, n.Since, n.Wait, n.Blocked, n.Reason = record.Skipped, s.Now, nil, false, why
	offBalancers(s, id, &n)
	s.SetNode(id, n)
	s.Soon() // its slot is free
	s.Report(record.Event{Type: record.NodeSkipped, Node: s.Label(id, n), Zone: n.Zone, Reason: why, Message: text.Skipped(why)})
}

func refs(pods []*world.Pod) []string {
	out := make([]string, len(pods))
	for i, p := range pods {
		out[i] = p.Ref()
	}
	return out
}
