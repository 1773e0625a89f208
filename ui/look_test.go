package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/themes"
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
		if got := terminalOf(c.environ); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.environ, got, c.want)
		}
	}
}

func TestBubbleTeaHearsOfEveryNoColor(t *testing.T) {
	for value, coloured := range map[string]bool{"1": false, "yes": false, "0": false, "": true} {
		environ := withoutColours([]string{"TERM=xterm-256color", "NO_COLOR=" + value})
		if got := colorprofile.Env(environ) > colorprofile.ASCII; got != coloured {
			t.Errorf("NO_COLOR=%q: colours %v, want %v", value, got, coloured)
		}
	}
}

// An answer of the terminal beats the hint, and NO_COLOR beats every theme.
func TestTheTerminalsAnswerCounts(t *testing.T) {
	m := newModel(Options{Environ: []string{"TERM=xterm", "COLORFGBG=0;15"}, Theme: themes.HighContrast})
	if m.terminal.Dark || m.st.good != newPen(themes.HighContrast.OnLight.Good) {
		t.Error("the hint of a light background does not count")
	}
	m.Update(tea.BackgroundColorMsg{Color: ansi.Black})
	if m.st.good != newPen(themes.HighContrast.Good) {
		t.Error("the terminal's dark background does not count")
	}
	m = newModel(Options{Environ: []string{"TERM=xterm", "NO_COLOR=yes"}, Theme: themes.HighContrast})
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	if m.st.bad != newPen(themes.None.Bad) {
		t.Error("a theme has colours with NO_COLOR")
	}
	m = newModel(Options{Environ: []string{"TERM=xterm"}})
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if m.st.good != newPen(themes.Sixteen.Good) {
		t.Error("a terminal of sixteen colours does not get the theme for that")
	}
}

// Every theme shows every screen, with its own colours and no others.
func TestEveryThemeShowsEveryScreen(t *testing.T) {
	for _, name := range themes.Names() {
		theme, _ := themes.Named(name)
		for _, dark := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s_dark_%v", name, dark), func(t *testing.T) {
				for _, f := range fixtures {
					m := board(f.make(), 120, 36, theme)
					background := ansi.White
					if dark {
						background = ansi.Black
					}
					m.Update(tea.BackgroundColorMsg{Color: background})
					frame := m.View().Content
					checkFrame(t, frame, 120, 36)
					if rgb := strings.Contains(frame, "38;2;"); rgb != (name != "none" && name != "16") {
						t.Errorf("%s: colours by red, green and blue: %v", f.name, rgb)
					}
				}
			})
		}
	}
}
