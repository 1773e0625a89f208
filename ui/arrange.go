package ui

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// order is how the node tables are sorted.
type order string

const (
	byName  order = ""
	byStage order = "stage" // what needs somebody first, then what is at work
	byTime  order = "time left"
	byPods  order = "pods left"
	byAge   order = "version"
)

// orders in which a key goes through them.
var orders = []order{byName, byStage, byTime, byPods, byAge}

// arrange works out which rows are shown, and where. The cursor and the marks of
// nodes that are not shown are dropped: nothing is done to what is out of sight.
func (t *nodeTable) arrange(sc *scene) {
	usual := !t.filtered() && t.order == byName
	if sc != nil && sc.same && usual && t.usual { // only the rows have changed
		for i := range sc.Zones {
			t.list[i] = zoneRows{&sc.Zones[i], sc.Zones[i].Rows}
		}
		return
	}
	t.list, t.places, t.usual = t.list[:0], map[string]place{}, usual
	if sc == nil {
		return
	}
	f := parseFilter(t.text)
	for i := range sc.Zones {
		z := &sc.Zones[i]
		rows := z.Rows
		if t.filtered() {
			rows = nil
			for _, r := range z.Rows {
				if f.fits(r) && (!t.problems || problem(r)) {
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
	if _, ok := t.places[t.cursor]; !ok {
		t.cursor = ""
	}
	for id := range t.marks {
		if _, ok := t.places[id]; !ok {
			delete(t.marks, id)
		}
	}
}

// compare is nil for the order in which nodes come.
func (o order) compare() func(a, b *engine.NodeRow) int {
	switch o {
	case byStage:
		return func(a, b *engine.NodeRow) int { return cmp.Compare(rank(a), rank(b)) }
	case byTime:
		return func(a, b *engine.NodeRow) int { return ends(a).Compare(ends(b)) }
	case byPods:
		return func(a, b *engine.NodeRow) int { return cmp.Compare(b.PodsLeft, a.PodsLeft) }
	case byAge:
		return func(a, b *engine.NodeRow) int { return cmp.Compare(a.Version, b.Version) }
	}
	return nil
}

// rank is how near the top a node belongs.
func rank(r *engine.NodeRow) int {
	if problem(r) {
		return 0
	}
	at := slices.Index([]engine.Stage{engine.Draining, engine.Updating, engine.Settling, engine.Terminating, engine.Launching,
		engine.Queued, engine.Outdated, engine.Skipped, engine.Ready, engine.Surplus, engine.Replaced}, r.Stage)
	if at < 0 {
		return 1
	}
	return at + 1
}

// ends is when a node's countdown ends, late without one.
func ends(r *engine.NodeRow) time.Time {
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
func (t *nodeTable) hiddenProblems(sc *scene) int {
	n := 0
	for id, r := range sc.rows {
		if _, ok := t.places[id]; !ok && problem(r) {
			n++
		}
	}
	return n
}

// nextOrder sorts by the next property.
func (t *nodeTable) nextOrder(sc *scene) {
	at := slices.Index(orders, t.order)
	t.order = orders[(at+1)%len(orders)]
	t.tops = nil
	t.arrange(sc)
}

// mark marks the node under the cursor, or takes its mark away, and goes on to the
// next.
func (t *nodeTable) mark(m *Model) {
	if t.marks == nil {
		t.marks = map[string]bool{}
	}
	if t.marks[t.cursor] {
		delete(t.marks, t.cursor)
	} else {
		t.marks[t.cursor] = true
	}
	t.move(m, 1)
}

// nextProblem takes the cursor to the next node that needs a look, in the order
// shown.
func (t *nodeTable) nextProblem() bool {
	var all []*engine.NodeRow
	for _, z := range t.list {
		all = append(all, z.rows...)
	}
	at := slices.IndexFunc(all, func(r *engine.NodeRow) bool { return r.ID == t.cursor })
	for i := range all {
		if r := all[(at+1+i)%len(all)]; problem(r) {
			t.cursor = r.ID
			return true
		}
	}
	return false
}

// chosenNodes are the marked nodes in the order shown, or the one under the cursor.
func (t *nodeTable) chosenNodes() []*engine.NodeRow {
	var out []*engine.NodeRow
	for _, z := range t.list {
		for _, r := range z.rows {
			if t.marks[r.ID] || len(t.marks) == 0 && r.ID == t.cursor {
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
