package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
)

// nodeTable is the cursor, the choice and the windows of the node tables. The
// cursor is a machine, never a row number: rows come and go under it. Without a
// cursor the windows follow what is happening.
type nodeTable struct {
	cursor string
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
	// page is how many rows a window had when it was last drawn.
	page int
	// drawn are the machines that its lines showed then, by zone; "" is a heading's.
	drawn map[int][]string
	// unread are the nodes of whose pods it said that they are not read yet.
	unread []string
}

// zoneRows are the nodes of a zone that are shown.
type zoneRows struct {
	*engine.ZoneView
	rows []*engine.NodeRow
}

// place is a row of the list: its zone, and where in it.
type place struct{ zone, row int }

// moved takes a new snapshot. A cursor or mark whose machine is gone is dropped: a
// key must not hit a neighbour.
func (t *nodeTable) moved(sc *scene) {
	for id := range t.marks {
		if sc.row(id) == nil {
			delete(t.marks, id)
		}
	}
	t.arrange(sc)
}

// item is a line of a table: a row, or the heading of a zone.
type item struct {
	zone int
	row  *engine.NodeRow
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
		if it.row == nil || first(it.row) {
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
		if it.row == nil || first(it.row) {
			out = append(out, it)
		} else {
			rest = append(rest, it)
		}
	}
	end(left)
	return out
}

// first reports whether a node is shown before others when not all fit.
func first(r *engine.NodeRow) bool {
	return active(r) || notReady(r) || r.Stage == engine.NodeFail || r.Stage == engine.Unreachable
}

// active reports whether something is happening on a node.
func active(r *engine.NodeRow) bool {
	switch r.Stage {
	case engine.Draining, engine.Settling, engine.Terminating, engine.Launching, engine.Updating:
		return true
	}
	return r.Blocked || hooksAsked(r)
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

// lines draws the tables.
func (t *nodeTable) lines(m *Model, l layout) []string {
	if l.mode != wide || len(t.list) == 0 {
		return t.table(m, -1, l.nodes.w, l.nodes.h, t.columns(l.nodes.w-2))
	}
	var out []string
	for row := range l.rows {
		h := share(l.nodes.h, l.rows, row)
		across := min(l.columns, len(t.list)-row*l.columns)
		cols := t.columns(l.nodes.w/across - 2)
		lines := make([]string, h)
		for i := range across {
			for j, s := range t.table(m, row*l.columns+i, share(l.nodes.w, across, i), h, cols) {
				lines[j] += s
			}
		}
		out = append(out, lines...)
	}
	return out
}

// table draws one table: of a zone, or with zone < 0 of all of them.
func (t *nodeTable) table(m *Model, zone, w, h int, cols columns) []string {
	sc, st := m.sc, m.st
	all := t.items(zone)
	list := all
	room := max(h-2, 0)
	t.page = room
	if len(all) > room && t.cursor == "" {
		list = fold(all, room)
	}
	top := t.window(zone, list, room)
	end := min(top+room, len(list))

	body := make([]string, 0, room)
	for i := top; i < end; i++ {
		it := list[i]
		if i == top && it.row != nil && zone < 0 {
			it.row = nil // the zone's heading stays in sight
		}
		t.drew(zone, i-top, it.row)
		if it.row == nil {
			z := t.list[it.zone]
			body = append(body, newLine(st, w-2).space(1).add(st.title, z.Name).add(st.dim, "  "+sc.progress(z.ZoneView)).
				add(st.dim, folded(z, list, len(all))).String())
			continue
		}
		body = append(body, m.row(it.row, cols, w-2, max(zone, 0)))
	}

	title, right := "nodes", fmt.Sprintf("%d/%d", sc.Done, sc.Total)
	if sc.State == engine.NoRun {
		right = ""
	}
	focus := m.focus == nodesPane
	if zone >= 0 {
		z := t.list[zone]
		title, right = z.Name+"  "+sc.progress(z.ZoneView), ""
		p, ok := t.places[t.cursor]
		focus = focus && ok && p.zone == zone
	} else if len(list) == 0 {
		text := "no nodes are known yet"
		if t.filtered() {
			text = "no node is like that; esc shows all"
		}
		body = append(body, newLine(st, w-2).space(1).add(st.dim, text).String())
	}
	return framed(st, st.border, title, right, hidden(st, all, list[top:end], top), body, w, h, focus)
}

// progress is how far a zone is: its nodes replaced of those to replace, or without
// a run its outdated nodes of all.
func (sc *scene) progress(z *engine.ZoneView) string {
	if sc.State == engine.NoRun {
		return fmt.Sprintf("%d of %d outdated", z.Total-z.Done, len(z.Rows)-z.Done)
	}
	return fmt.Sprintf("%d/%d", z.Done, z.Total)
}

// folded says in a zone's heading what its hidden rows are.
func folded(z zoneRows, list []item, all int) string {
	if len(list) == all {
		return ""
	}
	shown := map[*engine.NodeRow]bool{}
	for _, it := range list {
		shown[it.row] = true
	}
	counts := map[engine.Stage]int{}
	for _, r := range z.rows {
		if !shown[r] {
			counts[r.Stage]++
		}
	}
	var words []string
	for _, s := range []engine.Stage{engine.Outdated, engine.Queued, engine.Skipped, engine.Replaced, engine.Ready, engine.Surplus} {
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
func hidden(st *styles, all, shown []item, above int) string {
	rows, busy := 0, 0
	count := func(list []item, n int) {
		for _, it := range list {
			if it.row != nil {
				rows += n
				if active(it.row) {
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
	arrows := st.g.More
	if above > 0 {
		arrows = st.g.Less + st.g.More
	}
	s := fmt.Sprintf("%s%d more", arrows, rows)
	if busy > 0 {
		s += fmt.Sprintf(", %d at work", busy)
	}
	return s
}

// window is the first line to show: so that the cursor is visible, or without
// one what is happening.
func (t *nodeTable) window(zone int, list []item, room int) int {
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
		if it.row.ID == t.cursor {
			first, last = i, i
			break
		}
		if active(it.row) {
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
		if r.ID == t.cursor {
			at = i
		}
	}
	if at < 0 {
		t.cursor = t.start(rows).ID
		return
	}
	t.cursor = rows[min(max(at+n, 0), len(rows)-1)].ID
}

// rows are those that up and down go through: where zones lie side by side, the
// cursor's zone; else all.
func (t *nodeTable) rows(m *Model) []*engine.NodeRow {
	var out []*engine.NodeRow
	p, ok := t.places[t.cursor]
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
func (t *nodeTable) start(rows []*engine.NodeRow) *engine.NodeRow {
	best := rows[0]
	for _, r := range rows {
		if r.Blocked {
			return r
		}
		if active(r) && !active(best) {
			best = r
		}
	}
	return best
}

// side takes the cursor to the zone beside its own, to the same height.
func (t *nodeTable) side(m *Model, n int) {
	p, ok := t.places[t.cursor]
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
			t.cursor = rows[at].ID
			return
		}
	}
}
