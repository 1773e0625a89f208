package shards

import (
	"bytes"
	"encoding/json"
	"maps"
)

// MarshalJSON writes the map as Go's maps are written: the keys sorted, null for the zero value.
func (m Map[V]) MarshalJSON() ([]byte, error) {
	if m.root == nil {
		return []byte("null"), nil
	}
	entries := make(map[string]*V, m.root.length)
	for _, list := range m.root.shards {
		for _, s := range list {
			entries[s.entry.key] = &s.entry.value
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // who calls this does, if it is wanted
	err := enc.Encode(entries)
	return out.Bytes(), err
}

// UnmarshalJSON reads what a Go map reads: null gives the zero value, and entries that the map has and the
// text has not stay.
func (m *Map[V]) UnmarshalJSON(text []byte) error {
	var entries map[string]V
	if m.root != nil {
		entries = maps.Collect(m.All())
	}
	err := json.Unmarshal(text, &entries)
	*m = Of(entries)
	return err
}

// Rewrite lets a function change every key, and the value that the second argument points to, and makes
// the map again of what came of it: for who goes through a value by reflection, and cannot set
// the entries of a map.
func (m *Map[V]) Rewrite(edit func(key *string, value any)) {
	if m.Len() == 0 {
		return
	}
	out := make(map[string]V, m.root.length)
	for k, v := range m.All() {
		edit(&k, &v)
		out[k] = v
	}
	*m = Of(out)
}
