// Package shards has a map that never changes: setting an entry gives another map, which shares
// nearly all of its memory with the first. A run of thousands of nodes is such a value: each decision
// keeps the run before it, and changes a few nodes.
//
// The entries are in the order of their keys' hashes, and cut into shards by the first bits of
// these. Another value for a key copies one shard, and the list of the shards. How many shards there
// are follows from the number of entries, so maps with the same entries are built alike, whatever their
// history: [reflect.DeepEqual] compares them. No shard is ever changed.
package shards

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"unsafe"
)

// full is how many entries a shard has at most, on average.
const full = 32

// Map is an immutable map from strings. Its zero value is empty, and is what the nil map is to Go's maps:
// it can be told from one that was emptied, and is null in JSON.
type Map[V any] struct{ root *root[V] }

// root is what a map consists of. It has 1<<bits shards; a shard without entries is nil.
type root[V any] struct {
	length int
	bits   int
	shards [][]slot[V]
}

// slot is an entry and the hash of its key. Slots are sorted by the hash, then by the key.
type slot[V any] struct {
	hash  uint64
	entry *entry[V]
}

// entry never changes.
type entry[V any] struct {
	key   string
	value V
}

// Of returns a map with the entries of another one. Of nil it is the zero value.
func Of[V any](entries map[string]V) Map[V] {
	if entries == nil {
		return Map[V]{}
	}
	list := make([]slot[V], 0, len(entries))
	for k, v := range entries {
		list = append(list, slot[V]{hash(k), &entry[V]{k, v}})
	}
	slices.SortFunc(list, func(a, b slot[V]) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.entry.key, b.entry.key))
	})
	r := &root[V]{length: len(list), bits: bitsFor(len(list))}
	r.shards = make([][]slot[V], 1<<r.bits)
	for i := range r.shards {
		n := 0
		for n < len(list) && r.shardOf(list[n].hash) == i {
			n++
		}
		r.shards[i], list = part(list, 0, n), list[n:]
	}
	return Map[V]{r}
}

// Len returns the number of entries.
func (m Map[V]) Len() int {
	if m.root == nil {
		return 0
	}
	return m.root.length
}

// IsZero reports whether the map has no entries: omitzero leaves out what omitempty does of a Go map.
func (m Map[V]) IsZero() bool { return m.Len() == 0 }

// IsNil reports whether it is the zero value, and not merely empty.
func (m Map[V]) IsNil() bool { return m.root == nil }

// Identity tells a map from all others in use: it is the same for copies of a value only, and, while an
// Editor changes the map, for all that it makes of it.
func (m Map[V]) Identity() unsafe.Pointer { return unsafe.Pointer(m.root) }

// Get returns the value of a key, the zero value if there is none.
func (m Map[V]) Get(k string) V {
	e := m.find(k)
	if e == nil {
		e = new(entry[V])
	}
	return e.value
}

// Find returns the value of a key, and whether there is one.
func (m Map[V]) Find(k string) (v V, there bool) {
	e := m.find(k)
	if e == nil {
		return v, false
	}
	return e.value, true
}

// Peek points to the value of a key, to a zero value if there is none: m.Peek(k).Field reads one field of a
// large value without copying the value. It is for that form only, which a test holds; nothing may be written
// through it, and it is not kept.
func (m Map[V]) Peek(k string) *V {
	e := m.find(k)
	if e == nil {
		e = new(entry[V])
	}
	return &e.value
}

// Has reports whether there is a value of a key.
func (m Map[V]) Has(k string) bool { return m.find(k) != nil }

func (m Map[V]) find(k string) *entry[V] {
	if m.root == nil {
		return nil
	}
	h := hash(k)
	i := m.root.shardOf(h)
	if at, there := m.root.search(i, h, k); there {
		return m.root.shards[i][at].entry
	}
	return nil
}

// All returns the entries. Their order means nothing.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, list := range m.lists() {
			for _, s := range list {
				if !yield(s.entry.key, s.entry.value) {
					return
				}
			}
		}
	}
}

// Keys returns the keys. Their order means nothing.
func (m Map[V]) Keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range m.lists() {
			for _, s := range list {
				if !yield(s.entry.key) {
					return
				}
			}
		}
	}
}

// Values returns the values. Their order means nothing.
func (m Map[V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, list := range m.lists() {
			for _, s := range list {
				if !yield(s.entry.value) {
					return
				}
			}
		}
	}
}

func (m Map[V]) lists() [][]slot[V] {
	if m.root == nil {
		return nil
	}
	return m.root.shards
}

// With returns the map with a key's value set. To set many, use an Editor.
func (m Map[V]) With(k string, v V) Map[V] { return new(Editor[V]).With(m, k, v) }

// Without returns the map without a key.
func (m Map[V]) Without(k string) Map[V] { return new(Editor[V]).Without(m, k) }

