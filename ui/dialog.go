package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// dialog lies over the board and has all keys but ctrl-c.
type dialog interface {
	// title heads it.
	title(m *Model) string
	// body is its lines, each w cells wide, rendered anew for every frame.
	body(m *Model, w int) []string
	// keys is its last line: what can be pressed.
	keys(m *Model, w int) string
	// key handles a key; it closes itself by m.close.
	key(m *Model, key tea.KeyPressMsg) tea.Cmd
	// refresh is called when a new snapshot has come.
	refresh(m *Model)
}

// open shows a dialog that the operator asked for, in place of all others.
func (m *Model) open(d dialog) tea.Cmd { return m.place(d, nil) }

// deeper shows a dialog over the one that is open; closing it goes back to that.
func (m *Model) deeper(d dialog) tea.Cmd { return m.place(d, append(m.under, m.dialog)) }

func (m *Model) place(d dialog, under []dialog) tea.Cmd {
	m.dialog, m.under, m.dirty = d, under, true
	m.tellLook()
	if _, ok := d.(looker); ok {
		d.refresh(m) // what it looks at may have been looked at before
	}
	return nil
}

// opened shows a dialog that opens by itself.
func (m *Model) opened(d dialog) {
	m.open(d)
	m.grace.begin(m.opts.Now())
}

// close goes back to the dialog below, or to the board.
func (m *Model) close() {
	m.dialog = nil
	if n := len(m.under); n > 0 {
		m.dialog, m.under = m.under[n-1], m.under[:n-1]
		m.dialog.refresh(m)
	}
	m.tellLook()
}

// dismiss closes all dialogs.
func (m *Model) dismiss() {
	m.under = nil
	m.close()
}

// backLabel says what esc does in a dialog.
func (m *Model) backLabel() string {
	if len(m.under) > 0 {
		return "back"
	}
	return "close"
}

// A key that was on its way when the screen changed by itself was meant for what
// was there before. It is swallowed until the keyboard has been quiet for a
// moment; nobody is made to wait for longer than graceMost.
const (
	graceQuiet = 425 * time.Millisecond
	graceMost  = 1500 * time.Millisecond
)

// grace is the time in which keys are ignored after the screen changed by itself.
type grace struct{ opened, last time.Time }

func (g *grace) begin(now time.Time) { g.opened, g.last = now, now }

// swallow reports whether a key pressed now is to be ignored.
func (g *grace) swallow(now time.Time) bool {
	if g.opened.IsZero() {
		return false
	}
	if now.Sub(g.last) >= graceQuiet || now.Sub(g.opened) >= graceMost {
		*g = grace{}
		return false
	}
	g.last = now
	return true
}

// overlay draws the dialog over the board's lines.
func (m *Model) overlay(board []string) []string {
	w := min(m.width-2, 96)
	if _, ok := m.dialog.(wider); ok {
		w = min(m.width, 140)
	}
	body := m.dialog.body(m, w-4)
	room := m.height - 4
	if m.notice != "" {
		room-- // what it says is on the last line
	}
	if s, ok := m.dialog.(scroller); ok {
		body = s.window(body, room)
	} else if len(body) > room {
		body = body[:room]
	}
	h := len(body) + 4
	x, y := (m.width-w)/2, max((m.height-h)/2, 0)

	st := m.st
	box := make([]string, 0, h)
	box = append(box, m.dialogTop(w))
	inside := func(s string) string {
		return newLine(st, 2).add(st.focus, st.g.Frame[3]).String() + s + newLine(st, 2).space(1).add(st.focus, st.g.Frame[3]).String()
	}
	for _, l := range body {
		box = append(box, inside(l))
	}
	box = append(box, inside(newLine(st, w-4).String()), inside(m.dialog.keys(m, w-4)), frameBottom(st, st.focus, "", w))
	for i, l := range box {
		if y+i < len(board) {
			under := board[y+i]
			board[y+i] = slice(under, 0, x) + l + slice(under, x+w, m.width)
		}
	}
	return board
}

// slice is what a finished line shows from one column to another; a wide letter
// that lies across an edge becomes a space.
func slice(s string, from, to int) string {
	part := ansi.Cut(s, from, to)
	if ansi.StringWidth(part) > to-from {
		part = " " + ansi.Cut(s, from+1, to)
	}
	return part + spaces(to-from-ansi.StringWidth(part))
}

// wider is a dialog that has use for more room than lines of text have.
type wider interface{ wide() }

// scroller is a dialog whose body may be longer than the screen.
type scroller interface {
	window(body []string, room int) []string
}

// scroll is the part of a long body that is shown.
type scroll struct {
	top, most int
}

func (s *scroll) window(body []string, room int) []string {
	s.most = max(len(body)-room, 0)
	s.top = min(max(s.top, 0), s.most)
	return body[s.top:min(s.top+room, len(body))]
}

// move scrolls by a key and reports whether it was one for that.
func (s *scroll) move(key string) bool {
	switch key {
	case "up", "k":
		s.top--
	case "down", "j":
		s.top++
	case "pgup":
		s.top -= 10
	case "pgdown", "space":
		s.top += 10
	case "g", "home":
		s.top = 0
	case "G", "end":
		s.top = s.most
	default:
		return false
	}
	s.top = min(max(s.top, 0), s.most)
	return true
}

// hint is "up, down for more" when a body does not fit.
func (s *scroll) hint() string {
	if s.most == 0 {
		return ""
	}
	return "up/down for more"
}

// para is a text wrapped to w cells, after an optional mark that hangs out.
func para(st *styles, p pen, mark, text string, w int) []string {
	indent := width(mark)
	if mark != "" {
		indent++
	}
	var out []string
	for i, part := range wrap(text, w-indent) {
		l := newLine(st, w)
		if i == 0 {
			l.add(p, mark)
		}
		out = append(out, l.to(indent).add(p, part).String())
	}
	return out
}

// keyLine is a line of "key meaning" pairs; pairs without a key are left out, and
// those in brackets are not possible now.
func keyLine(st *styles, w int, pairs ...string) string {
	gap, need := 3, -3
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "" {
			need += width(pairs[i]) + 1 + width(pairs[i+1]) + gap
		}
	}
	if need > w {
		gap = 2
	}
	l := newLine(st, w)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "" {
			continue
		}
		if l.at > 0 {
			l.space(gap)
		}
		if strings.HasPrefix(pairs[i], "(") {
			l.add(st.off, pairs[i]+" "+pairs[i+1])
			continue
		}
		l.add(st.key, pairs[i]).space(1).add(st.text, pairs[i+1])
	}
	return l.String()
}

// named is a line "name   value" of a list of facts.
func named(st *styles, name, value string, p pen, w int) []string {
	if st.plain {
		return para(st, p, "", name+": "+value, w)
	}
	const column = 12
	var out []string
	for i, part := range wrap(value, w-column) {
		l := newLine(st, w)
		if i == 0 {
			l.add(st.dim, name)
		}
		out = append(out, l.to(column).add(p, part).String())
	}
	return out
}

// upper makes words begin a sentence.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// lower makes a sentence go on after a colon.
func lower(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && strings.ToLower(s[1:2]) == s[1:2] {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
