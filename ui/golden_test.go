package ui

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/themes"
	"github.com/drainboard/drainboard/ui/uitest"
)

// board is a model that shows a snapshot, without a program around it.
func board(s *snapshot.Snapshot, w, h int, theme themes.Theme) *Model {
	m := undrawn(s, w, h, theme)
	m.draw()
	return m
}

// undrawn is a board before its first frame.
func undrawn(s *snapshot.Snapshot, w, h int, theme themes.Theme) *Model {
	m := NewModel(Options{Now: func() time.Time { return uitest.Moment }, Theme: theme, Environ: []string{"TERM=xterm"}})
	m.update(tea.WindowSizeMsg{Width: w, Height: h})
	m.update(snapshotMsg{uitest.Judge(s)})
	return m
}

// press presses keys so fast that no frame is drawn between two of them.
func press(m *Model, keys ...string) {
	for _, k := range keys {
		m.update(uitest.KeyPress(k))
	}
	m.draw()
}

func TestScreens(t *testing.T) {
	for _, f := range uitest.Fixtures {
		for _, size := range uitest.Screens {
			t.Run(fmt.Sprintf("%s_%dx%d", f.Name, size[0], size[1]), func(t *testing.T) {
				frame := board(f.Make(), size[0], size[1], themes.None).View().Content
				uitest.CheckFrame(t, frame, size[0], size[1])
				golden.RequireEqual(t, ansi.Strip(frame)+"\n")
			})
		}
	}
}

// redraw draws a frame although no message has come: the test has changed something itself.
func (m *Model) redraw() tea.View {
	m.dirty = true
	m.draw()
	return m.View()
}

// settle ends the time in which keys are ignored.
func (m *Model) settle() { m.grace = grace{} }

func TestEverySizeHolds(t *testing.T) {
	for _, f := range uitest.Fixtures {
		m := board(f.Make(), 80, 24, themes.Dark)
		for w := 1; w <= 210; w += 3 {
			for h := 1; h <= 60; h += 7 {
				for p := NodesPane; p <= logPane; p++ {
					m.Focus = p
					m.Update(tea.WindowSizeMsg{Width: w, Height: h})
					uitest.CheckFrame(t, m.View().Content, w, h)
				}
			}
		}
	}
}

func TestNothingIsRenderedWhenNothingChanges(t *testing.T) {
	m := board(uitest.Busy(), 120, 36, themes.Dark)
	m.View()
	m.frame = "as before"
	m.Update(tea.FocusMsg{})
	m.Update(tea.KeyReleaseMsg{})
	if got := m.View().Content; got != "as before" {
		t.Errorf("a message that changes nothing rendered a frame")
	}
	m.Update(snapshotMsg{uitest.Judge(uitest.Done())})
	m.View()
	if cmd := m.tick(); cmd != nil && !m.Ticking {
		t.Error("a finished run still ticks")
	}
}
