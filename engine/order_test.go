package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// ordered puts machines, given with their zones, in the order of a seed.
func ordered(seed uint64, zones map[string]string, orders ...record.Order) []string {
	w := world.New()
	r := record.Run{Seed: seed, Settings: record.Settings{Order: orders}, Nodes: shards.Of(map[string]record.Node{})}
	for i, id := range slices.Sorted(maps.Keys(zones)) {
		name := "node-" + id
		w.SetNode(&world.Node{Name: name, Machine: id, Zone: zones[id], Created: time.Unix(int64(100-i), 0)})
		r.Nodes = r.Nodes.With(id, record.Node{Name: name, Zone: zones[id], Stage: record.Outdated})
	}
	return preflight.InOrder(&newStep(noRules{}, time.Unix(200, 0), w, r).Reader, slices.Collect(maps.Keys(zones)))
}

// An order is the same on any machine, another one for another seed, and takes
// turns between the zones.
func TestInOrder(t *testing.T) {
	zones := map[string]string{}
	for i := range 12 {
		zones[fmt.Sprintf("i-%02d", i)] = string(rune('a' + i%3))
	}
	one, again, other := ordered(1, zones), ordered(1, zones), ordered(2, zones)
	if !slices.Equal(one, again) {
		t.Errorf("one seed, two orders: %v, %v", one, again)
	}
	if slices.Equal(one, other) {
		t.Errorf("two seeds, one order: %v", one)
	}
	for i := 0; i < len(one); i += 3 {
		seen := map[string]bool{}
		for _, id := range one[i : i+3] {
			seen[zones[id]] = true
		}
		if len(seen) != 3 {
			t.Errorf("nodes %d to %d of the order are of %d zones, want one of each", i, i+2, len(seen))
		}
	}
	first := map[string]int{}
	for seed := range uint64(600) {
		first[ordered(seed, zones)[0]]++
	}
	for id := range zones {
		if n := first[id]; n < 20 || n > 100 {
			t.Errorf("%s is first in %d of 600 orders, want about 50", id, n)
		}
	}
}

// The fullest zone goes first, until all are even.
func TestInOrderUnevenZones(t *testing.T) {
	zones := map[string]string{"i-1": "a", "i-2": "a", "i-3": "a", "i-4": "b"}
	order := ordered(7, zones)
	if zones[order[0]] != "a" || zones[order[1]] != "a" {
		t.Errorf("order %v: want two of zone a before any of b", order)
	}
}

// The random order is the one that a run has where it is asked for none.
func TestInOrderRandom(t *testing.T) {
	zones := map[string]string{"i-1": "a", "i-2": "b", "i-3": "c", "i-4": "a", "i-5": "b", "i-6": "c"}
	for seed := range uint64(20) {
		if got, want := ordered(seed, zones, record.OrderRandom), ordered(seed, zones); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v where random is asked for, else %v", seed, got, want)
		}
	}
}

// Every order but the random one is the same for every seed: within a zone as
// asked, the zones in turn.
func TestInOrderAsAsked(t *testing.T) {
	zones := map[string]string{"i-1": "a", "i-2": "b", "i-3": "a", "i-4": "b", "i-5": "a", "i-6": "b"}
	for _, c := range []struct {
		orders []record.Order
		want   string
	}{
		{[]record.Order{record.OrderName}, "i-1 i-2 i-3 i-4 i-5 i-6"},
		{[]record.Order{record.OrderNewest}, "i-1 i-2 i-3 i-4 i-5 i-6"}, // i-1 was made last
		{[]record.Order{record.OrderOldest}, "i-6 i-5 i-4 i-3 i-2 i-1"},
		{[]record.Order{record.OrderFewestBlockers, record.OrderOldest}, "i-6 i-5 i-4 i-3 i-2 i-1"},
	} {
		for seed := range uint64(5) {
			if got := strings.Join(ordered(seed, zones, c.orders...), " "); got != c.want {
				t.Errorf("%v, seed %d: %s, want %s", c.orders, seed, got, c.want)
			}
		}
	}
}
