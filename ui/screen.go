package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// render is the whole screen.
func (m *Model) render() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.width < leastWidth || m.height < leastHeight {
		return m.tooSmall()
	}
	if m.sc == nil {
		return m.waiting()
	}
	l := m.plan()
	out := make([]string, 0, m.height)
	out = append(out, m.header(l)...)
	out = append(out, m.phaseLine(l.phases.w))
	if l.roll.h > 0 {
		out = append(out, m.rollLine(l.roll.w))
	}
	out = append(out, m.bannerLines(l)...)
	if l.tabs.h > 0 {
		out = append(out, m.tabLine(l.tabs.w))
	}
	if l.choice.h > 0 {
		out = append(out, m.choiceLine(l.choice.w))
	}
	if l.nodes.h > 0 {
		out = append(out, m.nodes.lines(m, l)...)
	}
	if l.pool.h > 0 {
		out = append(out, m.poolLines(l.pool)...)
	}
	if l.validation.h > 0 {
		out = append(out, m.validationLines(l.validation)...)
	}
	out = append(out, m.bandLines(l)...)
	if l.log.h > 0 {
		out = append(out, m.logLines(l)...)
	}
	for len(out) < m.height-1 {
		out = append(out, newLine(m.st, m.width).String())
	}
	out = append(out[:m.height-1], m.footer(l.footer.w))
	if m.dialog != nil {
		out = m.overlay(out)
	}
	return strings.Join(out, "\n")
}

// logLines are the log, and the groups of a roll beside it.
func (m *Model) logLines(l layout) []string {
	out := m.log.lines(m, l.log)
	if l.groups.h > 0 {
		for i, line := range m.groupLines(l.groups) {
			out[i] += line
		}
	}
	return out
}

// bandLines are what is blocked and what is on its way, side by side or below each
// other.
func (m *Model) bandLines(l layout) []string {
	var out, beside []string
	if l.blocked.h > 0 {
		out = m.blockers.lines(m, l)
	}
	if l.evictions.h > 0 {
		beside = m.evictionLines(l.evictions)
	}
	if l.evictions.x == l.blocked.x {
		return append(out, beside...)
	}
	for i := range out {
		out[i] += beside[i]
	}
	return out
}

func (m *Model) tooSmall() string {
	var out []string
	if m.height > 1 && m.sc != nil {
		out = append(out, newLine(m.st, m.width).add(m.st.text, m.marked(windowTitle(m.sc, m.st))).String())
	}
	for _, s := range wrap(fmt.Sprintf("too small: needs at least %dx%d, has %dx%d", leastWidth, leastHeight, m.width, m.height), m.width) {
		out = append(out, newLine(m.st, m.width).add(m.st.warn, s).String())
	}
	return strings.Join(out[:min(len(out), m.height)], "\n")
}

// waiting is the screen before the first snapshot.
func (m *Model) waiting() string {
	out := []string{m.bare("")}
	text := "reading the cluster and the group ..."
	if m.opts.ReadOnly {
		text += " q leaves"
	}
	switch {
	case m.interrupts > 0:
		text = "abort asked for; ctrl-c again leaves at once"
	case m.ended:
		text = "the run stopped before there was anything to show; q leaves"
	}
	out = append(out, "", newLine(m.st, m.width).space(1).add(m.st.text, text).String())
	if m.dialog != nil {
		for len(out) < m.height {
			out = append(out, newLine(m.st, m.width).String())
		}
		out = m.overlay(out)
	}
	return strings.Join(out, "\n")
}

// frameTop is the upper edge of a frame, with a title and something on the right.
func frameTop(st *styles, p pen, title, right string, w int, focus bool) string {
	g := st.g.Frame
	l := newLine(st, w).add(p, g[0]+g[1]+" ")
	tp := st.text
	if focus {
		tp = st.title
	}
	rest := 2
	if right != "" {
		rest = width(clean(right)) + 5
	}
	l.write(tp, title, max(w-l.at-rest-1, 0)).add(p, " ")
	l.add(p, repeat(g[1], w-l.at-rest))
	if right != "" {
		l.add(p, " ").add(st.dim, right).add(p, " "+g[1])
	} else {
		l.add(p, repeat(g[1], l.left()-1))
	}
	l.add(p, repeat(g[1], l.left()-1))
	return l.add(p, g[2]).String()
}

// frameBottom is the lower edge of a frame, with something on the right.
func frameBottom(st *styles, p pen, right string, w int) string {
	g := st.g.Frame
	l := newLine(st, w).add(p, g[4])
	if right == "" {
		return l.add(p, repeat(g[1], w-2)).add(p, g[5]).String()
	}
	n := min(width(clean(right)), w-6)
	return l.add(p, repeat(g[1], w-n-5)).add(p, " ").write(st.dim, right, n).add(p, " "+g[1]+g[5]).String()
}

// framed puts a frame of w by h cells around lines that are w-2 cells wide.
func framed(st *styles, p pen, title, right, bottom string, body []string, w, h int, focus bool) []string {
	if focus {
		p = st.focus
	}
	side := newLine(st, 1).add(p, st.g.Frame[3]).String()
	out := make([]string, 0, h)
	out = append(out, frameTop(st, p, title, right, w, focus))
	for i := range h - 2 {
		if i < len(body) {
			out = append(out, side+body[i]+side)
		} else {
			out = append(out, side+spaces(w-2)+side)
		}
	}
	return append(out, frameBottom(st, p, bottom, w))
}

// windowTitle is the state in a few words, for the window's title and for
// screens that are too small for more.
func windowTitle(sc *scene, st *styles) string {
	t := fmt.Sprintf("%d/%d %s", sc.Done, sc.Total, sc.Group)
	if r := sc.Roll; r != nil {
		n, of := r.Place(sc.Group)
		t += fmt.Sprintf(" (group %d/%d)", n, of)
	}
	if sc.blocked > 0 {
		t += fmt.Sprintf(" %s%d blocked", st.g.Blocked, sc.blocked)
	}
	switch {
	case sc.State == engine.NoRun:
		t = fmt.Sprintf("%s %d outdated", sc.Group, sc.outdated())
		if who := sc.othersWord(); who != "" {
			t += ", " + who
		}
		if sc.blocked > 0 {
			t += fmt.Sprintf(" %s%d blocked", st.g.Blocked, sc.blocked)
		}
		return clean(t)
	case sc.State == engine.Finished:
		t += " " + string(sc.Result)
	case sc.Batch != nil:
		t += " " + st.g.Ask + " approve?"
	case sc.invalid() > 0:
		t += fmt.Sprintf(" %s%d not valid", st.g.Warning, sc.invalid())
	case sc.State != engine.Running:
		t += " " + string(sc.State)
	}
	return clean(t)
}

// taskbar is the progress that a terminal may show on its tab or icon.
func taskbar(sc *scene) *tea.ProgressBar {
	state := tea.ProgressBarDefault
	switch {
	case sc.State == engine.NoRun, sc.State == engine.Finished && sc.Result == engine.Succeeded:
		state = tea.ProgressBarNone
	case sc.State == engine.Finished:
		state = tea.ProgressBarError
	case sc.blocked > 0, sc.invalid() > 0, sc.Batch != nil, sc.State == engine.Paused, sc.State == engine.Ending, sc.stale() != nil:
		state = tea.ProgressBarWarning
	}
	if sc.Total == 0 {
		return tea.NewProgressBar(state, 0)
	}
	return tea.NewProgressBar(state, sc.Done*100/sc.Total)
}
