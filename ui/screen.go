package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// mode is how the panes are arranged.
type mode int

const (
	// single: one pane at a time, with a summary line.
	single mode = iota
	// stacked: panes below each other, all zones in one table.
	stacked
	// wide: there is room for two panes side by side.
	wide
)

// The sizes at which the arrangement changes.
const (
	wideWidth = 120
	// groupsWidth is from which width on the groups of a roll have a panel, groupsPanel how
	// wide that is.
	groupsWidth, groupsPanel = 160, 56
	// tallHeight is from which height on panes that share a subject have each its own.
	tallHeight = 30
)

// rect is a part of the screen, in cells; one without a height is not shown.
type rect struct{ x, y, w, h int }

// layout says where everything is. Frames are part of their panes.
type layout struct {
	mode mode
	// header, phases, banners, tabs (the summary line of single) and choice (which
	// nodes are shown) are lines without a frame.
	header, phases, banners, tabs, choice rect
	// strip is the group at a glance above the tables; glance its panel beside them, where
	// there is room for it and which stands in place of the strip.
	strip, glance                  rect
	nodes, blocked, evictions, log rect
	// validation is above blocked, while the cluster is or was validated.
	validation rect
	// pool is above it, for a worker pool.
	pool   rect
	footer rect
	// roll is the line of a roll's groups; groups their panel, where there is room for it
	// and which stands in place of the line.
	roll, groups rect
	// perZone: every zone has a table of its own, side by side.
	perZone bool
}

// plan divides the screen for what there is to show now.
func (m *Model) plan() layout {
	w, h := m.Width, m.Height
	var l layout
	if w < term.LeastWidth || h < term.LeastHeight {
		return l
	}
	header := 1
	if w < wideWidth {
		header = 2
	}
	switch {
	case w < term.StackedWidth:
		l.mode = single
	case w < wideWidth:
		l.mode = stacked
	default:
		l.mode = wide
	}
	y := 0
	take := func(n int) rect {
		r := rect{0, y, w, n}
		y += n
		return r
	}
	l.header, l.phases = take(header), take(1)
	if m.Scene.Roll != nil && !m.hasGroupsPanel() {
		l.roll = take(1)
	}
	l.banners = take(len(m.broken(w, max((h-term.LeastHeight)/3+1, 1))))
	if l.mode == single {
		l.tabs = take(1)
	}
	if m.Nodes.chosen() && (l.mode != single && !m.zoomed || m.Focus == NodesPane) {
		l.choice = take(1)
	}
	if m.glancePanel(w) == 0 && (l.mode != single || m.Focus == NodesPane) {
		l.strip = take(m.stripHeight(w))
	}
	l.footer = rect{0, h - 1, w, 1}
	m.panes(&l, rect{0, y, w, h - 1 - y})
	return l
}

// panes divides what is left for the panes.
func (m *Model) panes(l *layout, r rect) {
	l.perZone = m.Nodes.perZone(m.Scene, r.w)
	panel := m.glancePanel(r.w)
	if l.mode == single || m.zoomed {
		switch m.Focus {
		case BlockedPane:
			l.pool = rect{r.x, r.y, r.w, m.poolHeight(r.w, r.h)}
			r.y, r.h = r.y+l.pool.h, r.h-l.pool.h
			check := m.validationHeight(r.w, r.h)
			l.validation = rect{r.x, r.y, r.w, check}
			r.y, r.h = r.y+check, r.h-check
			l.blocked = r
			if evicting(m.Scene) {
				n := min(movedHeight(m.Scene), max(r.h/3, 3))
				l.blocked.h -= n
				l.evictions = rect{r.x, r.y + l.blocked.h, r.w, n}
			}
		case logPane:
			l.log = r
		default:
			l.nodes = r
		}
		return
	}
	blocked, evictions := m.band(l, r)
	band := blocked.h + evictions.h
	if blocked.y == evictions.y {
		band = max(blocked.h, evictions.h)
	}
	pool := m.poolHeight(r.w, r.h)
	check := m.validationHeight(r.w, r.h) + pool
	log := min(max(r.h/4, 4), 14)
	nodes := r.h - band - check - log
	if nodes < 5 {
		if log = r.h - band - check - 5; log < 3 {
			log = 0 // a frame around nothing
		}
		nodes = r.h - band - check - log
	}
	l.nodes = rect{r.x, r.y, r.w, nodes}
	if want := m.Nodes.height(*l); nodes > want {
		log += nodes - want
		l.nodes.h = want
	}
	if panel > 0 && l.nodes.h > 0 {
		l.glance = rect{r.x + r.w - panel, l.nodes.y, panel, l.nodes.h}
		l.nodes.w -= panel
	}
	at := l.nodes.y + l.nodes.h
	l.pool = rect{r.x, at, r.w, pool}
	l.validation = rect{r.x, at + pool, r.w, check - pool}
	at += check
	blocked.y += at
	evictions.y += at
	l.blocked, l.evictions = blocked, evictions
	l.log = rect{r.x, at + band, r.w, log}
	if m.Scene.Roll != nil && m.hasGroupsPanel() && log > 0 {
		l.log.w -= groupsPanel
		l.groups = rect{r.x + l.log.w, l.log.y, groupsPanel, log}
	}
}

