package ui

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// choice is a button of a dialog.
type choice struct {
	Key, Label string
	Do         func(*Model) tea.Cmd
}

// ChoiceDialog asks a question with a few answers. The first button has the
// focus, so it is the one that a careless enter may press.
type ChoiceDialog struct {
	scroll
	head    func(*Model) string
	text    func(*Model, int) []string
	Choices []choice
	at      int
	// aborts: it asks for the abort, so ctrl-c says yes.
	aborts bool
	// check is called with every snapshot: the question may have changed.
	check func(*Model)
}

func (d *ChoiceDialog) Title(m *Model) string { return d.head(m) }

func (d *ChoiceDialog) Body(m *Model, w int) []string { return d.text(m, w) }

func (d *ChoiceDialog) keys(m *Model, w int) string {
	l := style.NewLine(m.Styles, w)
	for i, c := range d.Choices {
		if i > 0 {
			l.Space(2)
		}
		if i == d.at {
			l.Add(m.Styles.Key, m.Styles.Glyphs.Cursor).Add(m.Styles.Selected, "["+c.Key+" "+c.Label+"]")
		} else {
			l.Space(1).Add(m.Styles.Key, "["+c.Key).Add(m.Styles.Text, " "+c.Label+"]")
		}
	}
	if hint := d.hint(); hint != "" && l.Left() > style.Width(hint)+2 {
		l.To(w-style.Width(hint)).Add(m.Styles.Dim, hint)
	}
	return l.String()
}

func (d *ChoiceDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	k := key.String()
	if k == "enter" { // presses the button that has the focus, whichever has it for its key
		m.Close()
		return d.Choices[d.at].Do(m)
	}
	for _, c := range d.Choices {
		if c.Key == k {
			m.Close()
			return c.Do(m)
		}
	}
	switch k {
	case "esc", "q":
		m.Close()
	case "left", "h", "shift+tab":
		d.at = (d.at + len(d.Choices) - 1) % len(d.Choices)
	case "right", "l", "tab":
		d.at = (d.at + 1) % len(d.Choices)
	default:
		d.move(k)
	}
	return nil
}

func (d *ChoiceDialog) refresh(m *Model) {
	if d.check != nil {
		d.check(m)
	}
}

func nothing(*Model) tea.Cmd { return nil }

// Dialog lies over the board and has all keys but ctrl-c.
type Dialog interface {
	// Title heads it.
	Title(m *Model) string
	// Body is its lines, each w cells wide, rendered again for every frame.
	Body(m *Model, w int) []string
	// keys is its last line: what can be pressed.
	keys(m *Model, w int) string
	// key handles a key; it closes itself by m.close.
	key(m *Model, key tea.KeyPressMsg) tea.Cmd
	// refresh is called when a new snapshot has come.
	refresh(m *Model)
}

// Open shows a dialog that the operator asked for, in place of all others.
func (m *Model) Open(d Dialog) tea.Cmd { return m.place(d, nil) }

// deeper shows a dialog over the one that is open; closing it goes back to that.
func (m *Model) deeper(d Dialog) tea.Cmd { return m.place(d, append(m.under, m.Dialog)) }

func (m *Model) place(d Dialog, under []Dialog) tea.Cmd {
	m.Dialog, m.under, m.dirty = d, under, true
	m.sendLook()
	if _, ok := d.(looker); ok {
		d.refresh(m) // what it looks at may have been looked at before
	}
	return nil
}

// opened shows a dialog that opens by itself.
func (m *Model) opened(d Dialog) {
	m.Open(d)
	m.grace.begin(m.Opts.Now())
}

// Close goes back to the dialog below, or to the board.
func (m *Model) Close() {
	m.Dialog = nil
	if n := len(m.under); n > 0 {
		m.Dialog, m.under = m.under[n-1], m.under[:n-1]
		m.Dialog.refresh(m)
	}
	m.sendLook()
}

// Dismiss closes all dialogs.
func (m *Model) Dismiss() {
	m.under = nil
	m.Close()
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
	GraceQuiet = 425 * time.Millisecond
	GraceMost  = 1500 * time.Millisecond
)

// grace is the time in which keys are ignored after the screen changed by itself.
type grace struct{ opened, last time.Time }

func (g *grace) begin(now time.Time) { g.opened, g.last = now, now }

// swallow reports whether a key pressed now is to be ignored.
func (g *grace) swallow(now time.Time) bool {
	if g.opened.IsZero() {
		return false
	}
	if now.Sub(g.last) >= GraceQuiet || now.Sub(g.opened) >= GraceMost {
		*g = grace{}
		return false
	}
	g.last = now
	return true
}

