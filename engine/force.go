package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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

// orderForce records a force order for a node, or for one pod on it. The record
// is saved before any delete goes out. A pod that an earlier order covers is
// deleted once more, then without a grace period.
func orderForce(s *Step, machine, uid, by, why string) {
	n := s.Run.Nodes.Get(machine)
	o := record.ForceOrder{ID: fmt.Sprintf("force-%d", len(s.Run.Orders)+1), Machine: machine, Node: n.Name, UID: uid, By: by, At: s.Now, Why: why}
	for _, p := range s.W.PodsOn(n.Name) {
		if (uid == "" || uid == p.UID) && s.Judge(p).Fate != drain.Stays {
			o.Pods = append(o.Pods, p.Ref())
			if known, ok := s.Run.Pods.Find(p.UID); ok {
				known.Forced, known.Next = false, s.Now
				setPod(s, p.UID, known)
			}
		}
	}
	s.Run.Orders = append(s.Run.Orders, o)
	if uid == "" {
		n.Order = o.ID
		if n.Wait != nil && !s.DrainedByOthers(n.Name) {
			n.Wait, n.Extended = forcedWait(&s.Reader, n)
		}
		s.SetNode(machine, n)
	}
	s.Report(record.Event{Type: record.Warning, Node: n.Name, Reason: o.ID, Message: text.ForceOrdered(by, why, len(o.Pods))})
}

// forcedWait is the deadline of a drain that is forced now, another drain timeout from now on but no
// sooner than it was, and by how much the drain's time is extended then.
func forcedWait(s *assess.Reader, n record.Node) (*record.Wait, time.Duration) {
	wait := s.NewWait(record.WaitForcedDrain, s.Run.Settings.DrainTimeout, world.Cluster)
	if n.Wait.For != record.WaitDrain && n.Wait.For != record.WaitForcedDrain {
		return wait, n.Extended
	}
	if n.Wait.End.After(wait.End) {
		wait.End = n.Wait.End
	}
	return wait, n.Extended + wait.End.Sub(n.Wait.End)
}

// order returns a force order by id, nil if there is none.
func order(s *assess.Reader, id string) *record.ForceOrder {
	for i := range s.Run.Orders {
		if id != "" && s.Run.Orders[i].ID == id {
			return &s.Run.Orders[i]
		}
	}
	return nil
}

// endOrders ends the force orders for a node: what is to be forced when it drains
// again must be ordered again.
func endOrders(s *Step, machine string) {
	for i, o := range s.Run.Orders {
		if o.Machine == machine {
			s.Run.Orders[i].Over = true
		}
	}
}

// forgetForced drops which pods the orders for a machine that is gone have covered:
// events and journal have told, and the record has a limit.
func forgetForced(s *Step, machine string) {
	for i, o := range s.Run.Orders {
		if o.Machine == machine {
			s.Run.Orders[i].Over, s.Run.Orders[i].Pods = true, nil
		}
	}
}

// carryOutOrders deletes the pods that force orders name: with their own grace
// period first, and without any if they are already terminating.
func carryOutOrders(s *Step) {
	for i := range s.Run.Orders {
		o := s.Run.Orders[i]
		if n := s.Run.Nodes.Get(o.Machine); !assess.IsDraining(n) || !n.Missing.IsZero() || n.Name != o.Node || !isolated(&s.Reader, n) || o.Over {
			continue
		}
		for _, p := range s.W.PodsOn(o.Node) {
			if o.UID != "" && o.UID != p.UID || s.Judge(p).Fate == drain.Stays {
				continue
			}
			known := s.Run.Pods.Get(p.UID)
			if known.Forced || !s.Settled(record.DeleteKey(p.UID)) || !s.Settled(record.EvictKey(p.UID)) {
				continue
			}
			if s.Now.Before(known.Next) {
				s.WakeAt(known.Next)
				continue
			}
			if !slices.Contains(o.Pods, p.Ref()) {
				if p.ToleratesAll && s.CameBack(p) {
					continue // deleting it again would bring it back again
				}
				o.Pods = append(slices.Clip(o.Pods), p.Ref())
				s.Run.Orders[i] = o
			}
			a := record.Action{Kind: record.Delete, Key: record.DeleteKey(p.UID), Machine: o.Machine, Node: o.Node, Namespace: p.Namespace, Pod: p.Name, UID: p.UID, Order: o.ID}
			if p.Terminating() {
				a.Grace = new(int64)
			}
			if !s.ask(a) {
				continue
			}
			s.noteForced(o, p, known)
		}
	}
}

// noteForced notes that the deletion of a pod has been asked for.
func (s *Step) noteForced(o record.ForceOrder, p *world.Pod, known record.Pod) {
	known.Ref, known.Node, known.Owner = p.Ref(), o.Node, p.Owner.UID
	known.Tries++
	known.Last, known.Next = s.Now, s.Now.Add(s.Run.Settings.EvictionRetry)
	if known.First.IsZero() {
		known.First = s.Now
	}
	setPod(s, p.UID, known)
	noteTried(s, o.Machine)
}

// inattentive is the longest stretch between two looks at the cluster after which it is still known how a
// pod went: in a longer one it may have been evicted and be gone.
const inattentive = 3 * Heartbeat

