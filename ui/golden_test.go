package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// board is a model that shows a snapshot, without a program around it.
func board(s *engine.Snapshot, w, h int, theme themes.Theme) *Model {
	m := newModel(Options{Now: func() time.Time { return at }, Theme: theme, Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(snapshotMsg{s})
	return m
}

func press(m *Model, keys ...string) {
	for _, k := range keys {
		m.Update(keyPress(k))
	}
}

// keyPress is a key, by name.
func keyPress(name string) tea.KeyPressMsg {
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

var fixtures = []struct {
	name string
	make func() *engine.Snapshot
}{{"busy", busy}, {"asking", asking}, {"canary", canary}, {"phase", phase}, {"watching", watching}, {"stale", stale}, {"done", done}, {"failed", failed}, {"validating", validating},
	{"rolling", rolling}, {"between", between}, {"rolled", rolledAll}}

var sizes = [][2]int{{60, 30}, {80, 24}, {120, 36}, {200, 50}}

func TestScreens(t *testing.T) {
	for _, f := range fixtures {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", f.name, size[0], size[1]), func(t *testing.T) {
				frame := board(f.make(), size[0], size[1], themes.None).View().Content
				checkFrame(t, frame, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(frame)+"\n")
			})
		}
	}
}

// blind is a run that asks for approval of what it cannot see.
func blind() *engine.Snapshot {
	s := asking()
	s.Batch.Foreseen, s.Batch.NotEvaluated = nil, "what is known of pods and budgets is 34s old"
	return s
}

// settle ends the time in which keys are ignored.
func (m *Model) settle() { m.grace = grace{} }

// checkFrame holds what is true of every frame: its size, and that nothing in it
// but our own colours could be obeyed by a terminal.
func checkFrame(t *testing.T, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) > h {
		t.Errorf("the frame has %d lines, the screen %d", len(lines), h)
	}
	for i, l := range lines {
		if got := ansi.StringWidth(l); got > w {
			t.Errorf("line %d is %d cells wide, the screen %d: %q", i, got, w, l)
		}
		if bad := strings.IndexFunc(ansi.Strip(l), func(r rune) bool { return !shown(r) }); bad >= 0 {
			t.Errorf("line %d holds a control character: %q", i, l)
		}
	}
}

func TestEverySizeHolds(t *testing.T) {
	for _, f := range fixtures {
		m := board(f.make(), 80, 24, themes.Dark)
		for w := 1; w <= 210; w += 3 {
			for h := 1; h <= 60; h += 7 {
				for p := nodesPane; p <= logPane; p++ {
					m.focus = p
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					checkFrame(t, m.View().Content, w, h)
				}
			}
		}
	}
}

func TestNothingIsRenderedWhenNothingChanges(t *testing.T) {
	m := board(busy(), 120, 36, themes.Dark)
	m.View()
	m.frame = "as before"
	m.Update(tea.FocusMsg{})
	m.Update(tea.KeyReleaseMsg{})
	if got := m.View().Content; got != "as before" {
		t.Errorf("a message that changes nothing rendered a frame")
	}
	m.Update(snapshotMsg{done()})
	m.View()
	if cmd := m.tick(); cmd != nil && !m.ticking {
		t.Error("a finished run still ticks")
	}
}
