//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// dressed opens the demo in a terminal with files in its configuration directory.
func dressed(t *testing.T, name string, files map[string]string, args ...string) (term *terminal, dir string) {
	base := t.TempDir()
	dir = filepath.Join(base, "drainboard")
	t.Setenv("XDG_CONFIG_HOME", base)
	writeFiles(t, dir, files)
	return openAs(t, name, 110, 30, append([]string{"demo"}, args...)...), dir
}

// sees waits until the terminal shows something.
func (term *terminal) sees(what string, ok func() bool) {
	term.t.Helper()
	late := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-term.changed:
		case <-late:
			term.t.Fatalf("never seen: %s\n%s", what, term.text())
		}
	}
}

func (term *terminal) shows(text string) {
	term.t.Helper()
	term.sees(text, func() bool { return strings.Contains(term.text(), text) })
}

// coloured counts the cells with a colour of their own.
func (term *terminal) coloured() (n int) {
	term.mu.Lock()
	defer term.mu.Unlock()
	for y := range term.screen.Height() {
		for x := range term.screen.Width() {
			if c := term.screen.CellAt(x, y); c != nil && (c.Style.Fg != nil || c.Style.Bg != nil) {
				n++
			}
		}
	}
	return n
}

// bold counts the bold and the inverted cells.
func (term *terminal) bold() (n int) {
	term.mu.Lock()
	defer term.mu.Unlock()
	for y := range term.screen.Height() {
		for x := range term.screen.Width() {
			if c := term.screen.CellAt(x, y); c != nil && c.Style.Attrs != 0 {
				n++
			}
		}
	}
	return n
}

// leaves presses q, and waits for the end.
func (term *terminal) leaves() {
	term.t.Helper()
	if _, err := term.control.WriteString("q"); err != nil {
		term.t.Fatal(err)
	}
	select {
	case err := <-term.ended:
		if err != nil {
			term.t.Errorf("it ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		term.t.Fatalf("it does not end\n%s", term.text())
	}
}

// The operator's files dress the dashboard at its start and while it is open.
func TestTheDemoWearsWhatTheFilesSay(t *testing.T) {
	term, dir := dressed(t, "xterm-256color", map[string]string{
		"config.yaml":      "theme: mine\ncontexts:\n- {match: demo, mark: PLAYGROUND}\n",
		"themes/mine.yaml": "roles:\n  goood: {}\n",
	})
	term.shows("PLAYGROUND")
	term.shows(`themes/mine.yaml, line 2: roles: unknown: "goood"; did you mean "good"?; the theme is auto`)
	if term.coloured() == 0 {
		t.Error("a broken theme has no theme in its place")
	}
	writeFiles(t, dir, map[string]string{"themes/mine.yaml": "based-on: none\nglyphs: {running: \"@\"}\n"})
	term.shows("@ upgrading")
	term.sees("a theme without colours", func() bool { return term.coloured() == 0 && !strings.Contains(term.text(), "mine.yaml") })
	writeFiles(t, dir, map[string]string{"config.yaml": "theme: dark\n"})
	term.sees("no mark and the dark theme", func() bool { return term.coloured() > 0 && !strings.Contains(term.text(), "PLAYGROUND") })
	term.leaves()
}

// NO_COLOR, with any value, goes before every theme; bold and inverted text stay.
func TestNoColorGoesBeforeEveryTheme(t *testing.T) {
	t.Setenv("NO_COLOR", "yes")
	t.Setenv("COLORTERM", "truecolor")
	term, _ := dressed(t, "xterm-256color", nil, "--theme", "high-contrast")
	term.shows("● upgrading")
	if n := term.coloured(); n != 0 || term.bold() == 0 {
		t.Errorf("%d cells have a colour, %d are bold or inverted", n, term.bold())
	}
	term.leaves()
}

// On a console nothing is drawn that its font may not have.
func TestAConsoleGetsASCII(t *testing.T) {
	term, _ := dressed(t, "linux", nil)
	term.shows("* upgrading")
	if strings.ContainsFunc(term.text(), func(r rune) bool { return r > '~' }) {
		t.Errorf("a sign beyond ASCII in\n%s", term.text())
	}
	term.leaves()
}
