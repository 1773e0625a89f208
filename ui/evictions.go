package ui

import (
	"fmt"

	"github.com/drainboard/drainboard/engine"
)

// evicting reports whether there is, or soon will be, something for the pane of
// evictions to show. It looks at nodes rather than at pods, so that the panes do
// not jump whenever a pod is gone.
func (m *Model) evicting() bool {
	if len(m.sc.Evictions) > 0 {
		return true
	}
	for _, r := range m.sc.rows {
		if r.Stage == engine.Draining {
			return true
		}
	}
	return false
}

// evictionLines draws the pane of the pods that are on their way: where each is,
// and how much of its grace period is left.
func (m *Model) evictionLines(r rect) []string {
	sc, st := m.late, m.st
	w, room := r.w-2, r.h-2
	list := sc.Evictions
	body := make([]string, 0, room)
	for _, e := range list[:min(len(list), room)] {
		body = append(body, m.evictionLine(e, w))
	}
	switch {
	case sc.Partial:
		body = append(body, m.unread(w))
	case len(list) == 0:
		text := "no pod is terminating at this moment"
		if len(sc.Blockers) > 0 {
			text = "nothing moves: see what is blocked"
		}
		body = append(body, newLine(st, w).space(1).add(st.dim, text).String())
	}
	more := ""
	if rest := len(list) - room; rest > 0 {
		more = fmt.Sprintf("+%d more, all sooner", rest)
	}
	title := "evictions"
	if len(list) > 0 {
		title += ": " + count(len(list), "pod") + " terminating"
	}
	return framed(st, st.border, title, "", more, body, r.w, r.h, false)
}

func (m *Model) evictionLine(e *engine.Eviction, w int) string {
	sc, st := m.late, m.st
	left, _ := sc.remaining(e.Grace, m.opts.Now())
	const clock = 6
	bar := min(max((w-48)/2, 5), 20)
	room := w - 1 - clock - 1 - bar - 1
	node := " on " + sc.node(e.Node)
	pod := e.Pod
	if width(clean(node)) > room-12 {
		node = ""
	}
	l := newLine(st, w).space(1)
	l.add(st.text, shorten(pod, room-width(clean(node)), st.g.Ellipsis)).add(st.dim, node)
	l.to(w-1-bar-1-clock).right(st.text, countdown(left), clock).space(1)
	m.timeBar(l, left, e.Grace, bar)
	return l.String()
}
