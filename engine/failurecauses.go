package engine

import (
	"slices"

	"github.com/drainboard/drainboard/engine/record"
)

// addFailureCauses names what keeps the other nodes that drain when the drain of one ends the
// run: theirs are ended with it, and whoever looks for the cause has to know of all.
func (s *Step) addFailureCauses(failed string) {
	for _, id := range s.In(record.Draining) {
		n := s.Run.Nodes[id]
		if id == failed || n.New {
			continue
		}
		left, asks := leaving(s.W, s.W.PodsOn(n.Name), s.Consents())
		for _, p := range left {
			if !s.stuck(p) && !slices.Contains(asks, p) {
				continue
			}
			b := s.blockerOf(p, n, id)
			s.Run.BlockingPods = append(s.Run.BlockingPods, b.Sentence())
			s.Report(record.Event{Type: record.PodBlocked, Node: n.Name, Pod: p.Ref(), Budget: b.budgetRefs(), Reason: string(b.Kind), Message: b.Sentence()})
		}
	}
}
