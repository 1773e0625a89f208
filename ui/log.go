package ui

import (
	"fmt"
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// overhear puts what was written to stderr into the log.
func (m *Model) overhear(lines []string) {
	at := m.Opts.Now()
	if m.Scene != nil {
		at = m.Scene.Now(at)
	}
	var events []record.Event
	for _, l := range lines[max(len(lines)-term.StderrShown, 0):] {
		events = append(events, record.Event{Time: at, Type: record.Warning, Reason: "stderr", Message: "written to stderr: " + l})
	}
	m.overheard = append(m.overheard, events...)
	m.overheard = m.overheard[max(len(m.overheard)-term.StderrShown, 0):]
	if m.Scene != nil {
		s := *m.Scene.Snapshot // what was published is never changed
		s.Events = slices.Concat(s.Events, events)
		m.Scene.Snapshot, m.dirty = &s, true
	}
}

// withOverheard is a snapshot with what was overheard in its log.
func (m *Model) withOverheard(s *snapshot.Snapshot) *snapshot.Snapshot {
	if len(m.overheard) == 0 {
		return s
	}
	with := *s
	with.Events = slices.Concat(s.Events, m.overheard)
	slices.SortStableFunc(with.Events, func(a, b record.Event) int { return a.Time.Compare(b.Time) })
	return &with
}

// logView is the window and the cursor of the log. It follows the newest line
// unless the operator went up; then it stays with what is being read.
type logView struct {
	// cursor is the number of the line under the cursor, from 1; 0 follows the newest.
	cursor int
	// first and until are the numbers of the first line in the window and of the last.
	first, until int
	page         int
	// text chooses the lines that are shown.
	text string
	only scene.Filter
}

// search shows only the lines with certain words.
func (v *logView) search(text string) { v.text, v.only, v.cursor = text, scene.ParseFilter(text), 0 }

// shows reports whether an event is among the lines that are shown.
func (v *logView) shows(sc *scene.Scene, e *record.Event) bool {
	return len(v.only) == 0 || v.only.MatchesText(sc.EventText(e)+" "+e.Command)
}

// count is how many lines are shown in all.
func (v *logView) count(sc *scene.Scene) int {
	n := 0
	for i := range sc.Events {
		if v.shows(sc, &sc.Events[i]) {
			n++
		}
	}
	return n
}

// next is the number of the nearest line that is shown from a number on, upwards
// or downwards; 0 if there is none.
func (v *logView) next(sc *scene.Scene, n, step int) int {
	for ; n >= 1 && n <= len(sc.Events); n += step {
		if v.shows(sc, &sc.Events[n-1]) && !v.folds(sc, n) {
			return n
		}
	}
	return 0
}

// folds reports whether the line of a number is a part of the one before it. Where lines are
// searched, each is one.
func (v *logView) folds(sc *scene.Scene, n int) bool { return len(v.only) == 0 && sc.Folds(n-1) }

// at is the event under the cursor, the newest without one; nil if there is none.
func (v *logView) at(sc *scene.Scene) *record.Event {
	if n := v.number(sc); n > 0 {
		return &sc.Events[n-1]
	}
	return nil
}

// number is that of the event under the cursor, of the newest without one; 0 if there is none.
func (v *logView) number(sc *scene.Scene) int {
	if v.cursor == 0 || v.cursor > len(sc.Events) {
		return v.next(sc, len(sc.Events), -1)
	}
	return v.cursor
}

// toldAt are the events that the line under the cursor tells.
func (v *logView) toldAt(sc *scene.Scene) []record.Event {
	if n := v.number(sc); n > 0 {
		return v.told(sc, n)
	}
	return nil
}

// moved keeps the cursor on its line when a new snapshot comes: lines before it may have
// been cut off or put in between. Where the line is gone the log follows again.
func (v *logView) moved(was, sc *scene.Scene) {
	if was == nil || v.cursor == 0 || v.cursor > len(was.Events) {
		return
	}
	e := &was.Events[v.cursor-1]
	for away := range max(len(was.Events), len(sc.Events)) {
		for _, n := range []int{v.cursor - away, v.cursor + away} { // the nearest, if it was said twice
			if n >= 1 && n <= len(sc.Events) && sameEvent(&sc.Events[n-1], e) {
				v.until = max(v.until+n-v.cursor, n)
				v.cursor = n
				return
			}
		}
	}
	v.cursor = 0
}

// sameEvent reports whether two events are the same line of the log.
func sameEvent(a, b *record.Event) bool {
	return a.Time.Equal(b.Time) && a.Type == b.Type && a.Node == b.Node && a.Pod == b.Pod && a.Message == b.Message
}

// move takes the cursor n lines on; from the newest line on it follows.
func (v *logView) move(sc *scene.Scene, n int) {
	newest := v.next(sc, len(sc.Events), -1)
	at := min(v.cursor, len(sc.Events))
	if at == 0 {
		at = newest
	}
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	for ; n > 0; n-- {
		to := v.next(sc, at+step, step)
		if to == 0 {
			break
		}
		at = to
	}
	if v.cursor = at; at == newest {
		v.cursor = 0
	}
}

// fit works out which lines are visible.
func (v *logView) fit(m *Model, r rect) {
	if r.h <= 0 {
		return
	}
	sc, room := m.Scene, r.h-2
	height := func(e *record.Event) int { return m.eventHeight(e, r.w-2) }
	v.page = room
	if v.cursor > len(sc.Events) {
		v.cursor = 0
	}
	if v.cursor == 0 || v.until > len(sc.Events) {
		v.until = len(sc.Events)
	}
	if v.cursor > v.until {
		v.until = v.cursor
	}
	v.first = v.fill(sc, v.until, -1, room, height)
	if v.cursor > 0 && v.cursor < v.first {
		v.until = v.fill(sc, v.cursor, 1, room, height)
		v.first = v.fill(sc, v.until, -1, room, height)
	}
}

// fill is the last line that still fits into a window from another one on.
func (v *logView) fill(sc *scene.Scene, from, step, room int, height func(*record.Event) int) int {
	at := from
	for n := v.next(sc, from, step); n != 0; n = v.next(sc, n+step, step) {
		if room -= height(&sc.Events[n-1]); room < 0 {
			break
		}
		at = n
	}
	return at
}

// wideLog is from which width on a line has room for the twin command.
const wideLog = 160

// lines draws the log, newest at the bottom.
func (v *logView) lines(m *Model, r rect) []string {
	sc, st := m.Scene, m.Styles
	w, h, room := r.w, r.h, r.h-2
	focus := m.Focus == logPane
	chosen := 0
	if focus {
		if chosen = v.cursor; chosen == 0 {
			chosen = v.next(sc, len(sc.Events), -1)
		}
	}
	var body []string
	for n := v.next(sc, v.first, 1); n != 0 && n <= v.until; n = v.next(sc, n+1, 1) {
		body = append(body, m.eventLines(v.told(sc, n), w-2, n == chosen)...)
	}
	switch {
	case len(sc.Events) == 0 && sc.Partial:
		body = append(body, unread(m.Styles, w-2))
	case len(sc.Events) == 0:
		body = append(body, style.NewLine(st, w-2).Space(1).Add(st.Dim, "nothing has happened yet").String())
	case len(body) == 0:
		body = append(body, style.NewLine(st, w-2).Space(1).Add(st.Dim, "no line matches").String())
	}
	newer := ""
	if n := len(sc.Events) - v.until; n > 0 {
		newer = fmt.Sprintf("%s%d newer, G follows", st.Glyphs.More, n)
	}
	title, right := "log", ""
	if v.text != "" {
		title, right = "log / "+v.text, fmt.Sprintf("%d of %s", v.count(sc), style.Count(len(sc.Events), "line"))
	}
	return style.Framed(st, st.Border, title, right, newer, body[:min(len(body), max(room, 0))], w, h, focus)
}

// eventHeight is how many lines an event takes.
func (m *Model) eventHeight(e *record.Event, w int) int {
	if e.Command != "" && w < wideLog && m.Commands {
		return 2
	}
	return 1
}

// told are the events that the line of a number tells: one, or one that many nodes have.
func (v *logView) told(sc *scene.Scene, n int) []record.Event {
	if len(v.only) > 0 {
		return sc.Events[n-1 : n]
	}
	return sc.Folded(n - 1)
}

// eventLines is one event, or one that many nodes have, and below or beside it the command that
// does the same.
func (m *Model) eventLines(told []record.Event, w int, chosen bool) []string {
	st, e := m.Styles, &told[0]
	lk := m.Scene.EventLook(m.Styles, e)
	mark := " "
	start := func() *style.Line {
		l := style.NewLine(st, w)
		if chosen {
			mark, l.Over = st.Glyphs.Cursor, &st.Cursor
		}
		return l
	}
	l := start()
	l.Begin(mark)
	l.Add(st.Dim, e.Time.In(m.Opts.Now().Location()).Format("15:04:05")).Space(1)
	l.Add(lk.Pen, lk.Glyph).Space(1)
	text := m.Scene.FoldedText(told)
	if e.Command == "" || m.Commands == (w >= wideLog) {
		return []string{l.Add(lk.Pen, text).String()}
	}
	if half := w * 11 / 20; w >= wideLog {
		l.Fit(lk.Pen, text, half-l.Col-2).To(half).Add(st.Dim, "$ "+e.Command)
		return []string{l.String()}
	}
	l.Add(lk.Pen, text)
	return []string{l.String(), start().Space(12).Add(st.Dim, "$ "+e.Command).String()}
}
