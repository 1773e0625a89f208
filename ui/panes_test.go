package ui

import (
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/uitest"
)

// scenery is what stands on the screen when a snapshot is shown and some keys,
// separated by spaces, were pressed.
type scenery struct {
	of   func() *snapshot.Snapshot
	keys string
}

// with are snapshots and no keys.
func with(of ...func() *snapshot.Snapshot) (out []scenery) {
	for _, f := range of {
		out = append(out, scenery{of: f})
	}
	return out
}

// panes are the parts of the board. Each has two files in testdata/TestPanes: all
// its scenes at all widths, in plain text and with the names of the pens.
var panes = []struct {
	name   string
	Moment func(l layout) rect
	scenes []scenery
}{
	{"header", func(l layout) rect { return l.header }, append(with(uitest.Busy, uitest.Canary, uitest.Stale, uitest.Validating, uitest.Alone, uitest.Alone), scenery{uitest.Done, "esc"}, scenery{uitest.Failed, "esc"})},
	{"phases", func(l layout) rect { return l.phases }, append(with(uitest.Busy, uitest.Stale), scenery{uitest.Done, "esc"}, scenery{uitest.Failed, "esc"}, scenery{uitest.Aborted, "esc"})},
	{"banners", func(l layout) rect { return l.banners }, append(with(uitest.Asking, uitest.Canary, uitest.Phase, uitest.Watching, uitest.Stale, uitest.ExternalMovers, uitest.Opposed, uitest.Validating, uitest.Pressed, uitest.Alone, uitest.Sick, uitest.Accepted, uitest.UpdateFailed), scenery{uitest.Asking, "a enter"}, scenery{uitest.Busy, "ctrl+c ctrl+c"})},
	{"roll", func(l layout) rect { return l.roll }, with(uitest.Rolling, uitest.Between, uitest.ManyGroups)},
	{"groups", func(l layout) rect { return l.groups }, append(with(uitest.Rolling, uitest.Between, uitest.ManyGroups), scenery{uitest.RolledAll, "esc"})},
	{"tabs", func(l layout) rect { return l.tabs }, []scenery{{uitest.Busy, ""}, {uitest.Busy, "tab"}, {uitest.Asking, "tab tab"}, {uitest.Watching, ""}}},
	{"choice", func(l layout) rect { return l.choice }, []scenery{{uitest.Busy, "/ b l o c k"}, {uitest.Busy, "/ z o n e = b enter"}, {uitest.Busy, "o"}, {uitest.Busy, "down space"}}},
	{"nodes", func(l layout) rect { return l.nodes }, append(with(uitest.Busy, uitest.Watching, uitest.Crowded, uitest.Validating), scenery{uitest.Done, "esc"}, scenery{uitest.Busy, "down down"}, scenery{uitest.Busy, "/ 2 - enter"}, scenery{uitest.Crowded, "down G"})},
	{"validation", func(l layout) rect { return l.validation }, append(with(uitest.Validating, uitest.Passing, uitest.Pressed, uitest.Valid, uitest.Interval), scenery{uitest.Validating, "tab"}, scenery{uitest.Invalid, "esc"})},
	{"blocked", func(l layout) rect { return l.blocked }, []scenery{{uitest.Busy, "tab"}, {uitest.Busy, "tab down"}, {uitest.Stale, "tab"}, {uitest.Kinds, "tab"}, {uitest.Kinds, "tab down G"}}},
	{"evictions", func(l layout) rect { return l.evictions }, []scenery{{uitest.Busy, "tab"}, {uitest.Stale, "tab"}, {uitest.Crowded, "tab"}}},
	{"log", func(l layout) rect { return l.log }, []scenery{{uitest.Busy, "tab tab"}, {uitest.Busy, "c tab tab"}, {uitest.Busy, "tab tab up up"}, {uitest.Failed, "esc tab tab"}}},
	{"footer", func(l layout) rect { return l.footer }, []scenery{{uitest.Busy, ""}, {uitest.Asking, ""}, {uitest.Stale, ""}, {uitest.Done, "esc"}, {uitest.Busy, "a"}, {uitest.Busy, "p"}, {uitest.UpdateFailed, ""}, {uitest.UpdateFailed, "p"}}},
}

