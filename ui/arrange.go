package ui

import (
	"fmt"
	"slices"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/table"
)

// arrange works out which rows are shown, and where. The cursor and the marks of
// nodes that are not shown are dropped: nothing is done to what is out of sight.
func (t *nodeTable) arrange(sc *scene.Scene) {
	clear(t.heldRows)
	usual := !t.filtered() && t.order.Usual()
	if sc != nil && sc.Same && usual && t.usual { // only the rows have changed
		t.all = t.all[:0]
		for i := range sc.Zones {
			t.list[i] = zoneRows{&sc.Zones[i], sc.Zones[i].Rows}
			t.all = append(t.all, sc.Zones[i].Rows...)
		}
		return
	}
	t.list, t.all, t.places, t.usual = t.list[:0], nil, map[string]int{}, usual
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
		for _, r := range rows {
			t.places[r.ID] = len(t.list)
		}
		t.all = append(t.all, rows...)
		t.list = append(t.list, zoneRows{z, t.order.Sort(rows)})
	}
	t.all = t.order.Sort(t.all)
	if _, ok := t.places[t.Cursor]; !ok {
		t.Cursor = ""
	}
	for id := range t.marks {
		if _, ok := t.places[id]; !ok {
			delete(t.marks, id)
		}
	}
}

// filtered reports whether nodes may be hidden.
func (t *nodeTable) filtered() bool { return t.text != "" || t.problems }

// chosen reports whether the tables show anything but all nodes in their usual order.
func (t *nodeTable) chosen() bool { return t.filtered() || !t.order.Usual() || len(t.marks) > 0 }

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

// sortBy sorts the tables in another way.
func (t *nodeTable) sortBy(o table.Order, sc *scene.Scene) {
	t.order, t.tops, t.held = o, nil, nil
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
func (t *nodeTable) nextProblem(m *Model) bool {
	t.hold(m)
	all := t.inOrder(m)
	at := slices.IndexFunc(all, func(r *snapshot.NodeRow) bool { return r.ID == t.Cursor })
	for i := range all {
		if r := all[(at+1+i)%len(all)]; scene.IsProblem(r) {
			t.Cursor = r.ID
			return true
		}
	}
	return false
}

// chosenNodes are the marked nodes in the order shown, or the one under the cursor: in the
// blocked panel, that of the pod.
func (t *nodeTable) chosenNodes(m *Model) []*snapshot.NodeRow {
	var out []*snapshot.NodeRow
	if b := m.Blockers.at(m.Scene); len(t.marks) == 0 && m.Focus == BlockedPane && b != nil {
		if r := m.Scene.Row(b.Machine); r != nil {
			out = append(out, r)
		}
		return out
	}
	if len(t.marks) == 0 {
		if _, ok := t.places[t.Cursor]; ok {
			out = append(out, m.Scene.Row(t.Cursor))
		}
		return out
	}
	for _, r := range t.inOrder(m) {
		if t.marks[r.ID] {
			out = append(out, r)
		}
	}
	return out
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
	if !t.order.Usual() {
		sep()
		l.Add(st.Text, "sorted by "+t.order.String())
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
