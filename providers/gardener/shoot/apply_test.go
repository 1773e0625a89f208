package shoot

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/drainboard/drainboard/providers/gardener/names"
)

// A manifest that says of one pool what is new changes that, and nothing else: neither the pools
// that it does not name nor what the pool has besides, whether or not kubectl apply has left what
// was applied last.
func TestApplyMergesPoolsByName(t *testing.T) {
	partial := small[:len(small)-2] + ", provider: {workers: [{name: web, maximum: 8}]}}\n"
	live := "metadata.resourceVersion: \"7\"\nspec.provider.workers[web].maxSurge: 3\nspec.provider.workers[web].machineControllerManager: {machineHealthTimeout: 1h}\n"
	for _, last := range []string{"", partial, strings.Replace(partial, "8", "6", 1)} {
		old := baseShoot(t, live)
		if last != "" {
			object := clone(old.object)
			text, err := json.Marshal(manifest(t, last).given)
			if err != nil {
				t.Fatal(err)
			}
			if err := fillIn(object, string(text), "metadata", "annotations", lastApplied); err != nil {
				t.Fatal(err)
			}
			if old, err = read(object); err != nil {
				t.Fatal(err)
			}
		}
		become, how, err := old.Apply(manifest(t, partial))
		if err != nil || how != map[bool]How{true: Applies, false: Adds}[last != ""] {
			t.Fatal(how, err)
		}
		told := tell(Change{Old: old, New: become, Now: start}.Plan(), false)
		if !strings.Contains(told, "web: nothing\n  nothing: spec.provider.workers[web].maximum 6 → 8") || !strings.Contains(told, "metal: nothing\n") || strings.Contains(told, "maxSurge") || strings.Contains(told, "removed") {
			t.Errorf("last applied %q:\n%s", last, told)
		}
	}
}

// A pool that was applied and is applied no more goes; one that another user has added stays. So it
// is with the file that the Shoot was made from.
func TestApplyRemovesWhatWasApplied(t *testing.T) {
	with := func(pools string) string {
		return small[:len(small)-2] + ", provider: {workers: [" + pools + "]}}\n"
	}
	before := manifest(t, with("{name: a, maximum: 1}, {name: b, maximum: 1}"))
	become, how, err := before.Apply(manifest(t, with("{name: b, maximum: 2}, {name: c}")))
	if err != nil || how != Applies || fmt.Sprint(become.Pools()) != "[b c]" {
		t.Errorf("%v %q %v", become.Pools(), how, err)
	}
	object := clone(manifest(t, with("{name: a}, {name: b}, {name: other}")).object)
	text, err := json.Marshal(before.given)
	if err != nil {
		t.Fatal(err)
	}
	if err := fillIn(object, string(text), "metadata", "annotations", lastApplied); err != nil {
		t.Fatal(err)
	}
	live, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	if become, _, err = live.Apply(manifest(t, with("{name: b}"))); err != nil || fmt.Sprint(become.Pools()) != "[b other]" {
		t.Errorf("%v %v", become.Pools(), err)
	}
}

// The whole Shoot as the API gave it, with a change, is what kubectl edit or replace makes of it:
// what it no longer has is gone.
func TestAWholeShootReplaces(t *testing.T) {
	old := baseShoot(t, "metadata.resourceVersion: \"7\"\nspec.purpose: production\n")
	object := clone(old.given)
	if err := edit(object, "spec.purpose: null\nspec.provider.workers[metal]: null\n"); err != nil {
		t.Fatal(err)
	}
	edited, err := read(object)
	if err != nil {
		t.Fatal(err)
	}
	become, how, err := old.Apply(edited)
	if err != nil || how != Replaces || fmt.Sprint(become.Pools()) != "[web]" {
		t.Errorf("%v %q %v", become.Pools(), how, err)
	}
	if _, there := at(become.object, "spec", "purpose"); there {
		t.Error("a field that was taken out is there")
	}
}