// dialogs are what lies over the board, in files of the same kind.
var dialogs = []struct {
	name   string
	scenes []scenery
}{
	{"approve", []scenery{{uitest.Asking, "a"}, {uitest.Canary, "a"}, {uitest.Phase, "a"}, {uitest.Blind, "a"}, {uitest.Accepted, "a"}}},
	{"accept", []scenery{{uitest.Sick, "p"}, {uitest.Sick, "p n g"}, {uitest.Sick, "p n g enter"}}},
	{"force", []scenery{{uitest.Busy, "f"}, {uitest.Busy, "f i p"}, {uitest.Busy, "f i p enter"}, {uitest.Looking, "down enter down down down down down f"}}},
	{"skip", []scenery{{uitest.Watching, "down right s"}}},
	{"return", []scenery{{uitest.Watching, "down g r"}}},
	{"abort", []scenery{{uitest.Busy, "x"}}},
	{"quit", []scenery{{uitest.Busy, "q"}}},
	{"menu", []scenery{{uitest.Busy, "?"}, {uitest.Busy, "? f o r"}}},
	{"palette", []scenery{{uitest.Busy, ":"}, {uitest.Busy, ": p a"}}},
	{"pace", []scenery{{uitest.Busy, "u up"}}},
	{"node", []scenery{{uitest.Busy, "down enter"}, {uitest.Watching, "down enter"}, {uitest.Looking, "down enter"}, {uitest.Looking, "down enter down"}, {uitest.Looking, "down enter" + strings.Repeat(" down", 11)}, {uitest.Calm, "down g enter"}}},
	{"blocker", []scenery{{uitest.Busy, "tab down enter"}, {uitest.Looking, "down enter enter"}}},
	{"budget", []scenery{{uitest.Looking, "down enter b"}, {uitest.Behind, "down enter b"}, {uitest.Looking, "down enter down b"}}},
	{"event", []scenery{{uitest.Busy, "tab tab up up enter"}}},
	{"validation", []scenery{{uitest.Validating, "v"}}},
	{"end", with(uitest.Done, uitest.Failed, uitest.Invalid)},
	{"rolled", with(uitest.RolledAll, uitest.RollStopped)},
	{"abort_roll", []scenery{{uitest.Rolling, "x"}, {uitest.Between, "x"}}},
	{"quit_roll", []scenery{{uitest.Rolling, "q"}, {uitest.Between, "q"}}},
}

func TestPanes(t *testing.T) {
	for _, p := range panes {
		shown := false
		scenes(t, p.name, p.scenes, func(m *Model) []string {
			r := p.Moment(m.plan())
			lines := strings.Split(m.View().Content, "\n")[r.y : r.y+r.h]
			for i := range lines {
				lines[i] = style.Slice(lines[i], r.x, r.x+r.w)
			}
			if r.h == 0 {
				return []string{"(not shown)"}
			}
			shown = true
			return lines
		})
		if !shown {
			t.Errorf("%s is nowhere on the screen", p.name)
		}
	}
}

func TestDialogs(t *testing.T) {
	for _, d := range dialogs {
		scenes(t, d.name, d.scenes, func(m *Model) []string {
			if m.Dialog == nil {
				t.Fatalf("%s: no dialog is open", d.name)
			}
			bare := make([]string, m.Height)
			for i := range bare {
				bare[i] = style.Spaces(m.Width)
			}
			var out []string
			for _, l := range m.overlay(bare) {
				if strings.TrimSpace(ansi.Strip(l)) != "" {
					out = append(out, l)
				}
			}
			return out
		})
	}
}

