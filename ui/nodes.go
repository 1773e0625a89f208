package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/glance"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/table"
)

// nodeTable is the cursor, the choice and the windows of the node tables. The
// cursor is a machine, never a row number: rows come and go under it. Without a
// cursor the windows follow what is happening.
type nodeTable struct {
	Cursor string
	// marks are machines that a command is to be given for all at once.
	marks map[string]bool
	// text and problems choose which nodes are shown, order how, wide with which columns.
	text     string
	problems bool
	order    table.Order
	wide     bool
	// list is what is chosen of each zone, all the same of all of them, and places in which
	// zone of the list a machine is.
	list   []zoneRows
	all    []*snapshot.NodeRow
	places map[string]int
	usual  bool // the list holds all nodes in the order in which they come
	// held is the order that stays while the cursor moves, by machine, and until when.
	held      map[string]int
	heldUntil time.Time
	// heldRows are the rows of the tables in that order, by zone; -1 is the table of all zones.
	heldRows map[int][]*snapshot.NodeRow
	// tops are the first visible rows by zone; "" is the one of the table that
	// holds all zones.
	tops map[string]int
	// page is how many rows a window has.
	page int
	// tables are those on the screen, each with the window into its rows.
	tables []nodesTable
}

// nodesTable is one of the node tables on the screen.
type nodesTable struct {
	zone, x, w, h int // zone is -1 for the table of all zones
	cols          table.Columns
	// rows are all of its rows in their order, visible those in the window, from top on.
	rows, visible []*snapshot.NodeRow
	top           int
}

// zoneRows are the nodes of a zone that are shown.
type zoneRows struct {
	*snapshot.ZoneView
	rows []*snapshot.NodeRow
}

// headings are the lines of a table that are no rows: its frame and the names of its columns.
const headings = 3

// moved takes a new snapshot. A cursor or mark whose machine is gone is dropped: a
// key must not hit a neighbour.
func (t *nodeTable) moved(sc *scene.Scene) {
	for id := range t.marks {
		if sc.Row(id) == nil {
			delete(t.marks, id)
		}
	}
	t.arrange(sc)
}

// holdOrder is how long the order of the rows stays after the cursor has moved.
const holdOrder = 10 * time.Second

// hold keeps the order of the rows as it is: the cursor is about to move through them.
func (t *nodeTable) hold(m *Model) {
	t.heldUntil = m.Opts.Now().Add(holdOrder)
	if t.held != nil {
		return
	}
	held := make(map[string]int, len(t.all))
	for i, r := range t.inOrder(m) {
		held[r.ID] = i
	}
	t.held, t.heldRows = held, map[int][]*snapshot.NodeRow{}
}

// ordered are the rows of a table in their order: of a zone, or with zone < 0 of all. Where not
// all have room what wants to be seen comes first.
func (t *nodeTable) ordered(zone int) []*snapshot.NodeRow {
	rows := t.all
	if zone >= 0 {
		rows = t.list[zone].rows
	}
	switch {
	case t.held != nil:
		if t.heldRows[zone] == nil {
			t.heldRows[zone] = inPlace(rows, t.held)
		}
		return t.heldRows[zone]
	case t.order.Usual() && len(rows) > t.page:
		return table.Urgent(rows)
	}
	return rows
}

// inPlace puts rows in the places they had; those that had none come last.
func inPlace(rows []*snapshot.NodeRow, places map[string]int) []*snapshot.NodeRow {
	out := make([]*snapshot.NodeRow, len(places), len(places)+len(rows))
	for _, r := range rows {
		if at, known := places[r.ID]; known {
			out[at] = r
		} else {
			out = append(out, r)
		}
	}
	return slices.DeleteFunc(out, func(r *snapshot.NodeRow) bool { return r == nil })
}

// inOrder are all rows as the tables have them, one table after the other.
func (t *nodeTable) inOrder(m *Model) []*snapshot.NodeRow {
	if !m.plan().perZone {
		return t.ordered(-1)
	}
	var out []*snapshot.NodeRow
	for z := range t.list {
		out = append(out, t.ordered(z)...)
	}
	return out
}

// perZone reports whether every zone has room for a table of its own, beside the others.
func (t *nodeTable) perZone(sc *scene.Scene, w int) bool {
	if len(t.list) == 0 {
		return false
	}
	cols := t.columns(sc, w/len(t.list)-2, true)
	return len(t.list) == 1 || cols.Whole
}

// columns are those of a table that is w cells wide inside.
func (t *nodeTable) columns(sc *scene.Scene, w int, zone bool) table.Columns {
	return table.For(sc, w, table.Form{Zones: !zone && len(sc.Zones) > 1, Wide: t.wide, Marks: len(t.marks) > 0})
}

// height is how many lines the tables need to show everything, frames included.
func (t *nodeTable) height(l layout) int {
	most := 1
	if !l.perZone {
		most = max(len(t.all), 1)
	} else {
		for _, z := range t.list {
			most = max(most, len(z.rows))
		}
	}
	return most + headings
}

