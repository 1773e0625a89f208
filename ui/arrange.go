package ui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// order is how the node tables are sorted.
type order string

const (
	byName  order = ""
	byStage order = "stage" // what needs an operator first, then busy nodes
	byTime  order = "time left"
	byPods  order = "pods left"
	byAge   order = "version"
)

// orders in which a key goes through them.
var orders = []order{byName, byStage, byTime, byPods, byAge}

// arrange works out which rows are shown, and where. The cursor and the marks of
// nodes that are not shown are dropped: nothing is done to what is out of sight.
func (t *nodeTable) arrange(sc *scene.Scene) {
	usual := !t.filtered() && t.order == byName
	if sc != nil && sc.Same && usual && t.usual { // only the rows have changed
		for i := range sc.Zones {
			t.list[i] = zoneRows{&sc.Zones[i], sc.Zones[i].Rows}
		}
		return
	}
	t.list, t.places, t.usual = t.list[:0], map[string]place{}, usual
	if sc == nil {
		return
	}
	f := scene.ParseFilter(t.text)
	for i := range sc.Zones {
		z := &sc.Zones[i]
		rows := z.Rows
		if t.filtered() {
			rows = nil
			for _, r := range z.Rows {
				if f.MatchesRow(r) && (!t.problems || scene.IsProblem(r)) {
					rows = append(rows, r)
				}
			}
			if len(rows) == 0 {
				continue
			}
		}
		if compare := t.order.compare(); compare != nil {
			rows = slices.SortedStableFunc(slices.Values(rows), compare)
		}
		for j, r := range rows {
			t.places[r.ID] = place{len(t.list), j}
		}
		t.list = append(t.list, zoneRows{z, rows})
	}
	if _, ok := t.places[t.Cursor]; !ok {
		t.Cursor = ""
	}
	for id := range t.marks {
		if _, ok := t.places[id]; !ok {
			delete(t.marks, id)
		}
	}
}

// compare is nil for the order in which nodes come.
func (o order) compare() func(a, b *snapshot.NodeRow) int {
	switch o {
	case byStage:
		return func(a, b *snapshot.NodeRow) int { return cmp.Compare(rank(a), rank(b)) }
	case byTime:
		return func(a, b *snapshot.NodeRow) int { return ends(a).Compare(ends(b)) }
	case byPods:
		return func(a, b *snapshot.NodeRow) int { return cmp.Compare(b.PodsLeft, a.PodsLeft) }
	case byAge:
		return func(a, b *snapshot.NodeRow) int { return cmp.Compare(a.Version, b.Version) }
	}
	return nil
}

// rank is how near the top a node belongs.
func rank(r *snapshot.NodeRow) int {
	if scene.IsProblem(r) {
		return 0
	}
	at := slices.Index([]record.Stage{record.Draining, record.Updating, record.Settling, record.Terminating, record.Launching,
		record.Queued, record.Outdated, record.Skipped, record.Ready, record.Surplus, record.Replaced}, r.Stage)
	if at < 0 {
		return 1
	}
	return at + 1
}

// ends is when a node's countdown ends, late without one.
func ends(r *snapshot.NodeRow) time.Time {
	if r.Wait == nil {
		return time.Unix(1<<40, 0)
	}
	return r.Wait.End
}

// filtered reports whether nodes may be hidden.
func (t *nodeTable) filtered() bool { return t.text != "" || t.problems }

// chosen reports whether the tables show anything but all nodes in their usual order.
func (t *nodeTable) chosen() bool { return t.filtered() || t.order != byName || len(t.marks) > 0 }

// shown is how many nodes the tables hold.
func (t *nodeTable) shown() int { return len(t.places) }

// hiddenProblems counts the nodes that need a look and are not shown.
func (t *nodeTable) hiddenProblems(sc *scene.Scene) int {
	n := 0
	for id, r := range sc.Rows {
		if _, ok := t.places[id]; !ok && scene.IsProblem(r) {
			n++
		}
	}
	return n
}

// nextOrder sorts by the next property.
func (t *nodeTable) nextOrder(sc *scene.Scene) {
	at := slices.Index(orders, t.order)
	t.order = orders[(at+1)%len(orders)]
	t.tops = nil
	t.arrange(sc)
}

// mark marks the node under the cursor, or takes its mark away, and moves to the
// next.
func (t *nodeTable) mark(m *Model) {
	if t.marks == nil {
		t.marks = map[string]bool{}
	}
	if t.marks[t.Cursor] {
		delete(t.marks, t.Cursor)
	} else {
		t.marks[t.Cursor] = true
	}
	t.move(m, 1)
}

// nextProblem takes the cursor to the next node that needs a look, in the order
// shown.
func (t *nodeTable) nextProblem() bool {
	var all []*snapshot.NodeRow
	for _, z := range t.list {
		all = append(all, z.rows...)
	}
	at := slices.IndexFunc(all, func(r *snapshot.NodeRow) bool { return r.ID == t.Cursor })
	for i := range all {
		if r := all[(at+1+i)%len(all)]; scene.IsProblem(r) {
			t.Cursor = r.ID
			return true
		}
	}
	return false
}

