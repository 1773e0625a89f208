package uitest

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/style"
)

// KeyPress is a key, by name.
func KeyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp}
	switch code, ok := special[name]; {
	case ok:
		return tea.KeyPressMsg{Code: code}
	case name == "space":
		return tea.KeyPressMsg{Code: ' ', Text: " "}
	case name == "ctrl+c":
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// Screens are the sizes that people have, of each of which there is a picture of every state.
var Screens = [][2]int{{60, 20}, {80, 24}, {100, 30}, {119, 36}, {120, 36}, {140, 40}, {160, 45}, {176, 50}, {200, 50}}

// Sizes is one of each way in which the panes are arranged.
var Sizes = [][2]int{{60, 30}, {80, 24}, {120, 36}, {200, 50}}

// CheckFrame holds what is true of every frame: its size, and that nothing in it
// but our own colours could be obeyed by a terminal.
func CheckFrame(t *testing.T, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) > h {
		t.Errorf("the frame has %d lines, the screen %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got > w {
			t.Errorf("line %d is %d cells wide, the screen %d: %q", i, got, w, l)
		}
		if bad := strings.IndexFunc(ansi.Strip(l), func(r rune) bool { return !style.Shown(r) }); bad >= 0 {
			t.Errorf("line %d holds a control character: %q", i, l)
		}
	}
}

// Both writes the plain file and the one with the names of the pens.
func Both(t *testing.T, name string, draw func(t *testing.T, theme themes.Theme, write func(st *style.Styles, heading string, lines []string))) {
	for _, form := range []struct {
		name  string
		theme themes.Theme
		text  func(t *testing.T, st *style.Styles, line string) string
	}{
		{name, themes.None, func(_ *testing.T, _ *style.Styles, line string) string { return ansi.Strip(line) }},
		{name + "_colour", Roles(), Markup},
	} {
		t.Run(form.name, func(t *testing.T) {
			var out strings.Builder
			draw(t, form.theme, func(st *style.Styles, heading string, lines []string) {
				out.WriteString(heading)
				for _, l := range lines {
					out.WriteString(strings.TrimRight(form.text(t, st, l), " ") + "\n")
				}
			})
			golden.RequireEqual(t, out.String())
		})
	}
}

func Heading(w int, of, keys string) string {
	if keys != "" {
		keys = ", after " + keys
	}
	return fmt.Sprintf("== %d columns, %s%s\n", w, of, keys)
}

// nameOf is the name of a fixture.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func NameOf(f func() *snapshot.Snapshot) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return lowerFirst(name[strings.LastIndexByte(name, '.')+1:])
}

// Roles is a theme in which every role has a colour of its own, so that what is on
// the screen tells which pen wrote it. Plain text stays plain.
func Roles() themes.Theme {
	t := themes.Theme{Name: "roles", Glyphs: themes.Unicode}
	v := reflect.ValueOf(&t).Elem()
	for i := range v.NumField() {
		if s, ok := v.Field(i).Addr().Interface().(*themes.Style); ok && v.Type().Field(i).Name != "Text" {
			s.FG = fmt.Sprintf("#0000%02x", i)
		}
	}
	return t
}

var Escape = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// Markup writes a line's escape sequences as the names of the pens: <warn>text</>.
// What one pen writes piece by piece is one text, and a text of no length, which is
// left where a line is cut, is none.
func Markup(t *testing.T, st *style.Styles, line string) string {
	names := Pens(st)
	var out strings.Builder
	open, now := "", "" // the pen that is written down, and the line's
	write := func(text string) {
		if text == "" {
			return
		}
		if open != now && open != "" {
			out.WriteString("</>")
		}
		if open != now && now != "" {
			out.WriteString("<" + now + ">")
		}
		open = now
		out.WriteString(strings.ReplaceAll(text, "<", `\<`))
	}
	at := 0
	for _, found := range Escape.FindAllStringIndex(line, -1) {
		write(line[at:found[0]])
		s := line[found[0]:found[1]]
		at = found[1]
		if s == ansi.ResetStyle {
			now = ""
			continue
		}
		name, ok := names[style.Pen(s)]
		if !ok {
			t.Errorf("no pen writes %q", s)
		}
		now = name
	}
	write(line[at:])
	if open != "" {
		out.WriteString("</>")
	}
	return out.String()
}

// Pens are the names of all pens but that of plain text; of equal ones the first.
func Pens(st *style.Styles) map[style.Pen]string {
	out := map[style.Pen]string{}
	v := reflect.ValueOf(st).Elem()
	for i := range v.NumField() {
		p := style.Pen("")
		if f := v.Field(i); f.Type() == reflect.TypeFor[style.Pen]() {
			p = style.Pen(f.String())
		}
		if _, known := out[p]; p != "" && !known {
			out[p] = lowerFirst(v.Type().Field(i).Name)
		}
	}
	return out
}
