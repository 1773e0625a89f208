package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// nodeTable is the cursor, the choice and the windows of the node tables. The
// cursor is a machine, never a row number: rows come and go under it. Without a
// cursor the windows follow what is happening.
type nodeTable struct {
	Cursor string
	// marks are machines that a command is to be given for all at once.
	marks map[string]bool
	// text and problems choose which nodes are shown, order how.
	text     string
	problems bool
	order    order
	// list is what is chosen of each zone, and places where in it a machine is.
	list   []zoneRows
	places map[string]place
	usual  bool // the list holds all nodes in the order in which they come
	// tops are the first visible rows by zone; "" is the one of the table that
	// holds all zones.
	tops map[string]int
	// page is how many rows a window has.
	page int
	// tables are those on the screen, each with the window into its lines.
	tables []table
}

// table is one of the node tables on the screen.
type table struct {
	zone, w, h int // zone is -1 for the table of all zones
	cols       columns
	// all are its lines; list are those that a window without a cursor chooses from them,
	// and visible those in the window, from top on.
	all, list, visible []item
	top                int
}

// zoneRows are the nodes of a zone that are shown.
type zoneRows struct {
	*snapshot.ZoneView
	rows []*snapshot.NodeRow
}

// place is a row of the list: its zone, and where in it.
type place struct{ zone, row int }

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

// item is a line of a table: a row, or the heading of a zone.
type item struct {
	zone int
	row  *snapshot.NodeRow
}

// items are the lines of one zone's table, or with zone < 0 of all.
func (t *nodeTable) items(zone int) []item {
	var out []item
	for z := range t.list {
		if zone >= 0 && z != zone {
			continue
		}
		if zone < 0 {
			out = append(out, item{zone: z})
		}
		for _, r := range t.list[z].rows {
			out = append(out, item{z, r})
		}
	}
	return out
}

// fold makes the lines fit a window: in every zone what wants to be seen comes
// first, then as many of the others as there is room for, in their order.
func fold(all []item, room int) []item {
	idle := room
	zones := map[int]bool{}
	for _, it := range all {
		zones[it.zone] = true
		if it.row == nil || scene.ShownFirst(it.row) {
			idle--
		}
	}
	var out, rest []item
	end := func(zones int) {
		n := min(max(idle, 0)/max(zones, 1), len(rest))
		out, rest, idle = append(out, rest[:n]...), rest[:0], idle-n
	}
	left := len(zones)
	for i, it := range all {
		if i > 0 && it.zone != all[i-1].zone {
			end(left)
			left--
		}
		if it.row == nil || scene.ShownFirst(it.row) {
			out = append(out, it)
		} else {
			rest = append(rest, it)
		}
	}
	end(left)
	return out
}

// height is how many lines the tables need to show everything, frames included.
func (t *nodeTable) height(m *Model, l layout) int {
	if l.mode == stacked {
		return len(t.items(-1)) + 2
	}
	sum := 0
	for row := range l.rows {
		tallest := 1
		for z := row * l.columns; z < min((row+1)*l.columns, len(t.list)); z++ {
			tallest = max(tallest, len(t.list[z].rows))
		}
		sum += tallest + 2
	}
	return sum
}

// fit works out the tables and the window of each.
func (t *nodeTable) fit(l layout) {
	if l.nodes.h <= 0 {
		return
	}
	if l.mode != wide || len(t.list) == 0 {
		t.fitTable(-1, l.nodes.w, l.nodes.h, t.columns(l.nodes.w-2))
		return
	}
	for row := range l.rows {
		h := share(l.nodes.h, l.rows, row)
		across := min(l.columns, len(t.list)-row*l.columns)
		cols := t.columns(l.nodes.w/across - 2)
		for i := range across {
			t.fitTable(row*l.columns+i, share(l.nodes.w, across, i), h, cols)
		}
	}
}

// fitTable works out one table: of a zone, or with zone < 0 of all of them.
func (t *nodeTable) fitTable(zone, w, h int, cols columns) {
	tb := table{zone: zone, w: w, h: h, cols: cols, all: t.items(zone)}
	tb.list = tb.all
	room := max(h-2, 0)
	t.page = room
	if len(tb.all) > room && t.Cursor == "" {
		tb.list = fold(tb.all, room)
	}
	tb.top = t.scroll(zone, tb.list, room)
	tb.visible = tb.list[tb.top:min(tb.top+room, len(tb.list))]
	t.tables = append(t.tables, tb)
}

// row is the row on a line of the table's window, nil for the heading of a zone. The
// heading of the first line's zone stays visible in its place.
func (tb *table) row(line int) *snapshot.NodeRow {
	if line == 0 && tb.zone < 0 {
		return nil
	}
	return tb.visible[line].row
}

// lines draws the tables.
func (t *nodeTable) lines(m *Model, l layout) []string {
	if l.mode != wide || len(t.list) == 0 {
		return t.draw(m, &t.tables[0])
	}
	var out []string
	for row := range l.rows {
		lines := make([]string, share(l.nodes.h, l.rows, row))
		for i := range min(l.columns, len(t.list)-row*l.columns) {
			for j, s := range t.draw(m, &t.tables[row*l.columns+i]) {
				lines[j] += s
			}
		}
		out = append(out, lines...)
	}
	return out
}

