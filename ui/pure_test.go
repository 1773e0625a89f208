package ui

import (
	"fmt"
	"reflect"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// TestViewHasNoSideEffects holds that rendering and View change nothing of the model: what
// a frame depends on is worked out before, by Update.
func TestViewHasNoSideEffects(t *testing.T) {
	for _, of := range []func() *snapshot.Snapshot{uitest.Busy, uitest.Asking, uitest.Looking, uitest.Rolling, uitest.Validating, uitest.Failed, uitest.Partial(uitest.Busy)} {
		for _, keys := range [][]string{nil, {"down"}, {"tab", "down"}, {"tab", "tab", "up", "up"}, {"down", "enter", "down"}, {"?"}, {"x"}, {"/", "a"}} {
			for _, size := range [][2]int{{200, 50}, {80, 24}, {60, 30}} {
				m := board(of(), size[0], size[1], themes.Dark)
				m.settle()
				press(m, keys...)
				before := state(m)
				m.render()
				m.View()
				if after := state(m); after != before {
					t.Errorf("%s at %dx%d after %q: the model was\n%s\nand is\n%s", uitest.NameOf(of), size[0], size[1], keys, before, after)
				}
			}
		}
	}
}

// TestFramesAreThoseOfUpdate holds that the test above can fail: it sees what fitting the
// panes into another size writes.
func TestFramesAreThoseOfUpdate(t *testing.T) {
	m := board(uitest.Busy(), 200, 50, themes.Dark)
	before := state(m)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if state(m) == before {
		t.Error("another size changed nothing that is seen")
	}
}

// state is all that the model holds, followed through pointers, as text. The snapshot is
// left out: it is never changed, and the functions, which cannot be compared.
func state(m *Model) string {
	seen := map[uintptr]bool{}
	var text func(v reflect.Value) string
	text = func(v reflect.Value) string {
		switch v.Kind() {
		case reflect.Func, reflect.Chan:
			return "-"
		case reflect.Pointer, reflect.Interface:
			if v.IsNil() {
				return "nil"
			}
			if v.Kind() == reflect.Pointer {
				if v.Type() == reflect.TypeFor[*snapshot.Snapshot]() || seen[v.Pointer()] {
					return fmt.Sprintf("%x", v.Pointer())
				}
				seen[v.Pointer()] = true
			}
			return text(v.Elem())
		case reflect.Struct:
			out := "{"
			for i := range v.NumField() {
				out += v.Type().Field(i).Name + ":" + text(v.Field(i)) + " "
			}
			return out + "}"
		case reflect.Slice, reflect.Array:
			out := "["
			for i := range v.Len() {
				out += text(v.Index(i)) + " "
			}
			return out + "]"
		case reflect.Map:
			return fmt.Sprint(v.Len(), " ", v) // fmt sorts the keys
		}
		return fmt.Sprint(v)
	}
	return text(reflect.ValueOf(m))
}