// scenes compares a part of the screen in all its scenes, at all widths, with its
// golden files.
func scenes(t *testing.T, name string, scenes []scenery, draw func(m *Model) []string) {
	uitest.Both(t, name, func(t *testing.T, theme themes.Theme, write func(st *style.Styles, heading string, lines []string)) {
		for _, s := range scenes {
			for _, size := range uitest.Sizes {
				m := undrawn(s.of(), size[0], size[1], theme)
				if s.keys != "" {
					m.settle()
				}
				press(m, strings.Fields(s.keys)...)
				lines := draw(m)
				uitest.CheckFrame(t, strings.Join(lines, "\n"), size[0], size[1])
				write(m.Styles, uitest.Heading(size[0], uitest.NameOf(s.of), s.keys), lines)
			}
		}
	})
}

func TestMarkup(t *testing.T) {
	st := style.New(uitest.Roles())
	line := style.NewLine(st, 30).Add(st.Text, "a<b ").Add(st.Warn, "one").Add(st.Warn, " two").Add(st.Bad, "!").Add(st.Text, " end").String()
	if got, want := uitest.Markup(t, st, line), `a\<b <warn>one two</><bad>!</> end              `; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := uitest.Markup(t, st, style.Slice(line, 6, 10)), "<warn>e tw</>"; got != want {
		t.Errorf("the slice is %q, want %q", got, want)
	}
}

// TestEveryRoleHasAName holds that the files with colours can tell all roles apart.
func TestEveryRoleHasAName(t *testing.T) {
	named := map[string]bool{}
	for _, name := range uitest.Pens(style.New(uitest.Roles())) {
		named[strings.ToLower(name)] = true
	}
	v := reflect.TypeFor[themes.Theme]()
	for i := range v.NumField() {
		if f := v.Field(i); f.Type == reflect.TypeFor[themes.Style]() && f.Name != "Text" && !named[strings.ToLower(f.Name)] {
			t.Errorf("%s of a theme has no pen of its own", f.Name)
		}
	}
}

// TestPens holds what a terminal is sent for a style: all that the files with the
// names of the pens leave out.
func TestPens(t *testing.T) {
	for _, c := range []struct {
		style themes.Style
		want  string
	}{
		{themes.Dark.Text, ""},
		{themes.Dark.Dim, "\x1b[38;2;155;166;178m"},
		{themes.Dark.Warn, "\x1b[1;38;2;242;180;92m"},
		{themes.Dark.Ask, "\x1b[1;38;2;22;27;34;48;2;242;193;78m"},
		{themes.Light.Alarm, "\x1b[1;38;2;255;255;255;48;2;179;18;29m"},
		{themes.None.Bad, "\x1b[1;4m"},
		{themes.None.Off, "\x1b[2m"},
		{themes.None.Cursor, "\x1b[7m"},
		{themes.Style{FG: "208", BG: "9"}, "\x1b[38;5;208;101m"},
	} {
		if got := string(style.NewPen(c.style)); got != c.want {
			t.Errorf("%+v is written with %q, want %q", c.style, got, c.want)
		}
	}
}

// TestOnlyPensColourTheScreen holds, for the real themes, that every look on the
// screen begins with a pen of the theme and ends before the next.
func TestOnlyPensColourTheScreen(t *testing.T) {
	for _, theme := range []themes.Theme{themes.Dark, themes.Light, themes.None} {
		for _, f := range uitest.Fixtures {
			m := board(f.Make(), 120, 36, theme)
			known := uitest.Pens(m.Styles)
			found := 0
			for l := range strings.SplitSeq(m.View().Content, "\n") {
				open := false
				for _, s := range uitest.Escape.FindAllString(l, -1) {
					if s == ansi.ResetStyle {
						open = false
						continue
					}
					if known[style.Pen(s)] == "" || open {
						t.Errorf("%s, %s: %q is no pen, or begins within another's text: %q", theme.Name, f.Name, s, l)
					}
					open = true
					found++
				}
				if open {
					t.Errorf("%s, %s: a look continues after the end of its line: %q", theme.Name, f.Name, l)
				}
			}
			if found < 30 {
				t.Errorf("%s, %s: only %d looks on the screen", theme.Name, f.Name, found)
			}
		}
	}
}