// hasGroupsPanel reports whether there is room for a panel of a roll's groups.
func (m *Model) hasGroupsPanel() bool { return m.Width >= groupsWidth && m.Height >= tallHeight }

// band places what is blocked and what is on its way, from y 0: side by side where
// it is wide, below each other where it is high, else only what is blocked.
func (m *Model) band(l *layout, r rect) (blocked, evictions rect) {
	most := max(r.h*2/5, 4)
	going := evicting(m.Scene)
	lines := movedHeight(m.Scene)
	switch {
	case len(m.Scene.Blockers) == 0 && !going:
	case len(m.Scene.Blockers) == 0:
		evictions = rect{r.x, 0, r.w, min(lines, max(r.h/5, 3))}
	case l.mode == wide && going:
		side := min(max(r.w*3/10, 38), 64)
		h := min(max(m.Blockers.height(m, r.w-side-2)+2, min(lines, max(r.h/5, 6)), 4), most)
		blocked, evictions = rect{r.x, 0, r.w - side, h}, rect{r.x + r.w - side, 0, side, h}
	default:
		blocked = rect{r.x, 0, r.w, min(m.Blockers.height(m, r.w-2)+2, most)}
		if going && m.Height >= tallHeight {
			evictions = rect{r.x, blocked.h, r.w, min(lines, max(4, r.h/6))}
		}
	}
	return blocked, evictions
}

// share divides n cells among parts, the first ones getting what is left over.
func share(n, parts, i int) int {
	size := n / parts
	if i < n%parts {
		size++
	}
	return size
}

// fit lays the screen out: where each pane lies, and which part of its content is
// visible. It is called before a frame is rendered.
func (m *Model) fit() {
	m.Nodes.tables = m.Nodes.tables[:0]
	if m.Width < term.LeastWidth || m.Height < term.LeastHeight {
		return
	}
	if m.Scene != nil {
		m.layout = m.plan()
		m.Nodes.fit(m, m.layout)
		m.Blockers.fit(m, m.layout)
		m.log.fit(m, m.layout.log)
	}
	m.fitDialog()
}