// fit works out the tables and the window of each.
func (t *nodeTable) fit(m *Model, l layout) {
	if l.nodes.h <= 0 {
		return
	}
	if t.held != nil && m.Opts.Now().After(t.heldUntil) {
		t.held = nil
	}
	t.page = max(l.nodes.h-headings, 0)
	if !l.perZone {
		t.fitTable(-1, l.nodes.x, l.nodes.w, l.nodes.h, t.columns(m.Scene, l.nodes.w-2, false))
		return
	}
	x, n := l.nodes.x, len(t.list)
	cols := t.columns(m.Scene, l.nodes.w/n-2, true)
	for i := range n {
		w := share(l.nodes.w, n, i)
		t.fitTable(i, x, w, l.nodes.h, cols)
		x += w
	}
}

// fitTable works out one table: of a zone, or with zone < 0 of all of them.
func (t *nodeTable) fitTable(zone, x, w, h int, cols table.Columns) {
	tb := nodesTable{zone: zone, x: x, w: w, h: h, cols: cols, rows: t.ordered(zone)}
	tb.top = t.scroll(zone, tb.rows, t.page)
	tb.visible = tb.rows[tb.top:min(tb.top+t.page, len(tb.rows))]
	t.tables = append(t.tables, tb)
}

// lines draws the tables.
func (t *nodeTable) lines(m *Model) []string {
	out := t.draw(m, &t.tables[0])
	for i := range t.tables[1:] {
		for j, s := range t.draw(m, &t.tables[i+1]) {
			out[j] += s
		}
	}
	return out
}

// draw draws one table.
func (t *nodeTable) draw(m *Model, tb *nodesTable) []string {
	sc, st := m.Scene, m.Styles
	zone, w := tb.zone, tb.w
	arrow := ""
	if !t.order.Usual() {
		arrow = st.Glyphs.More
	}
	if t.order.Reversed {
		arrow = st.Glyphs.Less
	}
	d := table.Drawing{Columns: &tb.cols, Scene: sc, Styles: st, Now: m.Opts.Now(), Hand: max(zone, 0), Marked: t.marks, Cursor: t.Cursor, Focus: m.Focus == NodesPane}
	body := make([]string, 0, len(tb.visible)+1)
	body = append(body, tb.cols.Heading(st, w-2, t.order.By, arrow))
	for _, r := range tb.visible {
		body = append(body, d.Row(r, w-2))
	}

	title, right := "nodes", fmt.Sprintf("%d/%d", sc.Done, sc.Total)
	if sc.State == record.NoRun {
		right = ""
	}
	focus := m.Focus == NodesPane
	if zone >= 0 {
		z := t.list[zone]
		title, right = z.Name+"  "+sc.ZoneProgress(z.ZoneView), ""
		p, ok := t.places[t.Cursor]
		focus = focus && ok && p == zone
	} else if len(tb.rows) == 0 {
		text := "no nodes are known yet"
		if t.filtered() {
			text = "no node matches; esc shows all"
		}
		body = append(body[:0], style.NewLine(st, w-2).Space(1).Add(st.Dim, text).String())
	}
	if m.zoomed {
		title += ", zoomed: z shows all panes"
	}
	return style.Framed(st, st.Border, title, right, tb.hidden(st, w-8), body, w, tb.h, focus)
}

