package record

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"
)

// How long a pod took to stop counts from when that was accepted, not from attempts that were refused.
func TestPodWent(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 11, 2, 9, 0, s, 0, time.UTC) }
	for _, c := range []struct {
		pod  Pod
		want time.Time
	}{
		{Pod{First: at(1), Last: at(20), Evicted: at(21)}, at(21)},
		{Pod{First: at(1), Last: at(30), Forced: true}, at(30)},
		{Pod{First: at(1)}, at(1)},
	} {
		if got := c.pod.Went(); !got.Equal(c.want) {
			t.Errorf("%+v: %s", c.pod, got)
		}
	}
}

// Stages has every stage that there is, once.
func TestStagesAreAll(t *testing.T) {
	source, err := os.ReadFile("run.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(` Stage = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(named) != len(Stages) || len(named) < 10 {
		t.Errorf("run.go has %d stages, the list %d", len(named), len(Stages))
	}
	for _, stage := range named {
		if !slices.Contains(Stages, Stage(stage[1])) {
			t.Errorf("the list lacks %q", stage[1])
		}
	}
}

// A node is the same one only if nothing of it has changed, whatever that is; a copy is the same.
func TestSameNode(t *testing.T) {
	var change func(v reflect.Value)
	change = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Slice:
			v.Set(reflect.Append(v, reflect.New(v.Type().Elem()).Elem()))
		case reflect.Pointer:
			next := reflect.New(v.Type().Elem())
			if !v.IsNil() {
				next.Elem().Set(v.Elem())
			}
			change(next.Elem())
			v.Set(next)
		case reflect.Struct:
			if at, is := v.Interface().(time.Time); is {
				v.Set(reflect.ValueOf(at.Add(time.Second)))
				return
			}
			change(v.Field(0))
		default:
			t.Fatalf("how does %s change?", v.Type())
		}
	}
	full := Node{}
	for i := range reflect.TypeFor[Node]().NumField() {
		change(reflect.ValueOf(&full).Elem().Field(i))
	}
	again := full
	again.Wait, again.Routes = new(*full.Wait), slices.Clone(full.Routes)
	if !again.Same(&full) || !full.Same(&full) {
		t.Error("a copy is another one")
	}
	for i := range reflect.TypeFor[Node]().NumField() {
		other := full
		change(reflect.ValueOf(&other).Elem().Field(i))
		if full.Same(&other) || other.Same(&full) {
			t.Errorf("it is the same with another %s", reflect.TypeFor[Node]().Field(i).Name)
		}
	}
}

func TestWorkloadSentence(t *testing.T) {
	for want, w := range map[string]Workload{
		"replacement shop/web-7 crash-loops on ip-10-0-0-12, 2 more too":          {CrashLooping: 3, Pending: 1, Pod: "shop/web-7", Node: "ip-10-0-0-12"},
		"replacement shop/web-7 is Pending, 1 more too: 0/6 nodes are available.": {Pending: 2, Short: 1, Pod: "shop/web-7", Reason: "0/6 nodes are available."},
		"2 pods fewer healthy than PDB shop/web requires":                         {Short: 2, Starting: 1, Budget: "shop/web"},
		"1 replacement starts":          {Starting: 1, Ready: 2},
		"2 replacements Ready, 3 moved": {Ready: 2, Moved: 3},
	} {
		if got := w.Sentence(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