// render is the whole screen, as it was fitted before.
func (m *Model) render() string {
	if m.Width <= 0 || m.Height <= 0 {
		return ""
	}
	if m.Width < term.LeastWidth || m.Height < term.LeastHeight {
		title := ""
		if m.Scene != nil {
			title = windowTitle(m.Scene, m.Styles)
		}
		return m.TooSmallText(title)
	}
	if m.Scene == nil {
		return m.waiting()
	}
	l := m.layout
	out := make([]string, 0, m.Height)
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
	if l.strip.h > 0 {
		out = append(out, m.strip(l.strip.w)...)
	}
	if l.nodes.h > 0 {
		tables := m.Nodes.lines(m)
		if l.glance.h > 0 {
			for i, line := range m.glanceLines(l.glance) {
				tables[i] += line
			}
		}
		out = append(out, tables...)
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
	for len(out) < m.Height-1 {
		out = append(out, style.NewLine(m.Styles, m.Width).String())
	}
	out = append(out[:m.Height-1], m.footer(l.footer.w))
	if m.Dialog != nil {
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
		out = m.Blockers.lines(m, l)
	}
	if l.evictions.h > 0 {
		beside = m.movedLines(l.evictions)
	}
	if l.evictions.x == l.blocked.x {
		return append(out, beside...)
	}
	for i := range out {
		out[i] += beside[i]
	}
	return out
}

// waiting is the screen before the first snapshot.
func (m *Model) waiting() string {
	out := []string{m.BareHeader("")}
	text := "reading the cluster and the group ..."
	if m.Opts.ReadOnly {
		text += " q leaves"
	}
	switch {
	case m.interrupts > 0:
		text = "abort requested; ctrl-c again leaves at once"
	case m.Ended:
		text = "the run stopped before there was anything to show; q leaves"
	}
	out = append(out, "", style.NewLine(m.Styles, m.Width).Space(1).Add(m.Styles.Text, text).String())
	if m.Dialog != nil {
		for len(out) < m.Height {
			out = append(out, style.NewLine(m.Styles, m.Width).String())
		}
		out = m.overlay(out)
	}
	return strings.Join(out, "\n")
}

// windowTitle is the state in a few words, for the window's title and for
// screens that are too small for more.
func windowTitle(sc *scene.Scene, st *style.Styles) string {
	t := fmt.Sprintf("%d/%d %s", sc.Done, sc.Total, sc.Group)
	if r := sc.Roll; r != nil {
		n, of := r.Place(sc.Group)
		t += fmt.Sprintf(" (group %d/%d)", n, of)
	}
	if sc.BlockedNodes > 0 {
		t += fmt.Sprintf(" %s%d blocked", st.Glyphs.Blocked, sc.BlockedNodes)
	}
	if sc.Problems > 0 && sc.State != record.NoRun && sc.State != record.Finished {
		t += " !" + style.Count(sc.Problems, "problem")
	}
	switch {
	case sc.State == record.NoRun:
		t = fmt.Sprintf("%s %d outdated", sc.Group, sc.Outdated())
		if who := sc.OthersWord(); who != "" {
			t += ", " + who
		}
		if sc.BlockedNodes > 0 {
			t += fmt.Sprintf(" %s%d blocked", st.Glyphs.Blocked, sc.BlockedNodes)
		}
		return style.Clean(t)
	case sc.State == record.Finished:
		t += " " + string(sc.Result)
	case sc.Batch != nil:
		t += " " + st.Glyphs.Ask + " approve?"
	case sc.InvalidCount() > 0:
		t += fmt.Sprintf(" %s%d not valid", st.Glyphs.Warning, sc.InvalidCount())
	case sc.State != record.Running:
		t += " " + string(sc.State)
	case sc.Alarms():
		t += " " + st.Glyphs.Warning + " " + sc.Forecast.Brief()
	}
	return style.Clean(t)
}

// taskbar is the progress that a terminal may show on its tab or icon.
func taskbar(sc *scene.Scene) *tea.ProgressBar {
	state := tea.ProgressBarDefault
	switch {
	case sc.State == record.NoRun, sc.State == record.Finished && sc.Result == record.Succeeded:
		state = tea.ProgressBarNone
	case sc.State == record.Finished:
		state = tea.ProgressBarError
	case sc.BlockedNodes+sc.Problems > 0, sc.InvalidCount() > 0, sc.Batch != nil, sc.State == record.Paused, sc.State == record.Ending, sc.StalestSource() != nil, sc.Alarms():
		state = tea.ProgressBarWarning
	}
	if sc.Total == 0 {
		return tea.NewProgressBar(state, 0)
	}
	return tea.NewProgressBar(state, sc.Done*100/sc.Total)
}

// declare says in a view what the terminal is to do beside showing the frame.
func (m *Model) declare(v *tea.View) {
	v.AltScreen = true
	if m.TTY.Dumb() {
		return
	}
	v.ReportFocus = !m.Appearance.Silent
	if m.mouse.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if m.Scene != nil {
		v.WindowTitle = m.Marked(windowTitle(m.Scene, m.Styles))
		if m.TTY.Progress {
			v.ProgressBar = taskbar(m.Scene)
		}
	}
}

// unread is a line that says why a panel has nothing to tell.
func unread(st *style.Styles, w int) string {
	return style.NewLine(st, w).Space(1).Add(st.Dim, "not known yet: reading the cluster's pods").String()
}
