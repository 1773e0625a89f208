package shards_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/drainboard/drainboard/engine/record/shards"
)

// value is one with what JSON may write differently.
type value struct {
	N    int      `json:"n"`
	Text string   `json:"text,omitempty"`
	List []string `json:"list,omitempty"`
}

// player changes a map and a Go map alike, and keeps what there was before with copies of the Go map.
type player struct {
	t      *testing.T
	random *rand.Rand
	is     shards.Map[value]
	want   map[string]value
	edit   shards.Editor[value]
	past   []shards.Map[value]
	was    []map[string]value
}

func (p *player) key() string {
	return fmt.Sprintf("%s-%d", []string{"i", "", "ü<&>", "a-long-id-with-0"}[p.random.IntN(4)], p.random.IntN(400))
}

// keeps lets the editor go, as the end of a decision does: nothing may change this map any more.
func (p *player) keeps() {
	p.past, p.was, p.edit = append(p.past, p.is), append(p.was, maps.Clone(p.want)), shards.Editor[value]{}
}

func (p *player) plays(grows int) {
	k, v := p.key(), value{N: p.random.IntN(100), Text: "<é\u2028>", List: [][]string{nil, {"a"}}[p.random.IntN(2)]}
	switch p.random.IntN(12) {
	case 0:
		p.keeps()
	case 1:
		p.past, p.was = append(p.past, p.is.With(k, v).Without(k)), append(p.was, maps.Clone(p.want))
		delete(p.was[len(p.was)-1], k)
	case 2:
		p.keeps()
		p.is, p.want[k] = p.is.With(k, v), v
	case 3:
		p.keeps()
		p.is = p.is.Without(k)
		delete(p.want, k)
	case 4: // with another map in between
		p.keeps()
		other := p.edit.With(shards.Of(map[string]value{"other": v}), k, v)
		p.past, p.was = append(p.past, other), append(p.was, map[string]value{"other": v, k: v})
	default:
		if p.random.IntN(10) < grows {
			p.is, p.want[k] = p.edit.With(p.is, k, v), v
		} else {
			p.is = p.edit.Without(p.is, k)
			delete(p.want, k)
		}
	}
}

// same compares a map with a Go map in every way, and with the map that is made of that one at once.
func same(t *testing.T, is shards.Map[value], want map[string]value) {
	t.Helper()
	if is.Len() != len(want) || is.IsZero() != (len(want) == 0) || !maps.EqualFunc(maps.Collect(is.All()), want, func(a, b value) bool { return reflect.DeepEqual(a, b) }) {
		t.Fatalf("it has %d entries, not the %d that were set", is.Len(), len(want))
	}
	if keys := slices.Sorted(is.Keys()); !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("keys are %q", keys)
	}
	if values := slices.Collect(is.Values()); len(values) != len(want) {
		t.Fatalf("%d values", len(values))
	}
	for k, v := range want {
		got, there := is.Find(k)
		if !there || !is.Has(k) || !reflect.DeepEqual(got, v) || !reflect.DeepEqual(is.Get(k), v) || is.Peek(k).N != v.N {
			t.Fatalf("%q is %+v, %v, and was set to %+v", k, got, there, v)
		}
	}
	if _, there := is.Find("none"); there || is.Has("none") || is.Get("none").N != 0 || is.Peek("none").N != 0 {
		t.Fatal("a key that was never set has a value")
	}
	if built := shards.Of(want); !is.IsNil() && !reflect.DeepEqual(is, built) {
		t.Fatalf("%d entries are kept in another way than when they are set at once", is.Len())
	}
}

// A random play against Go's map: contents, structure, JSON, and all that there was before.
func TestPlay(t *testing.T) {
	for seed := range uint64(5) {
		p := &player{t: t, random: rand.New(rand.NewPCG(seed, 1)), want: map[string]value{}}
		for _, grows := range []int{9, 5, 1, 8, 2} {
			for range 200 {
				p.plays(grows)
			}
			same(t, p.is, p.want)
			sameJSON(t, p.is, p.want)
		}
		for i := range p.past {
			same(t, p.past[i], p.was[i])
		}
	}
}

