package ui

// mode is how the panes are arranged.
type mode int

const (
	// single: one pane at a time, with a summary line.
	single mode = iota
	// stacked: panes below each other, all zones in one table.
	stacked
	// wide: the zones side by side.
	wide
)

// The sizes at which the arrangement changes.
const (
	leastWidth, leastHeight = 44, 14
	stackedWidth            = 80
	wideWidth               = 120
	// zoneWidth is the least width of a zone's own table.
	zoneWidth = 38
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
	nodes, blocked, evictions, log        rect
	// validation is above blocked, while the cluster is or was validated.
	validation rect
	// pool is above it, for a worker pool.
	pool   rect
	footer rect
	// roll is the line of a roll's groups; groups their panel, where there is room for it
	// and which stands in place of the line.
	roll, groups rect
	// columns and rows are the grid of zone tables in wide.
	columns, rows int
}

// plan divides the screen for what there is to show now.
func (m *Model) plan() layout {
	w, h := m.width, m.height
	var l layout
	if w < leastWidth || h < leastHeight {
		return l
	}
	header := 1
	if w < wideWidth {
		header = 2
	}
	switch {
	case w < stackedWidth:
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
	if m.sc.Roll != nil && !m.hasGroupsPanel() {
		l.roll = take(1)
	}
	l.banners = take(min(len(m.broken(w)), max((h-leastHeight)/3+1, 1)))
	if l.mode == single {
		l.tabs = take(1)
	}
	if m.nodes.chosen() && (l.mode != single || m.focus == nodesPane) {
		l.choice = take(1)
	}
	l.footer = rect{0, h - 1, w, 1}
	m.panes(&l, rect{0, y, w, h - 1 - y})
	return l
}

// panes divides what is left for the panes.
func (m *Model) panes(l *layout, r rect) {
	if l.mode == single {
		switch m.focus {
		case blockedPane:
			l.pool = rect{r.x, r.y, r.w, m.poolHeight(r.w, r.h)}
			r.y, r.h = r.y+l.pool.h, r.h-l.pool.h
			check := m.validationHeight(r.w, r.h)
			l.validation = rect{r.x, r.y, r.w, check}
			r.y, r.h = r.y+check, r.h-check
			l.blocked = r
			if m.evicting() {
				n := min(max(len(m.sc.Evictions), 1)+2, max(r.h/3, 3))
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
	if l.mode == wide {
		l.columns, l.rows = grid(len(m.nodes.list), r.w/zoneWidth)
		if l.rows > 1 && r.h/l.rows < 10 {
			l.mode = stacked // too many zones for tables of their own
		}
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
	if want := m.nodes.height(m, *l); nodes > want {
		log += nodes - want
		l.nodes.h = want
	}
	at := l.nodes.y + l.nodes.h
	l.pool = rect{r.x, at, r.w, pool}
	l.validation = rect{r.x, at + pool, r.w, check - pool}
	at += check
	blocked.y += at
	evictions.y += at
	l.blocked, l.evictions = blocked, evictions
	l.log = rect{r.x, at + band, r.w, log}
	if m.sc.Roll != nil && m.hasGroupsPanel() && log > 0 {
		l.log.w -= groupsPanel
		l.groups = rect{r.x + l.log.w, l.log.y, groupsPanel, log}
	}
}

// hasGroupsPanel reports whether there is room for a panel of a roll's groups.
func (m *Model) hasGroupsPanel() bool { return m.width >= groupsWidth && m.height >= tallHeight }

// band places what is blocked and what is on its way, from y 0: side by side where
// it is wide, below each other where it is high, else only what is blocked.
func (m *Model) band(l *layout, r rect) (blocked, evictions rect) {
	most := max(r.h*2/5, 4)
	going := m.evicting()
	lines := min(max(len(m.sc.Evictions), 2), 4) + 2
	switch {
	case len(m.sc.Blockers) == 0 && !going:
	case len(m.sc.Blockers) == 0:
		evictions = rect{r.x, 0, r.w, min(lines, max(r.h/5, 3))}
	case l.mode == wide && going:
		side := min(max(r.w*3/10, 38), 64)
		h := min(max(m.blockers.height(m, r.w-side-2)+2, 4), most)
		blocked, evictions = rect{r.x, 0, r.w - side, h}, rect{r.x + r.w - side, 0, side, h}
	default:
		blocked = rect{r.x, 0, r.w, min(m.blockers.height(m, r.w-2)+2, most)}
		if going && m.height >= tallHeight {
			evictions = rect{r.x, blocked.h, r.w, min(lines, 4)}
		}
	}
	return blocked, evictions
}

// grid spreads n tables over at most columns, evenly.
func grid(n, columns int) (across, down int) {
	if n == 0 {
		return 1, 1
	}
	columns = max(columns, 1)
	down = (n + columns - 1) / columns
	return (n + down - 1) / down, down
}

// share divides n cells among parts, the first ones getting what is left over.
func share(n, parts, i int) int {
	size := n / parts
	if i < n%parts {
		size++
	}
	return size
}
