package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/themes"
)

// The cursor stays with what is read when lines before it are cut off or put in, and
// lets go where its line is gone.
func TestTheLogsCursorStaysWithItsLine(t *testing.T) {
	m := newModel(Options{Now: func() time.Time { return at }, Theme: themes.None, Environ: []string{"TERM=xterm"}, Send: func(engine.Command) {}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(snapshotMsg{busy()})
	m.focus = logPane
	m.log.move(m.sc, -4)
	on := func(want string) {
		t.Helper()
		if e := m.log.at(m.sc); string(e.Type) != want {
			t.Fatalf("the cursor is on %s, want %s", e.Type, want)
		}
		frame := ansi.Strip(m.View().Content)
		if text := m.sc.eventText(m.log.at(m.sc)); !strings.Contains(frame, text) {
			t.Errorf("%q is not on the screen:\n%s", text, frame)
		}
	}
	events := busy().Events
	next := func(list []engine.Event) {
		s := busy()
		s.Events = list
		m.Update(snapshotMsg{s})
	}
	on(string(engine.NodeSettling))
	next(slices.Concat(events, []engine.Event{{Time: at, Type: engine.Warning, Message: "one more"}}))
	on(string(engine.NodeSettling))
	next(events[3:])
	on(string(engine.NodeSettling))
	next(slices.Insert(slices.Clone(events), 1, engine.Event{Time: at.Add(-199 * time.Second), Type: engine.Warning, Message: "put in"}))
	on(string(engine.NodeSettling))
	next(events[6:])
	on(string(engine.PodGone))
	if m.log.cursor != 0 {
		t.Error("the log does not follow, though the line under the cursor is gone")
	}
}
