package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
)

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
	only filter
}

// search shows only the lines with certain words.
func (v *logView) search(text string) { v.text, v.only, v.cursor = text, parseFilter(text), 0 }

// shows reports whether an event is among the lines that are shown.
func (v *logView) shows(sc *scene, e *engine.Event) bool {
	return len(v.only) == 0 || v.only.mentioned(sc.eventText(e)+" "+e.Command)
}

// count is how many lines are shown in all.
func (v *logView) count(sc *scene) int {
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
func (v *logView) next(sc *scene, n, step int) int {
	for ; n >= 1 && n <= len(sc.Events); n += step {
		if v.shows(sc, &sc.Events[n-1]) {
			return n
		}
	}
	return 0
}

// at is the event under the cursor, the newest without one; nil if there is none.
func (v *logView) at(sc *scene) *engine.Event {
	n := v.cursor
	if n == 0 || n > len(sc.Events) {
		n = v.next(sc, len(sc.Events), -1)
	}
	if n == 0 {
		return nil
	}
	return &sc.Events[n-1]
}

// moved keeps the cursor on its line when a new snapshot comes: lines before it may have
// been cut off or put in between. Where the line is gone the log follows again.
func (v *logView) moved(was, sc *scene) {
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
func sameEvent(a, b *engine.Event) bool {
	return a.Time.Equal(b.Time) && a.Type == b.Type && a.Node == b.Node && a.Pod == b.Pod && a.Message == b.Message
}

// move takes the cursor n lines on; from the newest line on it follows.
func (v *logView) move(sc *scene, n int) {
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

// window works out which lines are in sight, given how high each is.
func (v *logView) window(sc *scene, room int, height func(*engine.Event) int) {
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
func (v *logView) fill(sc *scene, from, step, room int, height func(*engine.Event) int) int {
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
	sc, st := m.sc, m.st
	w, h, room := r.w, r.h, r.h-2
	v.page = room
	v.window(sc, room, func(e *engine.Event) int { return m.eventHeight(e, w-2) })
	focus := m.focus == logPane
	chosen := 0
	if focus {
		if chosen = v.cursor; chosen == 0 {
			chosen = v.next(sc, len(sc.Events), -1)
		}
	}
	var body []string
	for n := v.next(sc, v.first, 1); n != 0 && n <= v.until; n = v.next(sc, n+1, 1) {
		body = append(body, m.eventLines(&sc.Events[n-1], w-2, n == chosen)...)
	}
	switch {
	case len(sc.Events) == 0 && sc.Partial:
		body = append(body, m.unread(w-2))
	case len(sc.Events) == 0:
		body = append(body, newLine(st, w-2).space(1).add(st.dim, "nothing has happened yet").String())
	case len(body) == 0:
		body = append(body, newLine(st, w-2).space(1).add(st.dim, "no line is like that").String())
	}
	newer := ""
	if n := len(sc.Events) - v.until; n > 0 {
		newer = fmt.Sprintf("%s%d newer, G follows", st.g.More, n)
	}
	title, right := "log", ""
	if v.text != "" {
		title, right = "log / "+v.text, fmt.Sprintf("%d of %s", v.count(sc), count(len(sc.Events), "line"))
	}
	return framed(st, st.border, title, right, newer, body[:min(len(body), max(room, 0))], w, h, focus)
}

// eventHeight is how many lines an event takes.
func (m *Model) eventHeight(e *engine.Event, w int) int {
	if e.Command != "" && w < wideLog && m.commands {
		return 2
	}
	return 1
}

// eventLines is one event, and below or beside it the command that does the same.
func (m *Model) eventLines(e *engine.Event, w int, chosen bool) []string {
	st := m.st
	lk := m.eventLook(e)
	mark := " "
	start := func() *line {
		l := newLine(st, w)
		if chosen {
			mark, l.over = st.g.Cursor, &st.cursor
		}
		return l
	}
	l := start()
	l.begin(mark)
	l.add(st.dim, e.Time.In(m.opts.Now().Location()).Format("15:04:05")).space(1)
	l.add(lk.pen, lk.glyph).space(1)
	text := m.sc.eventText(e)
	if e.Command == "" || m.commands == (w >= wideLog) {
		return []string{l.add(lk.pen, text).String()}
	}
	if half := w * 11 / 20; w >= wideLog {
		l.fit(lk.pen, text, half-l.at-2).to(half).add(st.dim, "$ "+e.Command)
		return []string{l.String()}
	}
	l.add(lk.pen, text)
	return []string{l.String(), start().space(12).add(st.dim, "$ "+e.Command).String()}
}

// eventLook tells at a glance what wants attention.
func (m *Model) eventLook(e *engine.Event) look {
	st := m.st
	if e.Type == engine.PhaseFinished && m.sc.endedIn(e.Phase) {
		return m.stopped()
	}
	switch e.Type {
	case engine.NodeFailed, engine.ValidationFailed, engine.HookFailed:
		return look{st.g.Failed, st.bad}
	case engine.Warning:
		return look{st.g.Warning, st.warn}
	case engine.NodeBlocked, engine.PodBlocked:
		return look{st.g.Blocked, st.warn}
	case engine.PodForced, engine.RunAborting, engine.NodeSkipped:
		return look{"!", st.warn}
	case engine.BatchWaiting:
		return look{st.g.Ask, st.warn}
	case engine.RunPaused:
		return look{st.g.Paused, st.warn}
	case engine.NodeReplaced, engine.NodeReady, engine.PhaseFinished, engine.ValidationPassed, engine.HookPassed:
		return look{st.g.Done, st.good}
	case engine.RunFinished:
		if e.Result == string(engine.Succeeded) {
			return look{st.g.Done, st.good}
		}
		return look{st.g.Failed, st.bad}
	}
	return look{st.g.Dot, st.text}
}

// verbs are what a sentence about an event begins with.
var verbs = map[engine.EventType]string{
	engine.RunPlanned: "planned", engine.RunStarted: "the run has started", engine.RunPaused: "paused",
	engine.RunResumed: "resumed", engine.RunAborting: "aborting", engine.RunFinished: "finished",
	engine.PhaseStarted: "begins", engine.PhaseFinished: "finished",
	engine.BatchWaiting: "waits for approval", engine.BatchApproved: "approved",
	engine.NodeOutdated: "outdated", engine.NodeTainted: "tainted", engine.NodeCordoned: "cordoned",
	engine.NodeDraining: "draining", engine.NodeBlocked: "blocked", engine.NodeDrained: "drained",
	engine.NodeSettling: "settling", engine.NodeTerminating: "terminating", engine.NodeReplaced: "replaced",
	engine.NodeLaunching: "launching", engine.NodeReady: "ready", engine.NodeUpdating: "updating",
	engine.NodeSkipped: "skipped", engine.NodeFailed: "failed",
	engine.PodEvicted: "evicted", engine.PodBlocked: "blocked", engine.PodUnblocked: "no longer blocked",
	engine.PodForced: "forced", engine.PodGone: "gone", engine.CapacityChanged: "capacity",
	engine.InstanceDetached: "detached", engine.InstanceOut: "deregistered",
	engine.ValidationPassed: "validation passed", engine.ValidationFailed: "validation failed",
	engine.HookStarted: "hook asked", engine.HookPassed: "hook done", engine.HookFailed: "hook failed",
}

// eventText is an event as a sentence: who, what, and the message unless it says
// that itself.
func (sc *scene) eventText(e *engine.Event) string {
	node := ""
	if e.Node != "" {
		node = sc.node(e.Node)
	}
	who := node
	verb := verbs[e.Type]
	switch {
	case strings.HasPrefix(string(e.Type), "node.") && node != "":
	case e.Pod != "" && node != "":
		who = e.Pod + " on " + node
	case e.Pod != "":
		who = e.Pod
	case e.Batch != 0 && node == "":
		who = fmt.Sprintf("batch %d", e.Batch)
	case e.Type == engine.ValidationPassed, e.Type == engine.ValidationFailed: // of the cluster, in whichever phase
	case e.Phase != "" && node == "":
		who = e.Phase
	}
	msg := sc.brief(strings.TrimSpace(e.Message))
	if e.Budget != "" && !strings.Contains(msg, e.Budget) {
		verb += " by " + e.Budget
	}
	switch {
	case msg == "" || msg == who:
		return strings.TrimSpace(who + " " + verb)
	case who == "" && (verb == "" || strings.HasPrefix(msg, verb)) || who != "" && mentions(msg, who):
		return msg
	case who == "":
		return verb + ": " + msg
	case verb == "" || strings.HasPrefix(who, "batch "):
		return who + ": " + msg
	case strings.HasPrefix(msg, verb):
		return who + " " + msg
	default:
		return who + " " + verb + ": " + msg
	}
}

// mentions reports whether a message begins by saying whom it is about.
func mentions(msg, who string) bool {
	who, _, _ = strings.Cut(who, " on ")
	return strings.HasPrefix(msg, who)
}
