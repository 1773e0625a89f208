package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/term"
)

// navigate handles the keys that move around.
func (m *Model) navigate(key string) {
	switch key {
	case "shift+tab":
		m.Focus = m.nextPane(-1)
	case "esc":
		m.back()
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup":
		m.move(-m.pageSize())
	case "pgdown":
		m.move(m.pageSize())
	case "g", "home":
		m.move(-1 << 20)
	case "G", "end":
		m.move(1 << 20)
	case "left", "h":
		if m.Focus == NodesPane {
			m.Nodes.side(m, -1)
		}
	case "right", "l":
		if m.Focus == NodesPane {
			m.Nodes.side(m, 1)
		}
	}
}

// back takes back what was chosen last: what is hidden, what is marked, the cursors.
func (m *Model) back() {
	switch {
	case m.Focus == logPane && m.log.text != "":
		m.log.search("")
	case m.Nodes.filtered():
		m.Nodes.text, m.Nodes.problems = "", false
		m.Nodes.arrange(m.Scene)
	case len(m.Nodes.marks) > 0:
		m.Nodes.marks = nil
	case m.zoomed:
		m.zoomed = false
	default:
		m.Nodes.Cursor, m.Blockers.Cursor, m.log.cursor = "", "", 0
	}
}

func (m *Model) move(n int) {
	switch m.Focus {
	case NodesPane:
		m.Nodes.move(m, n)
	case BlockedPane:
		m.Blockers.move(m.Scene, n)
	case logPane:
		m.log.move(m.Scene, n)
	}
}

func (m *Model) pageSize() int {
	switch m.Focus {
	case NodesPane:
		return max(m.Nodes.page-1, 1)
	case logPane:
		return max(m.log.page-1, 1)
	}
	return 3
}

// nextPane is the pane n after the one that has the keyboard; the blocked panel is
// passed over while it is not on the screen.
func (m *Model) nextPane(n int) pane {
	p := m.Focus
	for {
		p = (p + pane(n) + logPane + 1) % (logPane + 1)
		if p != BlockedPane || len(m.Scene.Blockers) > 0 || m.plan().mode == single || m.zoomed {
			return p
		}
	}
}

// doubleClick is how soon a second click must follow the first.
const doubleClick = 400 * time.Millisecond

// wheelLines is how far a notch of the wheel goes.
const wheelLines = 3

// mouse is off unless the operator takes it: a mouse that is taken no longer selects
// text in the terminal.
type mouse struct {
	on bool
	// clicked is what the last click was on, and when.
	clicked string
	at      time.Time
}

func takeMouse(m *Model) tea.Cmd {
	if m.mouse.on = !m.mouse.on; m.mouse.on {
		m.say("mouse captured: click, double click for details, wheel; m releases it")
	} else {
		m.say("mouse released: it selects text again")
	}
	return m.tick()
}

func notMouse(m *Model) string {
	if m.TTY.Dumb() {
		return "this terminal has no mouse"
	}
	return ""
}

// spot is what lies at a place of the screen.
type spot struct {
	pane pane
	// zone is the table of one zone, by its place; -1 is the table of all.
	zone int
	// line counts from the first one inside the pane's frame; -1 is the frame.
	line int
	// tabs and footer are the lines that are no pane.
	tabs, footer bool
}

// find says what lies at a place, as the layout has it.
func (m *Model) find(x, y int) (s spot, ok bool) {
	if m.Scene == nil || m.Width < term.LeastWidth || m.Height < term.LeastHeight || x < 0 || x >= m.Width {
		return s, false
	}
	l := m.plan()
	in := func(r rect) bool { return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h }
	inside := func(p pane, zone int, r rect) (spot, bool) {
		line := y - r.y - 1
		if line == r.h-2 {
			line = -1 // the lower edge is the frame as well
		}
		return spot{pane: p, zone: zone, line: line}, true
	}
	switch {
	case in(l.tabs):
		return spot{tabs: true}, true
	case in(l.footer):
		return spot{footer: true}, true
	case in(l.blocked):
		return inside(BlockedPane, -1, l.blocked)
	case in(l.log):
		return inside(logPane, -1, l.log)
	case !in(l.nodes):
		return s, false
	}
	for _, tb := range m.Nodes.tables {
		if r := (rect{tb.x, l.nodes.y, tb.w, tb.h}); in(r) {
			return inside(NodesPane, tb.zone, r)
		}
	}
	return s, false
}