// Editor makes many changes of one map cheaper: it copies the list of the shards once, and of each change
// the shard. The map that is given to it first never changes, nor does any that another Editor, or
// With or Without, makes of one. Those that it returns do, as long as it is used: each is the same map
// as the one before. The zero value is ready to use; an Editor that is set to it changes nothing any more
// of what it has returned.
type Editor[V any] struct {
	root *root[V] // its own; the shards are not, which other maps may have
}

// With returns the map with a key's value set.
func (e *Editor[V]) With(m Map[V], k string, v V) Map[V] {
	r, h := e.own(m), hash(k)
	i := r.shardOf(h)
	at, there := r.search(i, h, k)
	list, after := r.shards[i], at
	if there {
		after++
	}
	made := make([]slot[V], 0, len(list)+1-after+at)
	made = append(append(made, list[:at]...), slot[V]{h, &entry[V]{k, v}})
	r.shards[i] = append(made, list[after:]...)
	if !there {
		r.resize(r.length + 1)
	}
	return Map[V]{r}
}

// Without returns the map without a key.
func (e *Editor[V]) Without(m Map[V], k string) Map[V] {
	if !m.Has(k) {
		return m
	}
	r, h := e.own(m), hash(k)
	i := r.shardOf(h)
	at, _ := r.search(i, h, k)
	r.shards[i] = joined(r.shards[i][:at], r.shards[i][at+1:])
	r.resize(r.length - 1)
	return Map[V]{r}
}

// own makes the map the editor's own, if it is not.
func (e *Editor[V]) own(m Map[V]) *root[V] {
	switch {
	case m.root == nil:
		e.root = &root[V]{shards: make([][]slot[V], 1)}
	case e.root != m.root:
		e.root = &root[V]{length: m.root.length, bits: m.root.bits, shards: slices.Clone(m.root.shards)}
	}
	return e.root
}

// resize makes as many shards as there are to be for so many entries: it cuts each in two, or joins two.
func (r *root[V]) resize(length int) {
	r.length = length
	for r.bits < bitsFor(length) {
		r.bits++
		halves := make([][]slot[V], 0, 2*len(r.shards))
		for i, list := range r.shards {
			at := slices.IndexFunc(list, func(s slot[V]) bool { return r.shardOf(s.hash) != 2*i })
			if at < 0 {
				at = len(list)
			}
			halves = append(halves, part(list, 0, at), part(list, at, len(list)))
		}
		r.shards = halves
	}
	for r.bits > bitsFor(length) {
		r.bits--
		wholes := make([][]slot[V], 0, len(r.shards)/2)
		for i := 0; i < len(r.shards); i += 2 {
			wholes = append(wholes, joined(r.shards[i], r.shards[i+1]))
		}
		r.shards = wholes
	}
}

// part is a part of a shard, nil without entries.
func part[V any](list []slot[V], from, to int) []slot[V] {
	if from == to {
		return nil
	}
	return list[from:to]
}

// joined is a new list of two parts of shards, nil without entries.
func joined[V any](a, b []slot[V]) []slot[V] {
	if len(a)+len(b) == 0 {
		return nil
	}
	return append(append(make([]slot[V], 0, len(a)+len(b)), a...), b...)
}

// bitsFor is how many bits of the hash tell the shards of so many entries apart: the least with which
// they have no more than they are to have.
func bitsFor(length int) int {
	if length <= full {
		return 0
	}
	return bits.Len(uint((length - 1) / full))
}

func (r *root[V]) shardOf(h uint64) int { return int(h >> (64 - r.bits)) }

// search finds the place of a key in shard i, and whether it is there. Hashes are spread evenly, so the place is
// near to where it would be if they were spread exactly so.
func (r *root[V]) search(i int, h uint64, k string) (int, bool) {
	list := r.shards[i]
	most, _ := bits.Mul64(h<<r.bits, uint64(len(list)))
	at := int(most)
	for at > 0 && list[at-1].hash >= h {
		at--
	}
	for ; at < len(list) && list[at].hash <= h; at++ {
		if list[at].hash < h {
			continue
		}
		if key := list[at].entry.key; key >= k {
			return at, key == k
		}
	}
	return at, false
}

// hash is the same for a key in every process, so that the order of a map's entries is. It is not that
// of Go's maps, which differs from process to process: keys are ids that a cloud or a cluster made up.
func hash(k string) uint64 {
	h := uint64(len(k)) ^ prime
	for len(k) >= 8 {
		h = mix(h ^ word(k))
		k = k[8:]
	}
	last := uint64(0)
	for i := range len(k) {
		last = last<<8 | uint64(k[i])
	}
	return mix(mix(h ^ last))
}

// prime is the golden ratio in 64 bits, odd.
const prime = 0x9e3779b97f4a7c15

func word(k string) uint64 {
	_ = k[7]
	return uint64(k[0]) | uint64(k[1])<<8 | uint64(k[2])<<16 | uint64(k[3])<<24 | uint64(k[4])<<32 | uint64(k[5])<<40 | uint64(k[6])<<48 | uint64(k[7])<<56
}

func mix(h uint64) uint64 {
	high, low := bits.Mul64(h, prime)
	return high ^ low
}