// draw draws one table.
func (t *nodeTable) draw(m *Model, tb *table) []string {
	sc, st := m.Scene, m.Styles
	zone, w := tb.zone, tb.w
	body := make([]string, 0, len(tb.visible))
	for i, it := range tb.visible {
		if r := tb.row(i); r != nil {
			body = append(body, m.row(r, tb.cols, w-2, max(zone, 0)))
			continue
		}
		z := t.list[it.zone]
		body = append(body, style.NewLine(st, w-2).Space(1).Add(st.Title, z.Name).Add(st.Dim, "  "+sc.ZoneProgress(z.ZoneView)).
			Add(st.Dim, folded(z, tb.list, len(tb.all))).String())
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
		focus = focus && ok && p.zone == zone
	} else if len(tb.list) == 0 {
		text := "no nodes are known yet"
		if t.filtered() {
			text = "no node matches; esc shows all"
		}
		body = append(body, style.NewLine(st, w-2).Space(1).Add(st.Dim, text).String())
	}
	return style.Framed(st, st.Border, title, right, hidden(st, tb.all, tb.visible, tb.top), body, w, tb.h, focus)
}

// unread are the nodes on the screen whose pods are not read yet and would be shown.
func (t *nodeTable) unread() (names []string) {
	for i := range t.tables {
		tb := &t.tables[i]
		for line := range tb.visible {
			if r := tb.row(line); r != nil && podsUnread(r, tb.cols) {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// folded says in a zone's heading what its hidden rows are.
func folded(z zoneRows, list []item, all int) string {
	if len(list) == all {
		return ""
	}
	shown := map[*snapshot.NodeRow]bool{}
	for _, it := range list {
		shown[it.row] = true
	}
	counts := map[record.Stage]int{}
	for _, r := range z.rows {
		if !shown[r] {
			counts[r.Stage]++
		}
	}
	var words []string
	for _, s := range []record.Stage{record.Outdated, record.Queued, record.Skipped, record.Replaced, record.Ready, record.Surplus} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "   and " + strings.Join(words, ", ")
}

// hidden says how many rows are not in the window, and how many of them are at work.
func hidden(st *style.Styles, all, shown []item, above int) string {
	rows, busy := 0, 0
	count := func(list []item, n int) {
		for _, it := range list {
			if it.row != nil {
				rows += n
				if scene.IsActive(it.row) {
					busy += n
				}
			}
		}
	}
	count(all, 1)
	count(shown, -1)
	if rows <= 0 {
		return ""
	}
	arrows := st.Glyphs.More
	if above > 0 {
		arrows = st.Glyphs.Less + st.Glyphs.More
	}
	s := fmt.Sprintf("%s%d more", arrows, rows)
	if busy > 0 {
		s += fmt.Sprintf(", %d busy", busy)
	}
	return s
}

// scroll moves the window of a table so that the cursor is visible, or without one what
// is happening, and returns its first line.
func (t *nodeTable) scroll(zone int, list []item, room int) int {
	key := ""
	if zone >= 0 {
		key = t.list[zone].Name
	}
	top := min(t.tops[key], max(len(list)-room, 0))
	first, last := -1, -1
	for i, it := range list {
		if it.row == nil {
			continue
		}
		if it.row.ID == t.Cursor {
			first, last = i, i
			break
		}
		if scene.IsActive(it.row) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first >= 0 {
		// One line of context above, which also is where a zone's heading sticks.
		if first-1 < top || last-first >= room {
			top = max(first-1, 0)
		} else if last >= top+room {
			top = min(last-room+1, max(first-1, 0))
		}
	}
	top = max(min(top, len(list)-room), 0)
	if t.tops == nil {
		t.tops = map[string]int{}
	}
	t.tops[key] = top
	return top
}

// move takes the cursor n rows on within its zone, or within all of them.
func (t *nodeTable) move(m *Model, n int) {
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
	var out []*snapshot.NodeRow
	p, ok := t.places[t.Cursor]
	for z, zone := range t.list {
		if ok && m.plan().mode == wide && z != p.zone {
			continue
		}
		out = append(out, zone.rows...)
	}
	return out
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

// side takes the cursor to the zone beside its own, to the same height.
func (t *nodeTable) side(m *Model, n int) {
	p, ok := t.places[t.Cursor]
	if !ok {
		t.move(m, 0)
		return
	}
	for z := p.zone + n; z >= 0 && z < len(t.list); z += n {
		if rows := t.list[z].rows; len(rows) > 0 {
			at := min(p.row, len(rows)-1)
			if t.tops != nil && m.plan().mode == wide {
				shown := p.row - t.tops[t.list[p.zone].Name]
				at = min(max(t.tops[t.list[z].Name]+shown, 0), len(rows)-1)
			}
			t.Cursor = rows[at].ID
			return
		}
	}
}

// reportUnread reports whose pods are to be read first: those that the frame has no number
// for.
func (m *Model) reportUnread() {
	if m.Scene != nil && m.Scene.Partial && m.Opts.Unread != nil {
		m.Opts.Unread(m.Nodes.unread())
	}
}