func sameJSON(t *testing.T, is shards.Map[value], want map[string]value) {
	t.Helper()
	type of[M any] struct {
		M M `json:"m"`
		O M `json:"o,omitzero"`
	}
	type plain struct {
		M map[string]value `json:"m"`
		O map[string]value `json:"o,omitempty"`
	}
	text, err := json.Marshal(of[shards.Map[value]]{is, is})
	if err != nil {
		t.Fatal(err)
	}
	expected, err := json.Marshal(plain{want, want})
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(expected) {
		t.Fatalf("JSON is\n%s\nand of a Go map\n%s", text, expected)
	}
	var raw, other strings.Builder
	for out, v := range map[*strings.Builder]any{&raw: is, &other: want} {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "\t")
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if raw.String() != other.String() {
		t.Fatalf("JSON without escapes is\n%s\nand of a Go map\n%s", &raw, &other)
	}
	var back of[shards.Map[value]]
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	same(t, back.M, want)
}

// What is read is what a Go map reads: null, nothing, an empty object, entries that there were before.
func TestReads(t *testing.T) {
	for _, text := range []string{`{}`, `{"m":null}`, `{"m":{}}`, `{"m":{"a":{"n":1},"a":{"text":"x"}}}`, `{"m":3}`, `{"m":{"a":{"n":"x"},"b":{"n":2}}}`, `{"m":{"a":3}}`} {
		for _, before := range []map[string]value{nil, {}, {"a": {N: 7, Text: "was"}, "c": {N: 8}}} {
			is, want := struct {
				M shards.Map[value] `json:"m"`
			}{shards.Of(before)}, struct {
				M map[string]value `json:"m"`
			}{maps.Clone(before)}
			wrong, expected := json.Unmarshal([]byte(text), &is), json.Unmarshal([]byte(text), &want)
			if (wrong == nil) != (expected == nil) || is.M.IsNil() != (want.M == nil) {
				t.Errorf("%s over %v: %v, nil is %v; of a Go map %v", text, before, wrong, is.M.IsNil(), expected)
			}
			same(t, is.M, want.M)
		}
	}
}

// The zero value is told from an emptied map, as the nil map is.
func TestZero(t *testing.T) {
	var zero shards.Map[value]
	emptied := zero.With("a", value{}).Without("a")
	if !zero.IsNil() || zero.Identity() != nil || !shards.Of[value](nil).IsNil() || emptied.IsNil() || shards.Of(map[string]value{}).IsNil() {
		t.Error("the zero value is not told from an empty map")
	}
	if !reflect.DeepEqual(emptied, shards.Of(map[string]value{})) || reflect.DeepEqual(emptied, zero) {
		t.Error("an emptied map is not one that is made empty")
	}
	if !zero.Without("a").IsNil() {
		t.Error("there was nothing to take from the zero value")
	}
	same(t, zero, nil)
	same(t, emptied, map[string]value{})
	sameJSON(t, zero, nil)
	sameJSON(t, emptied, map[string]value{})
}

// A change gives another identity, and the further changes of an editor the same one.
func TestIdentity(t *testing.T) {
	_, entries := ids(300)
	m := shards.Of(entries)
	if m.Identity() == m.With("a", large{}).Identity() || m.Identity() != m.Without("none").Identity() {
		t.Error("identity does not tell whether the map was changed")
	}
	var edit shards.Editor[large]
	one := edit.With(m, "a", large{text: "a"})
	two := edit.With(one, "b", large{text: "b"})
	if one.Identity() != two.Identity() || one.Identity() == m.Identity() || m.Has("a") {
		t.Error("an editor does not change what it made itself")
	}
	edit = shards.Editor[large]{}
	if three := edit.With(two, "a", large{text: "c"}); two.Get("a").text != "a" || three.Get("a").text != "c" {
		t.Error("an editor has changed what another one made")
	}
}

