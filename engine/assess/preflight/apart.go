package preflight

import (
	"cmp"
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/world"
)

// lookAhead is how many of the nodes that come next are compared for a place in a wave.
const lookAhead = 64

// apart puts machines that are in order into waves of 1, 2, 4, ... up to the run's limit whose nodes share
// as few PDBs as possible: what a PDB lets go at once is used by one node of a wave, and the nodes of a wave
// drain side by side. Nodes that are not heard from stay last.
func apart(s *assess.Reader, machines []string) []string {
	waiting := slices.Clone(machines)
	asks := map[string]map[*world.Budget]int{}
	for _, id := range waiting {
		asks[id] = budgetsOn(s, s.Run.Nodes[id].Name)
	}
	out := make([]string, 0, len(machines))
	silent := func(id string) bool { n := s.W.NodeOf(id); return n != nil && !n.Unreachable.IsZero() }
	for size := 1; len(waiting) > 0; size = min(2*size, max(1, s.Run.Limit)) {
		used := map[*world.Budget]int{}
		for range min(size, len(waiting)) {
			look := waiting[:min(len(waiting), lookAhead)]
			next := slices.MinFunc(look, func(a, b string) int { // the first of those that are alike
				if silent(a) != silent(b) {
					return map[bool]int{true: 1, false: -1}[silent(a)]
				}
				worstA, sumA := turns(asks[a], used)
				worstB, sumB := turns(asks[b], used)
				return cmp.Or(cmp.Compare(worstA, worstB), cmp.Compare(sumA, sumB), cmp.Compare(len(asks[b]), len(asks[a])))
			})
			for b, n := range asks[next] {
				used[b] += n
			}
			out = append(out, next)
			waiting = slices.DeleteFunc(waiting, func(id string) bool { return id == next })
		}
	}
	return out
}

// budgetsOn counts the pods of a node that have to leave, by the budgets that cover them.
func budgetsOn(s *assess.Reader, node string) map[*world.Budget]int {
	out := map[*world.Budget]int{}
	leaving, _ := assess.LeavingPods(s.W, s.W.PodsOn(node), s.Consents())
	for _, p := range leaving {
		for _, b := range s.W.BudgetsOf(p) {
			out[b]++
		}
	}
	return out
}

// turns is in how many turns the pods of a node leave beside those that leave already, as the budget with
// the most has it, and how many pods of others share budgets with it.
func turns(asks, used map[*world.Budget]int) (worst, shared int) {
	for b, n := range asks {
		allowed := max(1, b.Allowed)
		worst = max(worst, (used[b]+n+allowed-1)/allowed)
		shared += used[b]
	}
	return worst, shared
}
