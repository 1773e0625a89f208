package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// observePassed tells of pods that the group's own controller has removed past their budgets. A
// pod whose budget allowed nothing when it was last seen, that was never asked to stop with a
// grace period, and that is gone when the controller's time for it is up, was deleted; one that
// leaves before that went in another way.
func observePassed(s *Step) {
	c := s.Controller()
	if c == nil || !s.Fresh(world.Cluster) {
		return
	}
	kept := map[string]record.KeptPod{}
	for _, id := range s.In(record.Draining, record.Updating, record.Terminating, record.Settling) {
		n := s.Run.Nodes[id]
		for _, p := range s.W.PodsOn(n.Name) {
			if k, is := keptPod(&s.Reader, c, id, n, p); is {
				kept[p.UID] = k
			}
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(s.Run.Kept)) {
		was := s.Run.Kept[uid]
		p := s.W.Pod(uid)
		switch _, still := kept[uid]; {
		case still:
		case !s.Settled(record.DeleteKey(uid)): // it may be ours, by a force order
			kept[uid] = was
		case s.Run.Pods[uid].Forced: // it was
		case p == nil || p.Terminating() && !p.Ends.After(s.Now) && !p.Evicted:
			reportPassed(s, c, was)
		}
	}
	if len(kept)+len(s.Run.Kept) > 0 && !maps.Equal(kept, s.Run.Kept) {
		s.Run.Kept, s.changed = kept, true
	}
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

// reportPassed reports a pod that is gone, if the controller has removed it.
func reportPassed(s *Step, c selfdriven.Controller, was record.KeptPod) {
	at := was.At
	if s.W.Machine(was.Machine) != nil { // it may have been forced since it was last seen
		if now := passing(&s.Reader, c, was.Machine, was.Node, s.Now, drain.Gate{}).At; !now.IsZero() && (at.IsZero() || now.Before(at)) {
			at = now
		}
	}
	if at.IsZero() || s.Now.Before(at) {
		return
	}
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
		Message: text.PassedByController(was.By, was.Budget, was.Inferred)})
}
