package ui

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
	"github.com/drainboard/drainboard/ui/uitest"
)

func TestWhatTheEnvironmentTellsOfTheTerminal(t *testing.T) {
	const all = 1 << 24
	for _, c := range []struct {
		environ []string
		want    themes.Terminal
	}{
		{[]string{"TERM=xterm"}, themes.Terminal{Term: "xterm", Colours: all, Dark: true}},
		{[]string{"TERM=xterm", "COLORFGBG=0;15"}, themes.Terminal{Term: "xterm", Colours: all}},
		{[]string{"TERM=xterm", "COLORFGBG=0;default;15"}, themes.Terminal{Term: "xterm", Colours: all}},
		{[]string{"TERM=xterm", "COLORFGBG=0;7"}, themes.Terminal{Term: "xterm", Colours: all}},
		{[]string{"TERM=xterm", "COLORFGBG=15;8"}, themes.Terminal{Term: "xterm", Colours: all, Dark: true}},
		{[]string{"TERM=xterm", "COLORFGBG=15;0"}, themes.Terminal{Term: "xterm", Colours: all, Dark: true}},
		{[]string{"TERM=xterm", "COLORFGBG=0;default"}, themes.Terminal{Term: "xterm", Colours: all, Dark: true}},
		{[]string{"TERM=xterm", "NO_COLOR="}, themes.Terminal{Term: "xterm", Colours: all, Dark: true}},
		{[]string{"TERM=xterm", "NO_COLOR=no"}, themes.Terminal{Term: "xterm", Dark: true}},
		{[]string{"TERM=dumb"}, themes.Terminal{Term: "dumb", Dark: true}},
	} {
		if got := term.TerminalOf(c.environ); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.environ, got, c.want)
		}
	}
}

func TestBubbleTeaHearsOfEveryNoColor(t *testing.T) {
	for value, coloured := range map[string]bool{"1": false, "yes": false, "0": false, "": true} {
		environ := term.WithoutColours([]string{"TERM=xterm-256color", "NO_COLOR=" + value})
		if got := colorprofile.Env(environ) > colorprofile.ASCII; got != coloured {
			t.Errorf("NO_COLOR=%q: colours %v, want %v", value, got, coloured)
		}
	}
}

// An answer of the terminal beats the hint, and NO_COLOR beats every theme.
func TestTheTerminalsAnswerCounts(t *testing.T) {
	m := NewModel(Options{Environ: []string{"TERM=xterm", "COLORFGBG=0;15"}, Theme: themes.HighContrast})
	if m.Terminal.Dark || m.Styles.Good != style.NewPen(themes.HighContrast.OnLight.Good) {
		t.Error("the hint of a light background does not count")
	}
	m.Update(tea.BackgroundColorMsg{Color: ansi.Black})
	if m.Styles.Good != style.NewPen(themes.HighContrast.Good) {
		t.Error("the terminal's dark background does not count")
	}
	m = NewModel(Options{Environ: []string{"TERM=xterm", "NO_COLOR=yes"}, Theme: themes.HighContrast})
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if m.Styles.Bad != style.NewPen(themes.None.Bad) {
		t.Error("a theme has colours with NO_COLOR")
	}
	m = NewModel(Options{Environ: []string{"TERM=xterm"}})
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if m.Styles.Good != style.NewPen(themes.Sixteen.Good) {
		t.Error("a terminal of sixteen colours does not get the theme for that")
	}
}

// Every theme shows every screen, with its own colours and no others.
func TestEveryThemeShowsEveryScreen(t *testing.T) {
	for _, name := range themes.Names() {
		theme, _ := themes.Named(name)
		for _, dark := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s_dark_%v", name, dark), func(t *testing.T) {
				for _, f := range uitest.Fixtures {
					m := board(f.Make(), 120, 36, theme)
					background := ansi.White
					if dark {
						background = ansi.Black
					}
					m.Update(tea.BackgroundColorMsg{Color: background})
					frame := m.View().Content
					uitest.CheckFrame(t, frame, 120, 36)
					if rgb := strings.Contains(frame, "38;2;"); rgb != (name != "none" && name != "16") {
						t.Errorf("%s: colours by red, green and blue: %v", f.Name, rgb)
					}
				}
			})
		}
	}
}

