package engine

import (
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// orderForce records a force order for a node, or for one pod on it. The record
// is saved before any delete goes out. A pod that an earlier order covers is
// deleted once more, then without a grace period.
func orderForce(s *Step, machine, uid, by, why string) {
	n := s.Run.Nodes[machine]
	o := record.ForceOrder{ID: fmt.Sprintf("force-%d", len(s.Run.Orders)+1), Machine: machine, Node: n.Name, UID: uid, By: by, At: s.Now, Why: why}
	for _, p := range s.W.PodsOn(n.Name) {
		if (uid == "" || uid == p.UID) && s.Judge(p).Fate != drain.Stays {
			o.Pods = append(o.Pods, p.Ref())
			if known, ok := s.Run.Pods[p.UID]; ok {
				known.Forced, known.Next = false, s.Now
				s.Run.Pods[p.UID] = known
			}
		}
	}
	s.Run.Orders = append(s.Run.Orders, o)
	if uid == "" {
		n.Order = o.ID
		if n.Wait != nil && !s.DrainedByOthers(n.Name) {
			n.Wait = s.NewWait(record.WaitForcedDrain, s.Run.Settings.DrainTimeout, world.Cluster)
		}
		s.SetNode(machine, n)
	}
	s.Report(record.Event{Type: record.Warning, Node: n.Name, Reason: o.ID, Message: text.ForceOrdered(by, why, len(o.Pods))})
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
		if n := s.Run.Nodes[o.Machine]; !assess.IsDraining(n) || !n.Missing.IsZero() || n.Name != o.Node || !isolated(&s.Reader, n) || o.Over {
			continue
		}
		for _, p := range s.W.PodsOn(o.Node) {
			if o.UID != "" && o.UID != p.UID || s.Judge(p).Fate == drain.Stays {
				continue
			}
			known := s.Run.Pods[p.UID]
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
	s.Run.Pods[p.UID] = known
	n := s.Run.Nodes[o.Machine]
	n.Tried = s.Now
	s.SetNode(o.Machine, n)
}
