package strictyaml

import (
	"reflect"
	"strings"
	"testing"
)

// settings are what a file of this test may say.
type settings struct {
	Name string
	On   bool
	List []string
}

func read(data string) (s settings, err error) {
	s.On = true
	err = Parse("f.yaml", []byte(data), func(v Value) {
		v.Map(map[string]func(Value){
			"name": func(v Value) { s.Name, _ = v.Text() },
			"on":   func(v Value) { v.Bool(&s.On) },
			"list": func(v Value) {
				v.List(func(v Value) {
					v.Map(map[string]func(Value){"item": func(v Value) {
						if text, ok := v.Text(); ok {
							s.List = append(s.List, text)
						}
					}})
				})
			},
		})
	})
	return s, err
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		data string
		want settings
		err  string
	}{
		{"", settings{On: true}, ""},
		{"# nothing but a comment\n", settings{On: true}, ""},
		{"name: a\non: false\nlist:\n- item: x\n- {item: 7}\n", settings{"a", false, []string{"x", "7"}}, ""},
		{"a: &x {item: 1}\n", settings{On: true}, `f.yaml, line 1: unknown: "a"; known are list, name, on`},
		{"list:\n- &x {item: 1}\n- *x\n", settings{On: true, List: []string{"1", "1"}}, ""},
		{"name: a\nlsit: []\n", settings{Name: "a", On: true}, `f.yaml, line 2: unknown: "lsit"; did you mean "list"?`},
		{"name: a\nname: b\n", settings{Name: "a", On: true}, `f.yaml, line 2: "name" is there twice, first in line 1`},
		{"on: maybe\nname: b\n", settings{Name: "b", On: true}, `f.yaml, line 1: on: "maybe" is neither true nor false`},
		{"on: \"true\"\n", settings{On: true}, `f.yaml, line 1: on: "true" is neither true nor false`},
		{"name: #ff0000\n", settings{On: true}, "f.yaml, line 1: name: has no value"},
		{"name: [a]\n", settings{On: true}, "f.yaml, line 1: name: is a single value"},
		{"list: a\n", settings{On: true}, "f.yaml, line 1: list: is a list: each entry begins with a dash"},
		{"list:\n- item: a\n- itme: b\n", settings{On: true, List: []string{"a"}}, `f.yaml, line 3: list[1]: unknown: "itme"; did you mean "item"?`},
		{"- a\n", settings{On: true}, "f.yaml, line 1: needs keys of its own: list, name, on"},
		{"name: a\n---\nname: b\n", settings{Name: "a", On: true}, "f.yaml: more than one document: leave out the --- between them"},
		{"name: [a\n", settings{On: true}, "f.yaml, line 1: not YAML: "},
		{"name: a\n\tx: b\n", settings{On: true}, "f.yaml, line 2: not YAML: found "},
		{"x: 1\ny: 2\nname: a\n", settings{Name: "a", On: true}, `f.yaml, line 1: unknown: "x"; known are list, name, on (and 1 more)`},
	} {
		got, err := read(c.data)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.data, got, c.want)
		}
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasPrefix(err.Error(), c.err)) {
			t.Errorf("%q: error %v, want %s", c.data, err, c.err)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"good", "bad", "border", "input-cursor"}
	for given, want := range map[string]string{"goood": "good", "Bad": "bad", "boarder": "border", "inputcursor": "input-cursor", "x": "", "nothing": ""} {
		if got := Nearest(given, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
}

// Whatever is in a file, reading it ends, and what is wrong is told.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"name: a", "list: [{item: b}]", "a: &a [*a]", "? [x]\n: y", "list: &l [*l]", "---\n---\n", "\x00", "on: yes"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := read(s); err != nil && !strings.HasPrefix(err.Error(), "f.yaml") {
			t.Errorf("%q: %v", s, err)
		}
	})
}
