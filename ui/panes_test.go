package ui

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// scenery is what stands on the screen when a snapshot is shown and some keys,
// separated by spaces, were pressed.
type scenery struct {
	of   func() *engine.Snapshot
	keys string
}

// with are snapshots and no keys.
func with(of ...func() *engine.Snapshot) (out []scenery) {
	for _, f := range of {
		out = append(out, scenery{of: f})
	}
	return out
}

// panes are the parts of the board. Each has two files in testdata/TestPanes: all
// its scenes at all widths, in plain text and with the names of the pens.
var panes = []struct {
	name   string
	at     func(l layout) rect
	scenes []scenery
}{
	{"header", func(l layout) rect { return l.header }, append(with(busy, canary, stale, validating, alone, alone), scenery{done, "esc"}, scenery{failed, "esc"})},
	{"phases", func(l layout) rect { return l.phases }, append(with(busy, stale), scenery{done, "esc"}, scenery{failed, "esc"}, scenery{aborted, "esc"})},
	{"banners", func(l layout) rect { return l.banners }, append(with(asking, canary, phase, watching, stale, rivalled, opposed, validating, pressed, alone), scenery{asking, "a enter"}, scenery{busy, "ctrl+c"})},
	{"roll", func(l layout) rect { return l.roll }, with(rolling, between, manyGroups)},
	{"groups", func(l layout) rect { return l.groups }, append(with(rolling, between, manyGroups), scenery{rolledAll, "esc"})},
	{"tabs", func(l layout) rect { return l.tabs }, []scenery{{busy, ""}, {busy, "tab"}, {asking, "tab tab"}, {watching, ""}}},
	{"choice", func(l layout) rect { return l.choice }, []scenery{{busy, "/ b l o c k"}, {busy, "/ z o n e = b enter"}, {busy, "o"}, {busy, "down space"}}},
	{"nodes", func(l layout) rect { return l.nodes }, append(with(busy, watching, crowded, validating), scenery{done, "esc"}, scenery{busy, "down down"}, scenery{busy, "/ 2 - enter"}, scenery{crowded, "down G"})},
	{"validation", func(l layout) rect { return l.validation }, append(with(validating, passing, pressed, valid, interval), scenery{validating, "tab"}, scenery{invalid, "esc"})},
	{"blocked", func(l layout) rect { return l.blocked }, []scenery{{busy, "tab"}, {busy, "tab down"}, {stale, "tab"}, {kinds, "tab"}, {kinds, "tab down G"}}},
	{"evictions", func(l layout) rect { return l.evictions }, []scenery{{busy, "tab"}, {stale, "tab"}, {crowded, "tab"}}},
	{"log", func(l layout) rect { return l.log }, []scenery{{busy, "tab tab"}, {busy, "c tab tab"}, {busy, "tab tab up up"}, {failed, "esc tab tab"}}},
	{"footer", func(l layout) rect { return l.footer }, []scenery{{busy, ""}, {asking, ""}, {stale, ""}, {done, "esc"}, {busy, "a"}, {busy, "p"}}},
}

// dialogs are what lies over the board, in files of the same kind.
var dialogs = []struct {
	name   string
	scenes []scenery
}{
	{"approve", []scenery{{asking, "a"}, {canary, "a"}, {phase, "a"}, {blind, "a"}}},
	{"force", []scenery{{busy, "f"}, {busy, "f i p"}, {busy, "f i p enter"}, {looking, "down enter down down down down down f"}}},
	{"skip", []scenery{{watching, "down right s"}}},
	{"return", []scenery{{watching, "down g r"}}},
	{"abort", []scenery{{busy, "x"}}},
	{"quit", []scenery{{busy, "q"}}},
	{"menu", []scenery{{busy, "?"}, {busy, "? f o r"}}},
	{"palette", []scenery{{busy, ":"}, {busy, ": p a"}}},
	{"node", []scenery{{busy, "down enter"}, {watching, "down enter"}, {looking, "down enter"}, {looking, "down enter down"}, {looking, "down enter" + strings.Repeat(" down", 11)}, {calm, "down g enter"}}},
	{"blocker", []scenery{{busy, "tab down enter"}, {looking, "down enter enter"}}},
	{"budget", []scenery{{looking, "down enter b"}, {behind, "down enter b"}, {looking, "down enter down b"}}},
	{"event", []scenery{{busy, "tab tab up up enter"}}},
	{"validation", []scenery{{validating, "v"}}},
	{"end", with(done, failed, invalid)},
	{"rolled", with(rolledAll, rollStopped)},
	{"abort_roll", []scenery{{rolling, "x"}, {between, "x"}}},
	{"quit_roll", []scenery{{rolling, "q"}, {between, "q"}}},
}

