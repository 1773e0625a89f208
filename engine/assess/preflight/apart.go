package preflight

import (
	"cmp"
	"slices"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// lookAhead is how many of the nodes that come next are compared for a place.
const lookAhead = 64

// Apart picks n of the machines whose drains come next: those of whose pods the fewest have to wait for what
// their PDBs allow now, beside the nodes that drain already. Among these come first those with a pod of the PDB
// that has the most pods to let go yet, as that takes the longest, then those that share the fewest PDBs with what
// drains. Those that make room for the surge of their zone come after the others, and nodes that are not heard from
// last.
func Apart(s *assess.Reader, machines []string, n int) []string {
	waiting := slices.Clone(machines[:min(len(machines), lookAhead)])
	if len(waiting) < 2 {
		return machines
	}
	used := map[*world.Budget]int{}
	for _, id := range s.In(record.Draining) {
		for b, pods := range budgetsOn(s, s.Run.Nodes.Peek(id).Name) {
			used[b] += pods
		}
	}
	asks, left := map[string]map[*world.Budget]int{}, map[*world.Budget]int{}
	for _, id := range waiting {
		asks[id] = budgetsOn(s, s.Run.Nodes.Peek(id).Name)
		for b, pods := range asks[id] {
			left[b] += pods
		}
	}
	longest := func(id string) (most int) {
		for b := range asks[id] {
			most = max(most, left[b]+used[b])
		}
		return most
	}
	old, extra := zonesOf(s)
	makesRoom := func(id string) bool { zone := s.Run.Nodes.Peek(id).Zone; return old[zone] <= extra[zone] }
	silent := func(id string) bool { m := s.W.NodeOf(id); return m != nil && !m.Unreachable.IsZero() }
	out := make([]string, 0, n)
	for range min(n, len(waiting)) {
		next := slices.MinFunc(waiting, func(a, b string) int { // the first of those that are alike
			if silent(a) != silent(b) {
				return map[bool]int{true: 1, false: -1}[silent(a)]
			}
			if makesRoom(a) != makesRoom(b) {
				return map[bool]int{true: 1, false: -1}[makesRoom(a)]
			}
			waitsA, sharedA := turns(asks[a], used)
			waitsB, sharedB := turns(asks[b], used)
			return cmp.Or(cmp.Compare(waitsA, waitsB), cmp.Compare(longest(b), longest(a)), cmp.Compare(sharedA, sharedB))
		})
		for b, pods := range asks[next] {
			used[b] += pods
		}
		old[s.Run.Nodes.Peek(next).Zone]--
		out = append(out, next)
		waiting = slices.DeleteFunc(waiting, func(id string) bool { return id == next })
	}
	return append(out, slices.DeleteFunc(slices.Clone(machines), func(id string) bool { return slices.Contains(out, id) })...)
}

// budgetsOn counts the pods of a node that have to leave, by the budgets that cover them.
func budgetsOn(s *assess.Reader, node string) map[*world.Budget]int {
	out := map[*world.Budget]int{}
	leaving, _ := assess.LeavingPods(s.W, s.W.PodsOn(node), s.Consents())
	for _, p := range leaving {
		if p.Terminating() {
			continue
		}
		for _, b := range s.W.BudgetsOf(p) {
			out[b]++
		}
	}
	return out
}

// turns is how many pods of a node have to wait for their budgets beside those that leave already, and how many
// pods of others share budgets with it.
func turns(asks, used map[*world.Budget]int) (waits, shared int) {
	for b, n := range asks {
		waits += max(0, n-max(0, b.Allowed-used[b]))
		shared += used[b]
	}
	return waits, shared
}

// zonesOf counts, by zone, the outdated nodes whose drains are still to come, and the new ones beyond those that stand
// in for nodes which went or are going. The group gives as many up at last as it was raised by: where that many old
// nodes are left in the zone, none of the new ones has to go again.
func zonesOf(s *assess.Reader) (old, extra map[string]int) {
	old, extra = map[string]int{}, map[string]int{}
	for _, n := range s.Run.Nodes.All() {
		switch {
		case n.New && n.Stage != record.Terminating:
			extra[n.Zone]++
		case n.New || n.Stage == record.Skipped:
		case n.Stage == record.Outdated || n.Stage == record.Queued:
			old[n.Zone]++
		default:
			extra[n.Zone]--
		}
	}
	return old, extra
}
