package engine

import (
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// helpAlong evicts the pods of nodes that the group's own controller has picked, in the moment in which their
// PDB opens, where a user has consented to it: the controller tries again only after a while. A pod whose PDB was
// not seen shut is left to the controller, and so is every pod of a node that it may not be at.
func helpAlong(s *Step) {
	if !s.Run.HelpsAlong() || !s.Fresh(world.Cluster) {
		return
	}
	inFlight, perBudget, asked := evictionsInFlight(&s.Reader)
	count := func(ref string) int { return perBudget[ref] }
	forgetGone(s)
	for _, c := range helped(s, count) {
		if inFlight >= s.Run.Settings.EvictionsAtOnce {
			return
		}
		c.gate = drain.GateOf(s.W, c.pod, count) // earlier ones in this loop count
		switch {
		case !c.gate.Open:
			noteHeld(s, c)
		case c.known.Ref == "" || anyOf(c.gate, asked): // it was not held, or another one of its PDB goes first
		case !c.known.Closed && !due(&s.Reader, c):
		case sendEviction(s, c):
			inFlight++
			for _, b := range c.gate.Budgets {
				perBudget[b.Ref()]++
				asked[b.Ref()]++
			}
		}
	}
}

// helped lists the pods that have to leave the nodes that the controller has picked.
func helped(s *Step, inFlight func(string) int) (list []*candidate) {
	for _, id := range s.In(record.Draining) {
		n := s.Run.Nodes[id]
		if n.Name == "" || n.Order != "" || !n.Missing.IsZero() {
			continue
		}
		for _, p := range s.W.PodsOn(n.Name) {
			known := s.Run.Pods[p.UID]
			if p.Terminating() || s.Judge(p).Fate != drain.Leaves || known.Forced || !s.Settled(record.EvictKey(p.UID)) || !s.Settled(record.DeleteKey(p.UID)) {
				continue
			}
			list = append(list, &candidate{id, n, p, known, drain.GateOf(s.W, p, inFlight), assess.Chance(s.Run.Seed, p.UID)})
		}
	}
	return list
}

// noteHeld remembers that a pod's PDB was seen shut.
func noteHeld(s *Step, c *candidate) {
	if c.known.Closed {
		return
	}
	c.known.Ref, c.known.Node, c.known.Owner, c.known.Closed = c.pod.Ref(), c.node.Name, c.pod.Owner.UID, true
	s.Run.Pods[c.pod.UID] = c.known
	s.changed = true
}

// forgetGone drops held pods that are gone without an eviction of ours.
func forgetGone(s *Step) {
	for uid, p := range s.Run.Pods {
		if s.W.Pod(uid) == nil && p.Evicted.IsZero() && !p.Forced && s.Settled(record.EvictKey(uid)) && s.Settled(record.DeleteKey(uid)) {
			delete(s.Run.Pods, uid)
			s.changed = true
		}
	}
}

// evictedMessage is what is told of an eviction.
func evictedMessage(s *assess.Reader) string {
	if s.Run.HelpsAlong() {
		return systems.EvictedToHelp(s.DrivenBy())
	}
	return "evicted"
}