// unread are the nodes on the screen whose pods are not read yet and would be shown.
func (t *nodeTable) unread() (names []string) {
	for i := range t.tables {
		tb := &t.tables[i]
		for _, r := range tb.visible {
			if tb.cols.Unread(r) {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// hidden says how many rows are not in the window, how many of them are at work, and as far
// as w cells have room what the others are.
func (tb *nodesTable) hidden(st *style.Styles, w int) string {
	rows := len(tb.rows) - len(tb.visible)
	if rows <= 0 {
		return ""
	}
	busy, counts := 0, map[record.Stage]int{}
	for i, r := range tb.rows {
		if i >= tb.top && i < tb.top+len(tb.visible) {
			continue
		}
		if scene.IsActive(r) {
			busy++
		} else {
			counts[r.Stage]++
		}
	}
	arrows := st.Glyphs.More
	if tb.top > 0 {
		arrows = st.Glyphs.Less + st.Glyphs.More
	}
	s := fmt.Sprintf("%s%d more", arrows, rows)
	if busy > 0 {
		s += fmt.Sprintf(", %d busy", busy)
	}
	var words []string
	for _, stage := range []record.Stage{record.NodeFail, record.Unreachable, record.Outdated, record.Queued, record.Skipped, record.Replaced, record.Ready, record.Surplus} {
		if counts[stage] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[stage], stage))
		}
	}
	if long := s + ", " + strings.Join(words, ", "); len(words) > 0 && style.Width(long) <= w {
		return long
	}
	return s
}

// scroll moves the window of a table so that the cursor is visible, or without one what
// is happening, and returns its first line.
func (t *nodeTable) scroll(zone int, rows []*snapshot.NodeRow, room int) int {
	key := ""
	if zone >= 0 {
		key = t.list[zone].Name
	}
	top := min(t.tops[key], max(len(rows)-room, 0))
	first, last := -1, -1
	for i, r := range rows {
		if r.ID == t.Cursor {
			first, last = i, i
			break
		}
		if scene.IsActive(r) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first >= 0 {
		// One line of context above.
		if first-1 < top || last-first >= room {
			top = max(first-1, 0)
		} else if last >= top+room {
			top = min(last-room+1, max(first-1, 0))
		}
	}
	top = max(min(top, len(rows)-room), 0)
	if t.tops == nil {
		t.tops = map[string]int{}
	}
	t.tops[key] = top
	return top
}

// move takes the cursor n rows on within its table.
func (t *nodeTable) move(m *Model, n int) {
	t.hold(m)
	rows := t.rows(m)
	if len(rows) == 0 {
		return
	}
	at := -1
	for i, r := range rows {
		if r.ID == t.Cursor {
			at = i
		}
	}
	if at < 0 {
		t.Cursor = t.start(rows).ID
		return
	}
	t.Cursor = rows[min(max(at+n, 0), len(rows)-1)].ID
}

// rows are those that up and down go through: where zones lie side by side, the
// cursor's zone; else all.
func (t *nodeTable) rows(m *Model) []*snapshot.NodeRow {
	if z, ok := t.places[t.Cursor]; ok && m.plan().perZone {
		return t.ordered(z)
	}
	return t.inOrder(m)
}

// start is where a new cursor appears: at what is blocked, else at what is
// happening, else at the top.
func (t *nodeTable) start(rows []*snapshot.NodeRow) *snapshot.NodeRow {
	best := rows[0]
	for _, r := range rows {
		if r.Blocked {
			return r
		}
		if scene.IsActive(r) && !scene.IsActive(best) {
			best = r
		}
	}
	return best
}

// side takes the cursor to the zone beside its own, to the same height where they lie side
// by side; in the table of all, to the zone's first row.
func (t *nodeTable) side(m *Model, n int) {
	p, ok := t.places[t.Cursor]
	if !ok {
		t.move(m, 0)
		return
	}
	t.hold(m)
	for z := p + n; z >= 0 && z < len(t.list); z += n {
		rows := t.ordered(z)
		if len(rows) == 0 {
			continue
		}
		at := 0
		if m.plan().perZone {
			at = slices.IndexFunc(t.ordered(p), func(r *snapshot.NodeRow) bool { return r.ID == t.Cursor })
			if t.tops != nil {
				at += t.tops[t.list[z].Name] - t.tops[t.list[p].Name]
			}
		}
		t.Cursor = rows[min(max(at, 0), len(rows)-1)].ID
		return
	}
}

// reportUnread reports whose pods are to be read first: those that the frame has no number
// for.
func (m *Model) reportUnread() {
	if m.Scene != nil && m.Scene.Partial && m.Opts.Unread != nil {
		m.Opts.Unread(m.Nodes.unread())
	}
}

// The sizes of the group at a glance: from which width on it has a panel beside the table, how
// wide the table stays, and the panel at most.
const (
	glanceWidth = 150
	glanceTable = 100
	glanceMost  = 70
	glanceLeast = 20 // lines of a screen on which it has lines of its own
)

// glancePanel is how wide the panel beside the table is, 0 where there is none: a run has a
// timeline, the table has all its columns in what is left, and the zones have no tables of their own.
func (m *Model) glancePanel(w int) int {
	if w < glanceWidth || m.Height < tallHeight || m.Scene.Total == 0 || m.Scene.State == record.NoRun || m.Nodes.wide || m.Nodes.perZone(m.Scene, w) {
		return 0
	}
	panel := min(w-glanceTable, glanceMost)
	if cols := m.Nodes.columns(m.Scene, w-panel-2, false); !cols.Whole {
		return 0
	}
	return panel
}

// stripHeight is how many lines the strip above the tables has.
func (m *Model) stripHeight(w int) int {
	if m.Height < glanceLeast || m.zoomed {
		return 0
	}
	return len(m.strip(w))
}

// strip is a sign a node, above the tables.
func (m *Model) strip(w int) []string {
	return glance.Strip(m.Scene, m.Styles, w, max(m.Height/9, 1), false)
}

// glanceLines are the panel beside the tables.
func (m *Model) glanceLines(r rect) []string {
	st := m.Styles
	return style.Framed(st, st.Border, "the group", "", "", glance.Panel(m.Scene, st, m.Scene.Now(m.Opts.Now()), r.w-2, r.h-2), r.w, r.h, false)
}