func TestPanes(t *testing.T) {
	for _, p := range panes {
		shown := false
		scenes(t, p.name, p.scenes, func(m *Model) []string {
			r := p.at(m.plan())
			lines := strings.Split(m.View().Content, "\n")[r.y : r.y+r.h]
			for i := range lines {
				lines[i] = slice(lines[i], r.x, r.x+r.w)
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
			if m.dialog == nil {
				t.Fatalf("%s: no dialog is open", d.name)
			}
			bare := make([]string, m.height)
			for i := range bare {
				bare[i] = spaces(m.width)
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

func TestPicker(t *testing.T) {
	both(t, "groups", func(t *testing.T, theme themes.Theme, write func(st *styles, heading string, lines []string)) {
		for _, keys := range []string{"", "G enter"} {
			for _, size := range sizes {
				p := newPicker(groups, Options{Theme: theme, Now: func() time.Time { return at }})
				p.Update(tea.WindowSizeMsg{Width: size[0], Height: 14})
				for _, k := range strings.Fields(keys) {
					p.Update(keyPress(k))
				}
				frame := p.View().Content
				checkFrame(t, frame, size[0], 14)
				write(p.st, heading(size[0], "groups", keys), strings.Split(frame, "\n"))
			}
		}
	})
}

// scenes compares a part of the screen in all its scenes, at all widths, with its
// golden files.
func scenes(t *testing.T, name string, scenes []scenery, draw func(m *Model) []string) {
	both(t, name, func(t *testing.T, theme themes.Theme, write func(st *styles, heading string, lines []string)) {
		for _, s := range scenes {
			for _, size := range sizes {
				m := board(s.of(), size[0], size[1], theme)
				if s.keys != "" {
					m.settle()
				}
				press(m, strings.Fields(s.keys)...)
				lines := draw(m)
				checkFrame(t, strings.Join(lines, "\n"), size[0], size[1])
				write(m.st, heading(size[0], nameOf(s.of), s.keys), lines)
			}
		}
	})
}

// both writes the plain file and the one with the names of the pens.
func both(t *testing.T, name string, draw func(t *testing.T, theme themes.Theme, write func(st *styles, heading string, lines []string))) {
	for _, form := range []struct {
		name  string
		theme themes.Theme
		text  func(t *testing.T, st *styles, line string) string
	}{
		{name, themes.None, func(_ *testing.T, _ *styles, line string) string { return ansi.Strip(line) }},
		{name + "_colour", roles(), markup},
	} {
		t.Run(form.name, func(t *testing.T) {
			var out strings.Builder
			draw(t, form.theme, func(st *styles, heading string, lines []string) {
				out.WriteString(heading)
				for _, l := range lines {
					out.WriteString(strings.TrimRight(form.text(t, st, l), " ") + "\n")
				}
			})
			golden.RequireEqual(t, out.String())
		})
	}
}

func heading(w int, of, keys string) string {
	if keys != "" {
		keys = ", after " + keys
	}
	return fmt.Sprintf("== %d columns, %s%s\n", w, of, keys)
}

// nameOf is the name of a fixture.
func nameOf(f func() *engine.Snapshot) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// roles is a theme in which every role has a colour of its own, so that what is on
// the screen tells which pen wrote it. Plain text stays plain.
func roles() themes.Theme {
	t := themes.Theme{Name: "roles", Glyphs: themes.Unicode}
	v := reflect.ValueOf(&t).Elem()
	for i := range v.NumField() {
		if s, ok := v.Field(i).Addr().Interface().(*themes.Style); ok && v.Type().Field(i).Name != "Text" {
			s.FG = fmt.Sprintf("#0000%02x", i)
		}
	}
	return t
}

var escape = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// markup writes a line's escape sequences as the names of the pens: <warn>text</>.
// What one pen writes piece by piece is one text, and a text of no length, which is
// left where a line is cut, is none.
func markup(t *testing.T, st *styles, line string) string {
	names := pens(st)
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
	for _, found := range escape.FindAllStringIndex(line, -1) {
		write(line[at:found[0]])
		s := line[found[0]:found[1]]
		at = found[1]
		if s == ansi.ResetStyle {
			now = ""
			continue
		}
		name, ok := names[pen(s)]
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

// pens are the names of all pens but that of plain text; of equal ones the first.
func pens(st *styles) map[pen]string {
	out := map[pen]string{}
	v := reflect.ValueOf(st).Elem()
	for i := range v.NumField() {
		p := pen("")
		if f := v.Field(i); f.Type() == reflect.TypeFor[pen]() {
			p = pen(f.String())
		}
		if _, known := out[p]; p != "" && !known {
			out[p] = v.Type().Field(i).Name
		}
	}
	return out
}

func TestMarkup(t *testing.T) {
	st := newStyles(roles())
	line := newLine(st, 30).add(st.text, "a<b ").add(st.warn, "one").add(st.warn, " two").add(st.bad, "!").add(st.text, " end").String()
	if got, want := markup(t, st, line), `a\<b <warn>one two</><bad>!</> end              `; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := markup(t, st, slice(line, 6, 10)), "<warn>e tw</>"; got != want {
		t.Errorf("the slice is %q, want %q", got, want)
	}
}

// TestEveryRoleHasAName holds that the files with colours can tell all roles apart.
func TestEveryRoleHasAName(t *testing.T) {
	named := map[string]bool{}
	for _, name := range pens(newStyles(roles())) {
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
		if got := string(newPen(c.style)); got != c.want {
			t.Errorf("%+v is written with %q, want %q", c.style, got, c.want)
		}
	}
}

// TestOnlyPensColourTheScreen holds, for the real themes, that every look on the
// screen begins with a pen of the theme and ends before the next.
func TestOnlyPensColourTheScreen(t *testing.T) {
	for _, theme := range []themes.Theme{themes.Dark, themes.Light, themes.None} {
		for _, f := range fixtures {
			m := board(f.make(), 120, 36, theme)
			known := pens(m.st)
			found := 0
			for l := range strings.SplitSeq(m.View().Content, "\n") {
				open := false
				for _, s := range escape.FindAllString(l, -1) {
					if s == ansi.ResetStyle {
						open = false
						continue
					}
					if known[pen(s)] == "" || open {
						t.Errorf("%s, %s: %q is no pen, or begins within another's text: %q", theme.Name, f.name, s, l)
					}
					open = true
					found++
				}
				if open {
					t.Errorf("%s, %s: a look goes on after the end of its line: %q", theme.Name, f.name, l)
				}
			}
			if found < 30 {
				t.Errorf("%s, %s: only %d looks on the screen", theme.Name, f.name, found)
			}
		}
	}
}

// crowded is a run with more nodes, and more pods on their way, than most screens
// have room for.
func crowded() *engine.Snapshot {
	s := busy()
	for z := range s.Zones {
		zone := &s.Zones[z]
		for n := range 60 {
			r := *zone.Rows[2]
			r.ID, r.Name, r.Stage, r.Pods, r.PodsLeft = fmt.Sprintf("i-%d-%d", z, n), host(z+1, 100+n), engine.Outdated, 7, 7
			zone.Rows = append(zone.Rows, &r)
		}
		zone.Total += 60
	}
	s.Total += 180
	// As the engine sorts them: what takes longest comes first.
	going := s.Evictions[0]
	s.Evictions = s.Evictions[:1]
	for n := range 30 {
		e := *going
		e.Pod, e.UID = fmt.Sprintf("shop/cart-55c-%d", 10+n), fmt.Sprintf("u-cart-%d", n)
		e.Grace = wait("grace period", time.Duration(20-n/2)*time.Second, 30*time.Second)
		s.Evictions = append(s.Evictions, &e)
	}
	return s
}

// kinds is a run in which every kind of thing holds a pod.
func kinds() *engine.Snapshot {
	s := busy()
	budget := s.Blockers[0]
	two := *budget
	two.Kind, two.Pod, two.UID = engine.BlockedByBudgets, "shop/payments-0", "u-10"
	two.Budgets = append(two.Budgets, engine.BudgetView{Ref: "shop/all", Expression: "maxUnavailable 1", Allowed: 1, Healthy: 9, Desired: 8, Expected: 9})
	two.Detail, two.WayOut = "two budgets cover it, which the eviction API refuses", "delete one of the budgets, or force with f"
	s.Blockers = append(s.Blockers, &two)
	for i, k := range []struct {
		kind        engine.BlockerKind
		detail, way string
	}{
		{engine.BlockedByWebhook, `admission webhook "guard.example.com" denied the request: not during business hours`, "ask who runs guard.example.com, or force with f"},
		{engine.BlockedByFinalizer, "its grace period is over, and these finalizers hold it: example.com/cleanup", "see what removes example.com/cleanup"},
		{engine.BlockedByGrace, "should have ended 2m0s ago: its kubelet has not said so", "look at the kubelet, or force with f"},
		{engine.BlockedByRoom, "shop/search-2, which replaces it, is Pending: 0/12 nodes have room", "make room (add a node, or uncordon one), or force with f"},
		{engine.BlockedByReturn, "came back 3 times: it tolerates every taint", "narrow its tolerations, scale agent to 0, or force the node with f"},
		{engine.BlockedByConsent, "has data in an emptyDir, which would be lost", "start again with --delete-emptydir-data, or force with f"},
		{engine.BlockedByRights, "pods/eviction is forbidden for ana in namespace shop", "grant create on pods/eviction"},
		{engine.BlockedByAPI, "the API answered 500: etcdserver: request timed out", "it is tried again"},
	} {
		s.Blockers = append(s.Blockers, &engine.Blocker{
			Kind: k.kind, Pod: fmt.Sprintf("shop/%s-%d", strings.ReplaceAll(string(k.kind), " ", "-"), i), UID: fmt.Sprintf("u-2%d", i), Node: budget.Node, Machine: budget.Machine,
			Tries: i, Since: at.Add(-time.Minute), Next: at.Add(20 * time.Second), Deadline: budget.Deadline, Detail: k.detail, WayOut: k.way,
		})
	}
	return s
}
