package shards

import (
	"encoding/binary"
	"reflect"
	"testing"
)

// Keys of one hash are told apart, and in one order, whichever was set first.
func TestSameHash(t *testing.T) {
	one := "aaaaaaaacccccccc"
	first := uint64(16) ^ prime
	last := binary.LittleEndian.AppendUint64(nil, word("cccccccc")^mix(first^word("aaaaaaaa"))^mix(first^word("bbbbbbbb")))
	two := "bbbbbbbb" + string(last)
	if hash(one) != hash(two) || one == two {
		t.Fatalf("hashes are %x and %x", hash(one), hash(two))
	}
	a, b := Map[int]{}.With(one, 1).With(two, 2), Map[int]{}.With(two, 2).With(one, 1)
	if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(a, Of(map[string]int{one: 1, two: 2})) {
		t.Error("the order in which they were set shows")
	}
	for _, m := range []Map[int]{a, b} {
		if m.Get(one) != 1 || m.Get(two) != 2 || m.Len() != 2 {
			t.Errorf("they are %d and %d", m.Get(one), m.Get(two))
		}
		if only := m.Without(one); only.Has(one) || only.Get(two) != 2 || !m.Without(two).Has(one) {
			t.Error("one was taken for the other")
		}
	}
}
