package shards_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/drainboard/drainboard/engine/record/shards"
)

// large is as large as a node of a run.
type large struct {
	text string
	_    [640]byte
}

// ids are keys like those of a cloud, and the entries of a Go map with them.
func ids(n int) (keys []string, entries map[string]large) {
	entries = map[string]large{}
	for i := range n {
		keys = append(keys, fmt.Sprintf("i-%017x", uint64(i)*0x9e3779b97f4a7c15))
		entries[keys[i]] = large{text: keys[i]}
	}
	return keys, entries
}

// BenchmarkPeek is one look at an entry, and BenchmarkWith is one change, beside those of a Go map, which is
// copied before.
func BenchmarkPeek(b *testing.B) {
	for _, n := range []int{60, 500, 5000} {
		keys, entries := ids(n)
		m := shards.Of(entries)
		i, found := 0, 0
		next := func() string { i = (i + 7) % n; return keys[i] }
		b.Run(fmt.Sprintf("map/%d", n), func(b *testing.B) {
			for b.Loop() {
				found += len(entries[next()].text)
			}
		})
		b.Run(fmt.Sprintf("shards/%d", n), func(b *testing.B) {
			for b.Loop() {
				found += len(m.Peek(next()).text)
			}
		})
	}
}

func BenchmarkAll(b *testing.B) {
	for _, n := range []int{60, 5000} {
		_, entries := ids(n)
		m := shards.Of(entries)
		found := 0
		b.Run(fmt.Sprintf("map/%d", n), func(b *testing.B) {
			for b.Loop() {
				for _, e := range entries {
					found += len(e.text)
				}
			}
		})
		b.Run(fmt.Sprintf("shards/%d", n), func(b *testing.B) {
			for b.Loop() {
				for _, e := range m.All() {
					found += len(e.text)
				}
			}
		})
	}
}

func BenchmarkWith(b *testing.B) {
	for _, n := range []int{60, 500, 5000} {
		keys, entries := ids(n)
		m := shards.Of(entries)
		i := 0
		next := func() string { i = (i + 7) % n; return keys[i] }
		b.Run(fmt.Sprintf("map/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				entries = maps.Clone(entries)
				entries[next()] = large{}
			}
		})
		b.Run(fmt.Sprintf("shards/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m = m.With(next(), large{})
			}
		})
	}
}

func BenchmarkHas(b *testing.B) {
	for _, n := range []int{60, 5000} {
		keys, entries := ids(n)
		m := shards.Of(entries)
		i, found := 0, 0
		next := func() string { i = (i + 7) % n; return keys[i] }
		b.Run(fmt.Sprintf("shards/%d", n), func(b *testing.B) {
			for b.Loop() {
				if m.Has(next()) {
					found++
				}
			}
		})
	}
}
