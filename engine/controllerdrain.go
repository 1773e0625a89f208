package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Nodes that a controller drains while a run of ours follows it: what the eviction API told it is
// not known, and is worked out from the budgets.

// slowAfter is for how long pods are kept on a node that a controller drains before that is
// told: two tries of machine-controller-manager's.
const slowAfter = 40 * time.Second

// drainBy and the controller's name are what the wait for its drain of a selected node is for.
const drainBy = "drain by "

// drainedByController reports whether a controller drains a node, for a run of ours.
func drainedByController(n record.Node) bool {
	return n.Stage == record.Updating && n.Wait != nil && strings.HasPrefix(n.Wait.For, drainBy)
}

// isDraining reports whether pods are being moved off a node, by us or by others.
func isDraining(n record.Node) bool { return n.Stage == record.Draining || drainedByController(n) }

// someTheirs reports whether a controller drains any node for a run of ours.
func (s *Reader) someTheirs() bool {
	return slices.ContainsFunc(s.In(record.Updating), func(id string) bool { return drainedByController(s.Run.Nodes[id]) })
}

// drainedByOthers reports whether whoever asks the eviction API about the pods of a node is
// not this run.
func (s *Reader) drainedByOthers(node string) bool {
	if s.Run.External != nil {
		return true
	}
	n := s.W.Node(node)
	return n != nil && drainedByController(s.Run.Nodes[n.Machine])
}

// reportStuck reports what keeps pods on a node that a controller drains, once it has for a while,
// and that nothing does any more. It returns the node as it is to be kept.
func (s *Step) reportStuck(id string, n record.Node) record.Node {
	var kept *world.Pod
	if isDraining(n) {
		for _, p := range s.W.PodsOn(n.Name) {
			if s.judge(p).Fate == drain.Leaves && s.stuck(p) {
				kept = p
				break
			}
		}
	}
	switch {
	case kept == nil && n.Stuck.Reported:
		n.Stuck = record.Stuck{}
		s.Report(record.Event{Type: record.NodeDraining, Node: n.Name, Zone: n.Zone, Reason: "unblocked", Message: text.PodsFree})
	case kept == nil:
		n.Stuck = record.Stuck{}
	case n.Stuck.Since.IsZero():
		n.Stuck.Since = s.Now
		s.WakeAt(s.Now.Add(slowAfter))
	case !n.Stuck.Reported && s.Now.Sub(n.Stuck.Since) >= slowAfter:
		n.Stuck.Reported = true
		b := s.blockerOf(kept, n, id)
		s.Report(record.Event{Type: record.NodeBlocked, Node: n.Name, Zone: n.Zone, Pod: b.Pod, Budget: b.budgetRefs(), Reason: string(b.Kind), Until: until(b.Deadline), Message: text.WithWayOut(b.Detail, b.WayOut)})
	}
	return n
}

// pastBudget adds to a pod that a budget holds on a node that a controller drains what becomes
// of it.
func (s *Reader) pastBudget(b *Blocker, n record.Node) {
	c := s.controller()
	if c == nil || len(b.Budgets) == 0 || !isDraining(n) || !s.drainedByOthers(n.Name) {
		return
	}
	out := c.Kept(selfdriven.Kept{
		Now: s.Now, World: s.W, Machine: s.W.Machine(b.Machine), Node: s.W.Node(n.Name), Since: n.Since,
		Budget: s.W.Budget(b.Budgets[0].Ref), Several: b.Kind == BlockedByBudgets, Closed: b.Kind == BlockedByBudget,
	})
	if out.Forces {
		b.AtDeadline = record.TimeoutForce
	}
	b.WayOut += out.Adds
	if w := waitOf(out.Deadline); w != nil {
		w.For = UntilPodForced
		b.Deadline = s.nearest(b.Deadline, w)
	}
}

// UntilPodForced is the countdown of a single pod, beside those of its node.
const UntilPodForced = "pod forced"

// nearest is the wait that ends first of those that have not ended, nil without one.
func (s *Reader) nearest(waits ...*record.Wait) (first *record.Wait) {
	for _, w := range waits {
		if w != nil && s.Now.Before(w.End) && (first == nil || w.End.Before(first.End)) {
			first = w
		}
	}
	return first
}