// dialogSize is how wide the body of the open dialog is, and how many of its lines fit.
func (m *Model) dialogSize() (w, room int) {
	w = min(m.Width-2, 96)
	if _, ok := m.Dialog.(wider); ok {
		w = min(m.Width, 140)
	}
	room = m.Height - 4
	if m.Notice != "" {
		room-- // what it says is on the last line
	}
	return w - 4, room
}

// fitDialog lays out the open dialog: its body, and the part of it that is visible.
func (m *Model) fitDialog() {
	m.dialogBody = nil
	if m.Dialog == nil {
		return
	}
	var cursor span
	w, room := m.dialogSize()
	if p, ok := m.Dialog.(pointer); ok {
		m.dialogBody, cursor = p.content(m, w)
	} else {
		m.dialogBody = m.Dialog.Body(m, w)
	}
	if s, ok := m.Dialog.(scroller); ok {
		s.fit(len(m.dialogBody), room, cursor)
		m.dialogBody = m.dialogBody[s.first():]
	}
	m.dialogBody = m.dialogBody[:min(len(m.dialogBody), room)]
}

// overlay draws the dialog over the board's lines.
func (m *Model) overlay(board []string) []string {
	inner, _ := m.dialogSize()
	w, body := inner+4, m.dialogBody
	h := len(body) + 4
	x, y := (m.Width-w)/2, max((m.Height-h)/2, 0)

	st := m.Styles
	box := make([]string, 0, h)
	box = append(box, m.dialogTop(w))
	inside := func(s string) string {
		return style.NewLine(st, 2).Add(st.Focus, st.Glyphs.Frame[3]).String() + s + style.NewLine(st, 2).Space(1).Add(st.Focus, st.Glyphs.Frame[3]).String()
	}
	for _, l := range body {
		box = append(box, inside(l))
	}
	box = append(box, inside(style.NewLine(st, w-4).String()), inside(m.Dialog.keys(m, w-4)), style.FrameBottom(st, st.Focus, "", w))
	for i, l := range box {
		if y+i < len(board) {
			under := board[y+i]
			board[y+i] = style.Slice(under, 0, x) + l + style.Slice(under, x+w, m.Width)
		}
	}
	return board
}

// wider is a dialog that has use for more room than lines of text have.
type wider interface{ wide() }

// scroller is a dialog whose body may be longer than the screen.
type scroller interface {
	// fit moves the window into a body of so many lines, of which room are shown, and of
	// which the cursor has some.
	fit(lines, room int, cursor span)
	// first is the first line in the window.
	first() int
}

// pointer is a scroller with a cursor in its body.
type pointer interface {
	// content is the body, and the lines of the cursor in it.
	content(m *Model, w int) (body []string, cursor span)
}

// span is lines of a body: the first, and the one after the last.
type span struct{ from, to int }

// scroll is the part of a long body that is shown.
type scroll struct {
	top, most int
}

func (s *scroll) first() int { return s.top }

func (s *scroll) fit(lines, room int, _ span) {
	s.most = max(lines-room, 0)
	s.top = min(max(s.top, 0), s.most)
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

// dialogTop is the upper edge of a dialog, where the mark stands once more: that is
// where is decided.
func (m *Model) dialogTop(w int) string {
	st, mark := m.Styles, m.Mark()
	if mark == "" || style.Width(mark)+12 > w {
		return style.FrameTop(st, st.Focus, m.Dialog.Title(m), "", w, true)
	}
	top := style.FrameTop(st, st.Focus, m.Dialog.Title(m), "", w-style.Width(mark)-1, true)
	return style.Slice(top, 0, w-style.Width(mark)-2) + style.NewLine(st, style.Width(mark)).Add(st.Mark, mark).String() +
		style.NewLine(st, 2).Add(st.Focus, st.Glyphs.Frame[1]+st.Glyphs.Frame[2]).String()
}

// looker is a dialog that shows more than every snapshot has.
type looker interface{ looksAt() snapshot.Look }

// sendLook tells what the dialogs that are open look at, if that has changed. What
// those below look at stays, so that it is there when one goes back.
func (m *Model) sendLook() {
	var at snapshot.Look
	add := func(d Dialog) {
		if l, ok := d.(looker); ok {
			look := l.looksAt()
			at.Machine, at.Budget = cmp.Or(at.Machine, look.Machine), cmp.Or(at.Budget, look.Budget)
		}
	}
	add(m.Dialog)
	for i := len(m.under) - 1; i >= 0; i-- {
		add(m.under[i])
	}
	if at == m.looked {
		return
	}
	m.looked = at
	if m.Opts.Look != nil {
		m.Opts.Look(at)
	}
}