// observePassed tells of pods that the group's own controller has removed past their budgets. A
// pod whose budget allowed nothing when it was last seen, that was never asked to stop with a
// grace period, and that is gone when the controller's time for it is up, was deleted; one that
// leaves before that went in another way. Of one that went while nobody looked it is not known.
func observePassed(s *Step) {
	c := s.Controller()
	if c == nil || !s.Fresh(world.Cluster) {
		return
	}
	if s.W.Health[world.Cluster].Problem != "" {
		s.Run.Watched = time.Time{} // what stops and goes until it is seen again goes unseen
		return
	}
	fresh := s.W.Health[world.Cluster].Fresh
	unwatched := s.Run.Watched.IsZero() || fresh.Sub(s.Run.Watched) > inattentive
	kept := keptPods(&s.Reader, c)
	missed, by := []string{}, ""
	for _, uid := range slices.Sorted(maps.Keys(s.Run.Kept)) {
		was := s.Run.Kept[uid]
		switch _, still := kept[uid]; {
		case still:
		case !s.Settled(record.DeleteKey(uid)): // it may be ours, by a force order
			kept[uid] = was
		case s.Run.Pods.Peek(uid).Forced: // it was
		case inTime(s, uid) || !removedBy(s, c, was):
		case unwatched:
			missed, by = append(missed, was.Ref), was.By
		case was.Inferred && s.W.Node(was.Node) == nil: // it may have gone with its machine
		default:
			reportPassed(s, was)
		}
	}
	if len(missed) > 0 {
		s.noteUnseen(systems.PassedUnwatched(by, missed))
	}
	if len(kept)+len(s.Run.Kept) > 0 && !maps.Equal(kept, s.Run.Kept) {
		s.Run.Kept, s.changed = kept, true
	}
	if s.Run.Watched = fresh; len(kept) == 0 {
		s.Run.Watched = time.Time{}
	}
}

// noteUnseen tells of pods that went unseen. Pods of a StatefulSet keep their names, and may do so again:
// that is told each time, and noted once.
func (s *Step) noteUnseen(note string) {
	if slices.Contains(s.Run.Notes, note) {
		s.Report(record.Event{Type: record.Warning, Reason: "note", Message: note})
	}
	s.Note(note)
}

// keptPods are the pods that budgets keep on nodes which the controller empties, by their UIDs.
func keptPods(s *assess.Reader, c selfdriven.Controller) map[string]record.KeptPod {
	kept := map[string]record.KeptPod{}
	for _, id := range s.In(record.Draining, record.Updating, record.Terminating, record.Settling) {
		n := s.Run.Nodes.Get(id)
		for _, p := range s.W.PodsOn(n.Name) {
			if k, is := keptPod(s, c, id, n, p); is {
				kept[p.UID] = k
			}
		}
	}
	return kept
}

// keptPod is what is known of a pod of a node that is drained, false where no budget keeps it.
func keptPod(s *assess.Reader, c selfdriven.Controller, machine string, n record.Node, p *world.Pod) (k record.KeptPod, is bool) {
	if p.Terminating() || s.Judge(p).Fate != drain.Leaves {
		return k, false
	}
	gate := blockers.GateOf(s, p.UID)
	if gate.Open || len(gate.Budgets) == 0 {
		return k, false
	}
	pass := passing(s, c, machine, n.Name, n.Since, gate)
	return record.KeptPod{Ref: p.Ref(), Machine: machine, Node: n.Name, Budget: gate.Budgets[0].Ref(), At: pass.At, By: pass.By, Inferred: pass.Guess}, true
}

// passing is when the controller removes the pods of a node past what keeps them.
func passing(s *assess.Reader, c selfdriven.Controller, machine, node string, since time.Time, gate drain.Gate) selfdriven.Passing {
	k := selfdriven.Kept{Now: s.Now, World: s.W, Machine: s.W.Machine(machine), Node: s.W.Node(node), Since: since, Several: len(gate.Budgets) > 1, Closed: len(gate.Budgets) == 1}
	if len(gate.Budgets) > 0 {
		k.Budget = gate.Budgets[0]
	}
	return c.Passes(k)
}

// inTime reports whether a pod that no budget keeps is still there with time to stop, or was evicted.
func inTime(s *Step, uid string) bool {
	p := cmp.Or(s.W.Pod(uid), s.W.Stopping(uid))
	return p != nil && (!p.Terminating() || p.Ends.After(s.Now) || p.Evicted)
}

// removedBy reports whether the controller's time for a pod that is gone was up.
func removedBy(s *Step, c selfdriven.Controller, was record.KeptPod) bool {
	at := was.At
	if s.W.Machine(was.Machine) != nil { // it may have been forced since it was last seen
		if now := passing(&s.Reader, c, was.Machine, was.Node, s.Now, drain.Gate{}).At; !now.IsZero() && (at.IsZero() || now.Before(at)) {
			at = now
		}
	}
	return !at.IsZero() && !s.Now.Before(at)
}

// reportPassed reports a pod that the controller has removed past its budget.
func reportPassed(s *Step, was record.KeptPod) {
	order := ""
	for _, o := range s.Run.Orders {
		if o.Machine == was.Machine {
			order = o.ID
		}
	}
	passed := s.Run.Passed
	passed.By = was.By
	if was.Inferred {
		passed.Inferred++
	} else {
		passed.Seen++
	}
	if !slices.Contains(passed.Nodes, was.Node) {
		passed.Nodes = append(slices.Clone(passed.Nodes), was.Node)
	}
	s.Run.Passed, s.changed = passed, true
	s.Report(record.Event{Type: record.PodForced, Node: was.Node, Pod: was.Ref, Budget: was.Budget, By: was.By, Inferred: was.Inferred, Reason: order,
		Message: systems.PassedByController(was.By, was.Budget, was.Inferred)})
}
