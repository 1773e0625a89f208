package preflight

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
)

// InOrder puts machines of the run in the order in which they will go: within
// their zones as the settings ask, nodes that are not heard from last; and the
// zones in turn, the fullest first, so that at any moment the nodes that are left
// are spread as evenly as they can be.
func InOrder(s *assess.Reader, machines []string) []string {
	places := map[string]place{}
	byZone := map[string][]string{}
	for _, id := range machines {
		places[id] = placeOf(s, id)
		zone := s.Run.Nodes.Peek(id).Zone
		byZone[zone] = append(byZone[zone], id)
	}
	before := func(a, b string) int { return before(s, places[a], places[b]) }
	zones := slices.Sorted(maps.Keys(byZone))
	for _, z := range zones {
		slices.SortFunc(byZone[z], func(a, b string) int {
			return cmp.Or(before(a, b), cmp.Compare(places[a].chance, places[b].chance), cmp.Compare(a, b))
		})
	}
	out := make([]string, 0, len(machines))
	for len(out) < len(machines) {
		next := slices.MinFunc(zones, func(a, b string) int {
			if n := cmp.Compare(len(byZone[b]), len(byZone[a])); n != 0 || len(byZone[a]) == 0 {
				return n
			}
			first, second := byZone[a][0], byZone[b][0]
			return cmp.Or(before(first, second), cmp.Compare(assess.Chance(s.Run.Seed, b), assess.Chance(s.Run.Seed, a)))
		})
		out = append(out, byZone[next][0])
		byZone[next] = byZone[next][1:]
	}
	return out
}

// place is what the order of a machine depends on.
type place struct {
	name           string
	created        time.Time
	silent         bool
	blockers, pods int
	chance         uint64
}

func placeOf(s *assess.Reader, id string) place {
	n := s.Run.Nodes.Get(id)
	p := place{name: s.Label(id, n), chance: assess.Chance(s.Run.Seed, id)}
	if node := s.W.NodeOf(id); node != nil {
		p.created, p.silent = node.Created, !node.Unreachable.IsZero()
	}
	if slices.Contains(s.Run.Settings.Order, record.OrderFewestBlockers) {
		p.blockers = len(Of(s, n.Name))
		p.pods, _ = s.PodsToMove(n.Name)
	}
	return p
}

// before compares two places by the run's settings. What they leave equal is left to chance: record.OrderRandom, which
// comes last, says no more than that.
func before(s *assess.Reader, a, b place) int {
	if a.silent != b.silent {
		return map[bool]int{true: 1, false: -1}[a.silent]
	}
	for _, o := range s.Run.Settings.Order {
		var n int
		switch o {
		case record.OrderOldest:
			n = a.created.Compare(b.created)
		case record.OrderNewest:
			n = b.created.Compare(a.created)
		case record.OrderName:
			n = strings.Compare(a.name, b.name)
		case record.OrderFewestBlockers:
			n = cmp.Or(cmp.Compare(a.blockers, b.blockers), cmp.Compare(a.pods, b.pods))
		}
		if n != 0 {
			return n
		}
	}
	return 0
}
