package engine

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// Nodes that Gardener drains while a run of ours follows it: what the eviction API told it is
// not known, and is worked out from the budgets.

// slowAfter is for how long pods are kept on a node that Gardener drains before that is told:
// two of its tries.
const slowAfter = 40 * time.Second

// drainedByController reports whether Gardener drains a node, for a run of ours.
func drainedByController(n Node) bool {
	return n.Stage == Updating && n.Wait != nil && n.Wait.For == drainByGardener
}

// isDraining reports whether pods are being moved off a node, by us or by others.
func isDraining(n Node) bool { return n.Stage == Draining || drainedByController(n) }

// someTheirs reports whether Gardener drains any node for a run of ours.
func (s *Reader) someTheirs() bool {
	return slices.ContainsFunc(s.In(Updating), func(id string) bool { return drainedByController(s.Run.Nodes[id]) })
}

// drainedByOthers reports whether whoever asks the eviction API about the pods of a node is
// somebody else.
func (s *Reader) drainedByOthers(node string) bool {
	if s.Run.External != nil {
		return true
	}
	n := s.W.Node(node)
	return n != nil && drainedByController(s.Run.Nodes[n.Machine])
}

// reportStuck reports what keeps pods on a node that Gardener drains, once it has for a while,
// and that nothing does any more. It returns the node as it is to be kept.
func (s *Step) reportStuck(id string, n Node) Node {
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
		n.Stuck = Stuck{}
		s.Report(Event{Type: NodeDraining, Node: n.Name, Zone: n.Zone, Reason: "unblocked", Message: "nothing keeps its pods any more"})
	case kept == nil:
		n.Stuck = Stuck{}
	case n.Stuck.Since.IsZero():
		n.Stuck.Since = s.Now
		s.WakeAt(s.Now.Add(slowAfter))
	case !n.Stuck.Reported && s.Now.Sub(n.Stuck.Since) >= slowAfter:
		n.Stuck.Reported = true
		b := s.blockerOf(kept, n, id)
		s.Report(Event{Type: NodeBlocked, Node: n.Name, Zone: n.Zone, Pod: b.Pod, Budget: b.budgetRefs(), Reason: string(b.Kind), Until: until(b.Deadline), Message: b.Detail + "; way out: " + b.WayOut})
	}
	return n
}