// click puts the cursor on what is under the pointer, or presses the key that the
// footer shows there. The second of two opens the details.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	m.attention.Here(m.Opts.Now())
	if !m.mouse.on || msg.Button != tea.MouseLeft || m.Dialog != nil || m.TooSmall() || m.grace.swallow(m.Opts.Now()) {
		return nil
	}
	s, ok := m.find(msg.X, msg.Y)
	if !ok {
		return nil
	}
	if s.tabs || s.footer {
		return m.clickLine(s, msg.X, msg.Y)
	}
	m.dirty = true
	m.Notice, m.Focus = "", s.pane
	what := ""
	switch s.pane {
	case NodesPane:
		if id := m.Nodes.at(s); id != "" {
			m.Nodes.hold(m)
			m.Nodes.Cursor, what = id, "node "+id
		} else if s.line == 0 {
			m.Nodes.sortAt(m, s.zone, msg.X)
		}
	case BlockedPane:
		if b := m.Blockers.under(m, s.line); b != nil {
			m.Blockers.Cursor = scene.BlockerKey(b)
			what = "pod " + m.Blockers.Cursor
		}
	case logPane:
		if n := m.log.under(m, s.line); n > 0 {
			m.log.cursor, what = n, fmt.Sprint("line ", n)
		}
	}
	now := m.Opts.Now()
	again := what != "" && what == m.mouse.clicked && now.Sub(m.mouse.at) <= doubleClick
	if m.mouse.clicked, m.mouse.at = what, now; again {
		m.mouse.clicked = ""
		return openDetails(m)
	}
	return nil
}

// clickLine presses what a line of keys or tabs shows at a column: on both, entries
// are set apart by two spaces or more.
func (m *Model) clickLine(s spot, x, y int) tea.Cmd {
	lines := strings.Split(m.frame, "\n")
	if y >= len(lines) || s.footer && (m.Notice != "" || m.search.open) {
		return nil
	}
	entry, nth := entryAt(ansi.Strip(lines[y]), x)
	if entry == "" {
		return nil
	}
	m.dirty = true
	if s.tabs {
		m.Focus = min(pane(nth), logPane)
		return nil
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(entry, "("), " ")
	if i := slices.IndexFunc(m.Actions, func(a *Action) bool { return a.Show == key }); i >= 0 {
		return m.Do(m.Actions[i])
	}
	return nil
}

// entryAt is the entry of a line at a column, and how many come before it.
func entryAt(line string, x int) (entry string, nth int) {
	at := 0
	for part := range strings.SplitSeq(line, "  ") {
		w := ansi.StringWidth(part)
		text := strings.TrimSpace(part)
		if text != "" && x >= at && x < at+w {
			return text, nth
		}
		if text != "" {
			nth++
		}
		at += w + 2
	}
	return "", nth
}

// wheel scrolls the dialog, or the pane under the pointer.
func (m *Model) wheel(msg tea.MouseWheelMsg) {
	m.attention.Here(m.Opts.Now())
	n := wheelLines
	switch msg.Button {
	case tea.MouseWheelUp:
		n = -wheelLines
	case tea.MouseWheelDown:
	default:
		return
	}
	if !m.mouse.on || m.Scene == nil || m.grace.swallow(m.Opts.Now()) {
		return
	}
	if _, ok := m.Dialog.(scroller); ok {
		key := tea.KeyPressMsg{Code: tea.KeyDown}
		if n < 0 {
			key.Code = tea.KeyUp
		}
		for range wheelLines {
			m.Dialog.key(m, key)
		}
		m.dirty = true
		return
	}
	s, ok := m.find(msg.X, msg.Y)
	if m.Dialog != nil || !ok || s.tabs || s.footer {
		return
	}
	m.dirty, m.Focus = true, s.pane
	switch s.pane {
	case BlockedPane:
		n /= wheelLines // a blocker is some lines high
	case NodesPane:
		if p, ok := m.Nodes.places[m.Nodes.Cursor]; s.zone >= 0 && !(ok && p == s.zone) {
			s.line = 1
			m.Nodes.Cursor = m.Nodes.at(s)
		}
	}
	m.move(n)
}

// at is the machine on a line of a table, "" if there is none.
func (t *nodeTable) at(s spot) string {
	for i := range t.tables {
		tb := &t.tables[i]
		if tb.zone == s.zone && s.line > 0 && s.line <= len(tb.visible) {
			return tb.visible[s.line-1].ID
		}
	}
	return ""
}

// sortAt sorts by the column whose heading is at a column of the screen.
func (t *nodeTable) sortAt(m *Model, zone, x int) {
	for i := range t.tables {
		if tb := &t.tables[i]; tb.zone == zone {
			if col, ok := tb.cols.At(x - tb.x - 1); ok {
				t.sortBy(t.order.Choose(col), m.Scene)
				return
			}
		}
	}
}

// under is the blocker on a line of the panel, nil if there is none.
func (bl *blockerList) under(m *Model, line int) *blockers.Blocker {
	var above *blockers.Blocker
	for _, b := range m.Scene.Blockers[min(bl.top, len(m.Scene.Blockers)):] {
		if line -= len(m.blockerLines(b, above, m.plan().blocked.w-2)); line < 0 {
			return b
		}
		above = b
	}
	return nil
}

// under is the number of the event on a line of the log's window, 0 if there is none.
func (v *logView) under(m *Model, line int) int {
	for n := v.next(m.Scene, v.first, 1); line >= 0 && n != 0 && n <= v.until; n = v.next(m.Scene, n+1, 1) {
		if line -= m.eventHeight(&m.Scene.Events[n-1], m.plan().log.w-2); line < 0 {
			return n
		}
	}
	return 0
}
