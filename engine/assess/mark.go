package assess

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Untainted lists the machines of the order that are to go and whose nodes may want a taint:
// they are not known to have it, or what was asked for is not settled.
func (s *Reader) Untainted(t world.Taint) []string {
	f := s.facts()
	if f.taint != t {
		f = s.keepFacts(t)
	}
	list := slices.Collect(maps.Keys(f.with[untainted]))
	for _, p := range s.Run.Pending {
		if id := p.Action.Machine; p.Action.Kind == record.AddTaint && toGo(f.of[id].stage) {
			list = append(list, id)
		}
	}
	return s.inPlaces(list)
}

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