// oracleSpec has some fields of a Shoot's spec with the tags of Gardener's types, for
// kubectl's own strategic merge.
type oracleSpec struct {
	Provider struct {
		Workers []struct {
			Name    string            `json:"name"`
			Maximum int               `json:"maximum,omitempty"`
			Zones   []string          `json:"zones,omitempty"`
			Labels  map[string]string `json:"labels,omitempty"`
			Machine struct {
				Type string `json:"type,omitempty"`
			} `json:"machine"`
		} `json:"workers,omitempty" patchMergeKey:"name" patchStrategy:"merge"`
	} `json:"provider"`
	Tolerations []struct {
		Key   string `json:"key"`
		Value string `json:"value,omitempty"`
	} `json:"tolerations,omitempty" patchMergeKey:"key" patchStrategy:"merge"`
	Purpose string `json:"purpose,omitempty"`
}

// What an apply comes to is held against the three-way strategic merge of kubectl, with random
// manifests.
func TestApplyIsKubectls(t *testing.T) {
	meta, err := strategicpatch.NewPatchMetaFromStruct(oracleSpec{})
	if err != nil {
		t.Fatal(err)
	}
	removed, kept := 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		last, wanted, live := randomSpec(r), randomSpec(r), randomSpec(r)
		var texts [][]byte
		for _, o := range []map[string]any{last, wanted, live} {
			text, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		patch, err := strategicpatch.CreateThreeWayMergePatch(texts[0], texts[1], texts[2], meta, true)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := strategicpatch.StrategicMergePatchUsingLookupPatchMeta(texts[2], patch, meta)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]any
		if err := json.Unmarshal(merged, &want); err != nil {
			t.Fatal(err)
		}
		got := clone(live)
		lay(names.Kind("core.ShootSpec"), got, last, clone(wanted))
		if a, b := canonical(t, got), canonical(t, want); a != b {
			t.Fatalf("seed %d\nlast   %s\nwanted %s\nlive   %s\ngot    %s\nkubectl %s", seed, texts[0], texts[1], texts[2], a, b)
		}
		if len(pools(got)) < len(pools(live)) {
			removed++
		}
		if len(pools(got)) > len(pools(wanted)) {
			kept++
		}
	}
	if removed < 20 || kept < 20 {
		t.Errorf("%d times a pool went, %d times one stayed: this shows little", removed, kept)
	}
}

func pools(spec map[string]any) []any {
	list, _ := at(spec, "provider", "workers")
	items, _ := list.([]any)
	return items
}

// canonical is a spec as text, its lists of items in one order, without empty ones.
func canonical(t *testing.T, spec map[string]any) string {
	t.Helper()
	spec = noNulls(spec).(map[string]any)
	order := func(items []any, by string) []any {
		slices.SortFunc(items, func(a, b any) int {
			return strings.Compare(a.(map[string]any)[by].(string), b.(map[string]any)[by].(string))
		})
		return items
	}
	if items := pools(spec); len(items) > 0 {
		order(items, "name")
	} else if p, ok := spec["provider"].(map[string]any); ok {
		delete(p, "workers")
	}
	if items, _ := spec["tolerations"].([]any); len(items) > 0 {
		order(items, "key")
	} else {
		delete(spec, "tolerations")
	}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// noNulls is a value without the fields that are null, which the API takes for none.
func noNulls(x any) any {
	switch x := x.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range x {
			if value != nil {
				out[key] = noNulls(value)
			}
		}
		return out
	case []any:
		var out []any
		for _, item := range x {
			out = append(out, noNulls(item))
		}
		return out
	}
	return x
}

func randomSpec(r *rand.Rand) map[string]any {
	maybe := func(m map[string]any, key string, values ...any) {
		if i := r.IntN(len(values) + 1); i < len(values) {
			m[key] = values[i]
		}
	}
	var list []any
	for _, name := range []string{"a", "b", "c"} {
		if r.IntN(3) == 0 {
			continue
		}
		labels, machine := map[string]any{}, map[string]any{}
		maybe(labels, "x", "1", "2")
		maybe(labels, "y", "1")
		maybe(machine, "type", "m1", "m2")
		w := map[string]any{"name": name, "labels": labels, "machine": machine}
		maybe(w, "maximum", 1.0, 2.0)
		maybe(w, "zones", []any{"a"}, []any{"a", "b"})
		list = append(list, w)
	}
	spec := map[string]any{"provider": map[string]any{}}
	if len(list) > 0 {
		spec["provider"].(map[string]any)["workers"] = list
	}
	maybe(spec, "purpose", "production", "testing")
	maybe(spec, "tolerations", []any{map[string]any{"key": "k", "value": "1"}}, []any{map[string]any{"key": "k"}, map[string]any{"key": "l"}})
	return spec
}
