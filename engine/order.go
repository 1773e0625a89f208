package engine

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
)

// Chance is a node's place in a run's random order: a hash of the run's seed
// and the machine, so that a plan's order is the run's order on any machine.
func Chance(seed uint64, machine string) uint64 {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write([]byte(machine))
	x := h.Sum64() // fnv mixes its last bytes badly: finish as splitmix64 does
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// InOrder puts machines of the run in the order in which they will go: within
// their zones as the settings ask, nodes that are not heard from last; and the
// zones in turn, the fullest first, so that at any moment the nodes that are left
// are spread as evenly as they can be.
func (s *Reader) InOrder(machines []string) []string {
	places := map[string]place{}
	byZone := map[string][]string{}
	for _, id := range machines {
		places[id] = s.place(id)
		zone := s.Run.Nodes[id].Zone
		byZone[zone] = append(byZone[zone], id)
	}
	before := func(a, b string) int { return s.before(places[a], places[b]) }
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
			return cmp.Or(before(first, second), cmp.Compare(Chance(s.Run.Seed, b), Chance(s.Run.Seed, a)))
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

func (s *Reader) place(id string) place {
	n := s.Run.Nodes[id]
	p := place{name: s.label(id, n), chance: Chance(s.Run.Seed, id)}
	if node := s.W.NodeOf(id); node != nil {
		p.created, p.silent = node.Created, !node.Unreachable.IsZero()
	}
	if slices.Contains(s.Run.Settings.Order, record.OrderFewestBlockers) {
		p.blockers = len(s.preflight(n.Name))
		p.pods, _ = s.podsToMove(n.Name)
	}
	return p
}

// before compares two places by the run's settings.
func (s *Reader) before(a, b place) int {
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
		case record.OrderRandom:
			n = cmp.Compare(a.chance, b.chance)
		}
		if n != 0 {
			return n
		}
	}
	return 0
}
