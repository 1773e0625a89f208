package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
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

// follow moves the window to the lines of a cursor.
func (s *scroll) follow(cursor span, room int) {
	if cursor.to > s.top+room {
		s.top = cursor.to - room
	}
	if cursor.from < s.top || cursor.from >= s.top+room {
		s.top = cursor.from
	}
	if cursor.to <= room {
		s.top = 0
	}
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

// TypedDialog is a dialog in which a name has to be typed, because what it does breaks a promise.
type TypedDialog interface {
	Dialog
	// Names are those that may be typed; the first is the one asked for.
	Names(m *Model) []string
	// Warning says what it does, and which promises that breaks.
	Warning(m *Model, w int) []string
	// Off says why it became impossible while the dialog was open.
	Off(m *Model) string
	// Try does it, for a reason ("" for none said), if the right name was typed and it is still
	// possible.
	Try(m *Model, typed, why string) bool
	// Words are what it is called.
	Words() TypedWords
}

// TypedWords are what a TypedDialog does, and what is then done.
type TypedWords struct{ Do, Done string }

// WrongName says that nothing was done.
func (w TypedWords) WrongName() string { return "that is not the name; nothing was " + w.Done }

// MostReason is how long a reason may be, in letters: it goes into the run's record,
// which has a limit.
const MostReason = 200

// typing is what was typed into a TypedDialog: the name, and a reason, which is kept for the audit.
type typing struct {
	scroll
	input, reason textinput.Model
	// asking: what is typed is the reason.
	asking bool
	wrong  bool
}

func newTyping() typing {
	return typing{input: style.NewInput(253 + 64), reason: style.NewInput(MostReason)} // the longest namespace and name
}

func (t *typing) body(d TypedDialog, m *Model, w int) []string {
	st := m.Styles
	out := append(d.Warning(m, w), style.NewLine(st, w).String())
	if why := d.Off(m); why != "" {
		return append(out, style.Paragraph(st, st.Bad, "!", "not possible now: "+why, w)...)
	}
	if t.wrong {
		out = append(style.Paragraph(st, st.Warn, "!", d.Words().WrongName(), w), out...)
	}
	l := style.NewLine(st, w).Add(st.Text, "Reason (optional): ")
	switch said := t.reason.Value(); {
	case t.asking:
		style.DrawInput(l, t.reason, l.Left())
	case said == "":
		l.Add(st.Dim, "tab to enter it")
	default:
		l.Add(st.Input, style.Shorten(style.Clean(said), l.Left(), st.Glyphs.Ellipsis))
	}
	return append(out, l.String())
}

func (t *typing) keys(d TypedDialog, m *Model, w int) string {
	st, do := m.Styles, d.Words().Do
	if d.Off(m) != "" {
		return style.KeyLine(st, w, "esc", "cancel")
	}
	// What is typed is in sight however long the list of promises is.
	end := "   enter " + do + "   esc cancel"
	if t.asking {
		end = "   tab name   esc cancel"
	}
	if h := t.hint(); h != "" {
		end = "   " + h + end
	}
	l := style.NewLine(st, w).Add(st.Text, "Type ").Add(st.Title, d.Names(m)[0]).Add(st.Text, " to "+do+": ")
	if l.Left() < style.Width(end)+12 {
		end = ""
	}
	if t.asking {
		l.Fit(st.Input, style.Clean(t.input.Value()), l.Left()-style.Width(end))
	} else {
		style.DrawInput(l, t.input, l.Left()-style.Width(end))
	}
	return l.To(w-style.Width(end)).Add(st.Dim, end).String()
}

func (t *typing) key(d TypedDialog, m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "esc":
		m.Close()
		return nil
	case "tab", "shift+tab":
		t.ask(!t.asking)
		return nil
	case "enter":
		if t.asking && d.Off(m) == "" { // the name is what does it
			t.ask(false)
			return nil
		}
		t.wrong, t.top = !d.Try(m, strings.TrimSpace(t.input.Value()), t.reason.Value()), 0
		return nil
	case "up", "down", "pgup", "pgdown": // no letters of a name
		t.move(key.String())
		return nil
	}
	t.typed(key)
	return nil
}

// ask turns to the reason, which is brought in sight, or back to the name.
func (t *typing) ask(why bool) {
	if t.asking = why; why {
		t.top = t.most
	}
}

// typed takes what was typed or pasted.
func (t *typing) typed(msg tea.Msg) {
	t.wrong = false
	if t.asking {
		t.reason, _ = t.reason.Update(msg)
		return
	}
	t.input, _ = t.input.Update(msg)
}

func (t *typing) paste(msg tea.PasteMsg) { t.typed(msg) }

// named reports whether the right name was typed, and the dialog's deed is still possible.
func named(d TypedDialog, m *Model, typed string) bool {
	return slices.Contains(d.Names(m), typed) && d.Off(m) == ""
}