// Colours waits until the text is on the screen in these colours.
func (p *person) Colours(text string, want themes.Style) *person {
	p.T.Helper()
	return p.until(func(s string) string {
		for y, line := range strings.Split(s, "\n") {
			before, _, found := strings.Cut(line, text)
			if !found {
				continue
			}
			p.Mu.Lock()
			style := p.term.CellAt(ansi.StringWidth(before), y).Style
			p.Mu.Unlock()
			if sameColour(style.Fg, want.FG) && sameColour(style.Bg, want.BG) {
				return ""
			}
			return fmt.Sprintf("shows %q in %v on %v, not in %s on %s", text, style.Fg, style.Bg, want.FG, want.BG)
		}
		return "does not show " + text
	})
}

func sameColour(c color.Color, name string) bool {
	if c == nil || name == "" {
		return c == nil && name == ""
	}
	r, g, b, _ := c.RGBA()
	wr, wg, wb, _ := lipgloss.Color(name).RGBA()
	return r == wr && g == wg && b == wb
}

// A theme that is mended, changed and broken while the dashboard is open is seen at
// once; a broken one is told until it is mended.
func TestThemeChangesWhileTheDashboardIsOpen(t *testing.T) {
	looks := make(chan term.Appearance)
	ui := sit(t, 100, 30, uitest.Busy(), func(o *Options) { o.Theme, o.Appearances = themes.Dark, looks })
	ui.Expect("ng-web").Colours("● upgrading", themes.Dark.Active)
	looks <- term.Appearance{Theme: themes.HighContrast}
	ui.Colours("● upgrading", themes.HighContrast.Active)
	looks <- term.Appearance{Theme: themes.HighContrast, Mark: "PRODUCTION", Problem: "themes/mine.yaml, line 3: no colour"}
	ui.Expect("▲ themes/mine.yaml, line 3: no colour").Colours("PRODUCTION", themes.HighContrast.Mark)
	ui.Colours("▲ themes/mine.yaml", themes.HighContrast.Calm)
	ui.Press("?").Press("esc").Expect("themes/mine.yaml, line 3") // a key does not put it away
	looks <- term.Appearance{Theme: themes.ColourBlind}
	ui.Gone("themes/mine.yaml", "PRODUCTION").Colours("● upgrading", themes.ColourBlind.Active)
}

// The mark is on every screen and on every dialog, in its colours, whatever else
// has to go; a hostile or endless one takes no more than its place.
func TestTheMarkIsNeverDropped(t *testing.T) {
	for _, f := range uitest.Fixtures {
		for _, size := range [][2]int{{44, 14}, {60, 30}, {80, 24}, {120, 36}, {200, 50}} {
			for _, keys := range [][]string{{}, {"x"}, {"?"}, {"q"}} {
				m := board(f.Make(), size[0], size[1], themes.Dark)
				m.settle()
				m.Appearance.Mark = "PRODUCTION"
				m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				press(m, keys...)
				v := m.View()
				uitest.CheckFrame(t, v.Content, size[0], size[1])
				marked := string(style.NewPen(themes.Dark.Mark)) + " PRODUCTION "
				want := 1
				if m.Dialog != nil {
					want = 2
				}
				if got := strings.Count(v.Content, marked); got < 1 || size[1] >= 50 && got != want {
					t.Errorf("%s %dx%d %v: the mark is there %d times\n%s", f.Name, size[0], size[1], keys, got, ansi.Strip(v.Content))
				}
				if !strings.HasPrefix(v.WindowTitle, "PRODUCTION ") {
					t.Errorf("title %q", v.WindowTitle)
				}
			}
		}
	}
	for _, bad := range append(uitest.Tricks, strings.Repeat("PRODUCTION ", 20)) {
		m := board(uitest.Busy(), 44, 14, themes.Dark)
		m.Appearance.Mark = "A" + bad
		press(m, "x")
		uitest.CheckFrame(t, m.View().Content, 44, 14)
		if strings.ContainsFunc(m.View().WindowTitle, unicode.IsControl) {
			t.Errorf("title %q", m.View().WindowTitle)
		}
	}
}

func TestTheMarkBeforeAndBelow(t *testing.T) {
	m := NewModel(Options{Theme: themes.Dark, Mark: "PRODUCTION", Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, " PRODUCTION   drainboard") {
		t.Errorf("before the first snapshot:\n%s", frame)
	}
	m.Update(snapshotMsg{uitest.Judge(uitest.Busy())})
	m.Update(tea.WindowSizeMsg{Width: 30, Height: 8})
	if frame := ansi.Strip(m.View().Content); !strings.Contains(frame, "PRODUCTION 4/12") {
		t.Errorf("too small:\n%s", frame)
	}
}