// chosenNodes are the marked nodes in the order shown, or the one under the cursor.
func (t *nodeTable) chosenNodes() []*snapshot.NodeRow {
	var out []*snapshot.NodeRow
	for _, z := range t.list {
		for _, r := range z.rows {
			if t.marks[r.ID] || len(t.marks) == 0 && r.ID == t.Cursor {
				out = append(out, r)
			}
		}
	}
	return out
}

// columns divides the width of a table; marks need a cell of their own.
func (t *nodeTable) columns(w int) columns {
	if len(t.marks) == 0 {
		return columnsFor(w)
	}
	c := columnsFor(w - 1)
	c.marks = true
	return c
}

// search is the line in which a filter is typed. What is typed holds at once.
type search struct {
	input textinput.Model
	was   string // before it was opened, for esc
	open  bool
}

// filterOf is the text of the filter of the pane that has the keyboard.
func (m *Model) filterOf() string {
	if m.Focus == logPane {
		return m.log.text
	}
	return m.Nodes.text
}

// setFilter gives that pane another filter.
func (m *Model) setFilter(text string) {
	if m.Focus == logPane {
		m.log.search(text)
		return
	}
	m.Nodes.text = text
	m.Nodes.arrange(m.Scene)
}

// startSearch opens the line for typing.
func startSearch(m *Model) tea.Cmd {
	if m.Focus == BlockedPane {
		m.Focus = NodesPane // what blocks is never hidden
	}
	text := m.filterOf()
	m.search = search{input: style.NewInput(100), was: text, open: true}
	m.search.input.SetValue(text)
	m.search.input.CursorEnd()
	return nil
}

// typeSearch handles a key while the line is open.
func (m *Model) typeSearch(key tea.KeyPressMsg) {
	s := &m.search
	switch key.String() {
	case "enter":
		s.open = false
	case "esc":
		s.open = false
		m.setFilter(s.was)
	case "up", "down", "pgup", "pgdown":
		m.navigate(key.String())
	default:
		s.input, _ = s.input.Update(key)
		m.setFilter(s.input.Value())
	}
}

// searchLine is the footer while a filter is typed.
func (m *Model) searchLine(w int) string {
	st := m.Styles
	l := style.NewLine(st, w).Space(1).Add(st.Key, "/ ")
	const least = 16 // cells for what is typed
	hint, found := "enter keeps it, esc clears it", m.found()
	if more := "text !text blocked zone=a stage=drain   "; l.Left() >= least+style.Width(found)+style.Width(more+hint)+6 && m.Focus != logPane {
		hint = more + hint
	}
	style.DrawInput(l, m.search.input, max(l.Left()-style.Width(found)-style.Width(hint)-6, least))
	return l.Space(3).Add(st.Text, found).Space(3).Add(st.Dim, hint).String()
}

// found says how much of the whole fits the filter.
func (m *Model) found() string {
	if m.Focus == logPane {
		return fmt.Sprintf("%d of %s", m.log.count(m.Scene), style.Count(len(m.Scene.Events), "line"))
	}
	return fmt.Sprintf("%d of %s", m.Nodes.shown(), style.Count(len(m.Scene.Rows), "node"))
}

// choiceLine says which nodes the tables show and how, "" when they show all in
// the usual order.
func (m *Model) choiceLine(w int) string {
	t, st := &m.Nodes, m.Styles
	if !t.chosen() {
		return ""
	}
	l := style.NewLine(st, w).Space(1)
	sep := func() {
		if l.Col > 1 {
			l.Space(3)
		}
	}
	if t.text != "" {
		l.Add(st.Key, "/ ").Add(st.Title, t.text)
	}
	if t.problems {
		sep()
		l.Add(st.Warn, "problems only")
	}
	if t.filtered() {
		sep()
		p := st.Text
		if t.shown() == 0 {
			p = st.Warn
		}
		l.Add(p, fmt.Sprintf("%d of %s", t.shown(), style.Count(len(m.Scene.Rows), "node")))
		if hidden := t.hiddenProblems(m.Scene); hidden > 0 {
			sep()
			l.Add(st.Warn, fmt.Sprintf("%s %s hidden", st.Glyphs.Warning, style.Count(hidden, "problem")))
		}
	}
	if t.order != byName {
		sep()
		l.Add(st.Text, "sorted by "+string(t.order))
	}
	if n := len(t.marks); n > 0 {
		sep()
		l.Add(st.Key, st.Glyphs.Mark).Add(st.Text, fmt.Sprintf(" %d marked", n))
	}
	if t.filtered() || len(t.marks) > 0 {
		what := "esc shows all"
		if !t.filtered() {
			what = "esc clears the marks"
		}
		sep()
		l.Add(st.Dim, what)
	}
	return l.String()
}
