package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
)

// logView is the window of the log. It stays at the newest line unless the
// operator scrolled up; then it stays with what is being read.
type logView struct {
	// until is how many events there were when the operator began to read; 0 follows
	// the newest.
	until int
	page  int
	// text chooses the lines that are shown.
	text string
	only filter
}

// search shows only the lines with certain words.
func (v *logView) search(text string) { v.text, v.only, v.until = text, parseFilter(text), 0 }

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

// move scrolls by n lines.
func (v *logView) move(sc *scene, n int) {
	at := v.until
	if at == 0 || at > len(sc.Events) {
		at = len(sc.Events)
	}
	for ; n < 0 && at > 1; at-- { // at is one past the newest line that is shown
		if v.shows(sc, &sc.Events[at-1]) {
			n++
		}
	}
	for ; n > 0 && at < len(sc.Events); at++ {
		if v.shows(sc, &sc.Events[at]) {
			n--
		}
	}
	at = max(at, min(v.page, len(sc.Events)))
	if at >= len(sc.Events) {
		at = 0
	}
	v.until = at
}

// wideLog is from which width on a line has room for the twin command.
const wideLog = 160

// lines draws the log, newest at the bottom.
func (v *logView) lines(m *Model, r rect) []string {
	sc, st := m.sc, m.st
	w, h, room := r.w, r.h, r.h-2
	v.page = room
	end := len(sc.Events)
	if v.until > 0 && v.until < end {
		end = v.until
	}
	var body []string
	for i := end - 1; i >= 0 && len(body) < room; i-- {
		if !v.shows(sc, &sc.Events[i]) {
			continue
		}
		ls := m.eventLines(&sc.Events[i], w-2)
		for j := len(ls) - 1; j >= 0 && len(body) < room; j-- {
			body = append(body, ls[j])
		}
	}
	for i, j := 0, len(body)-1; i < j; i, j = i+1, j-1 {
		body[i], body[j] = body[j], body[i]
	}
	switch {
	case len(sc.Events) == 0:
		body = append(body, newLine(st, w-2).space(1).add(st.dim, "nothing has happened yet").String())
	case len(body) == 0:
		body = append(body, newLine(st, w-2).space(1).add(st.dim, "no line is like that").String())
	}
	newer := ""
	if n := len(sc.Events) - end; n > 0 {
		newer = fmt.Sprintf("%s%d newer, G follows", st.g.More, n)
	}
	title, right := "log", ""
	if v.text != "" {
		title, right = "log / "+v.text, fmt.Sprintf("%d of %s", v.count(sc), count(len(sc.Events), "line"))
	}
	return framed(st, st.border, title, right, newer, body, w, h, m.focus == logPane)
}

// eventLines is one event, and below or beside it the command that does the same.
func (m *Model) eventLines(e *engine.Event, w int) []string {
	st := m.st
	lk := eventLook(st, e)
	l := newLine(st, w).space(1)
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
	return []string{l.String(), newLine(st, w).space(12).add(st.dim, "$ "+e.Command).String()}
}

// eventLook tells at a glance what wants attention.
func eventLook(st *styles, e *engine.Event) look {
	switch e.Type {
	case engine.NodeFailed, engine.ValidationFailed:
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
	case engine.NodeReplaced, engine.NodeReady, engine.PhaseFinished, engine.ValidationPassed:
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