// Many changes by an editor copy the list of the shards once, and each the shard that it is in.
func TestEditorCopiesOnce(t *testing.T) {
	keys, entries := ids(4000)
	m, lists := shards.Of(entries), 0
	for _, changes := range []int{1, 1000} {
		got := testing.AllocsPerRun(5, func() {
			var edit shards.Editor[large]
			for _, k := range keys[:changes] {
				edit.With(m, k, large{}) // of a map that is not its own: each copies the list
			}
		})
		own := testing.AllocsPerRun(5, func() {
			var edit shards.Editor[large]
			is := m
			for _, k := range keys[:changes] {
				is = edit.With(is, k, large{})
			}
		})
		if lists = int(got-own) / 2; lists != changes-1 {
			t.Errorf("%d changes copy %d lists more without an editor, %.0f allocations to %.0f", changes, lists, got, own)
		}
	}
}

// A change copies a small part of a large map.
func TestWithCopiesLittle(t *testing.T) {
	keys, entries := ids(5000)
	m, i := shards.Of(entries), 0
	got := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			m = m.With(keys[i%len(keys)], large{})
			i++
		}
	})
	if bytes := got.AllocedBytesPerOp(); bytes > 16<<10 {
		t.Errorf("a change of one entry of 5,000 allocates %d bytes", bytes)
	}
}

// A loop over a map gets each entry that stays there once, even if an editor changes the map meanwhile.
func TestAllWhileChanged(t *testing.T) {
	keys, entries := ids(200)
	var edit shards.Editor[large]
	m := edit.With(shards.Of(entries), keys[0], large{})
	seen := map[string]int{}
	for k := range m.All() {
		seen[k]++
		if strings.HasPrefix(k, "new") {
			continue
		}
		m = edit.With(m, k, large{text: "again"})
		m = edit.With(m, "new "+k, large{})
		m = edit.Without(m, "new "+keys[len(seen)%len(keys)])
		if len(seen)%3 == 0 {
			m = edit.Without(m, k)
		}
	}
	for _, k := range keys {
		if seen[k] != 1 {
			t.Errorf("%s was seen %d times", k, seen[k])
		}
	}
	for range m.All() {
		break
	}
	for range m.Keys() {
		break
	}
	for range m.Values() {
		break
	}
}

// Entries are spread: no shard has many more than the others, whatever the keys look like.
func TestSpread(t *testing.T) {
	for _, form := range []string{"i-%017x", "ip-10-0-%d.eu-central-1.compute.internal", "%d", "0b57c1a4-6b1f-4d8e-9a52-%012x", "%08d-of-the-same-end"} {
		m := shards.Map[int]{}
		var edit shards.Editor[int]
		for i := range 5000 {
			m = edit.With(m, fmt.Sprintf(form, i), i)
		}
		list := reflect.ValueOf(m).Field(0).Elem().FieldByName("shards")
		most := 0
		for i := range list.Len() {
			most = max(most, list.Index(i).Len())
		}
		if average := 5000 / list.Len(); list.Len() != 256 || most > 3*average {
			t.Errorf("%s: %d shards, of which one has %d entries", form, list.Len(), most)
		}
	}
}

// Rewrite gives every key and value to a function that may change them.
func TestRewrite(t *testing.T) {
	m := shards.Of(map[string]value{"a": {N: 1}, "b": {N: 2}})
	was := m
	m.Rewrite(func(key *string, v any) {
		*key += "!"
		v.(*value).N *= 10
	})
	same(t, m, map[string]value{"a!": {N: 10}, "b!": {N: 20}})
	same(t, was, map[string]value{"a": {N: 1}, "b": {N: 2}})
}

func ExampleEditor() {
	before := shards.Of(map[string]string{"i-1": "queued", "i-2": "queued"})
	var edit shards.Editor[string]
	after := before
	for id := range before.Keys() {
		after = edit.With(after, id, "draining")
	}
	fmt.Println(before.Get("i-1"), after.Get("i-1"), after.Len())
	// Output: queued draining 2
}
