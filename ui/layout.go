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
)

// layout says how the screen is divided, top to bottom. Heights include frames.
type layout struct {
	mode   mode
	w, h   int
	header int // lines of the header
	tabs   int // the summary line of single
	// banners is how many there is room for.
	banners int
	// columns and rows are the grid of zone tables in wide.
	columns, rows       int
	nodes, blocked, log int
}

// plan divides the screen for what there is to show now.
func (m *Model) plan() layout {
	l := layout{w: m.width, h: m.height}
	if m.width < leastWidth || m.height < leastHeight {
		return l
	}
	l.header = 1
	if m.width < wideWidth {
		l.header = 2
	}
	switch {
	case m.width < stackedWidth:
		l.mode, l.tabs = single, 1
	case m.width < wideWidth:
		l.mode = stacked
	default:
		l.mode = wide
	}
	l.banners = min(len(m.banners()), max((m.height-leastHeight)/3+1, 1))
	rest := m.height - l.header - 1 - l.tabs - l.banners - 1 // phases and footer: a line each

	if l.mode == single {
		switch m.focus {
		case blockedPane:
			l.blocked = rest
		case logPane:
			l.log = rest
		default:
			l.nodes = rest
		}
		return l
	}

	if l.mode == wide {
		l.columns, l.rows = grid(len(m.sc.Zones), m.width/zoneWidth)
		if l.rows > 1 && rest/l.rows < 10 {
			l.mode = stacked // too many zones for tables of their own
		}
	}
	if len(m.sc.Blockers) > 0 {
		l.blocked = min(m.blockers.height(m, m.width-2)+2, max(rest*2/5, 4))
	}
	l.log = min(max(rest/4, 4), 14)
	l.nodes = rest - l.blocked - l.log
	if l.nodes < 5 {
		l.log = max(rest-l.blocked-5, 0)
		l.nodes = rest - l.blocked - l.log
	}
	if want := m.nodes.height(m, l); l.nodes > want {
		l.log += l.nodes - want
		l.nodes = want
	}
	return l
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
