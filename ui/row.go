package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine"
)

// columns are the widths of a node row's cells; a cell of width 0 is not shown.
// What a row cannot do without comes first: name, stage, pods, countdown, mark.
type columns struct {
	name, stage, version, pods, time, what, note int
	glyph, marks                                 bool
}

// columnsFor divides w cells.
func columnsFor(w int) columns {
	// Cursor, name, gap, stage, gap, pods, gap, countdown, gap, mark. In the
	// narrowest form stage and pods share 14 cells: words longer than "draining"
	// belong to stages that have no pods to show.
	c := columns{stage: 8, pods: 5, time: 5}
	c.name = w - 1 - 1 - c.stage - 1 - c.pods - 1 - c.time - 1 - 1
	give := func(cell *int, n, keep int) {
		if c.name-n-1 >= keep {
			*cell = n
			c.name -= n + 1
		}
	}
	if c.name >= 21 {
		c.stage, c.glyph, c.name = 13, true, c.name-5
	}
	give(&c.version, 11, 16)
	if c.name >= 23 {
		c.pods, c.name = 13, c.name-8
	}
	give(&c.what, 14, 18)
	if c.name > 24 {
		c.note, c.name = c.name-24-1, 24
	}
	if c.note < 8 {
		c.name, c.note = c.name+c.note, 0
	}
	return c
}

// row draws one node; its countdown moves with a hand.
func (m *Model) row(r *engine.NodeRow, c columns, w, hand int) string {
	sc, st := m.sc, m.st
	l := newLine(st, w)
	mark := " "
	if r.ID == m.nodes.cursor {
		mark = st.g.Cursor
		if m.focus == nodesPane {
			l.over = &st.cursor
		}
	}
	lk, ok := st.stages[r.Stage]
	if !ok {
		lk = look{st.g.Unknown, st.text}
	}
	name := st.text
	if r.Stage == engine.Replaced {
		name = st.dim
	}
	l.begin(mark)
	if c.marks {
		sign := ""
		if m.nodes.marks[r.ID] {
			sign = st.g.Mark
		}
		l.fit(st.key, sign, 1)
	}
	l.fit(name, shorten(sc.names[r.ID], c.name, st.g.Ellipsis), c.name).space(1)

	word := stageWord(r)
	if c.glyph {
		word = lk.glyph + " " + word
	}
	pods, pp := podsCell(r, c.pods > 8), st.text
	if !leaving(r) {
		pp = st.dim
	}
	if r.PodsUnread && r.Name != "" && showsPods(r, c.pods > 8) {
		pods, pp = st.g.Ellipsis, st.dim
		m.nodes.unread = append(m.nodes.unread, r.Name)
	}
	if note := cordonedNote(r); note != "" && !leaving(r) && c.note == 0 && c.what == 0 && c.pods > 8 {
		pods, pp = note, st.warn // it matters more than how many pods are still to go
	}
	if c.version == 0 && (pods == "" || width(word) > c.stage) { // the word matters more
		l.fit(lk.pen, word, c.stage+1+c.pods).space(1)
	} else {
		l.fit(lk.pen, word, c.stage).space(1)
		if c.version > 0 {
			v := shortVersion(clean(r.Version))
			vp := st.dim
			if r.New {
				v, vp = strings.TrimSpace(cut(v, c.version-4, st.g.Ellipsis)+" new"), st.text
			}
			l.fit(vp, v, c.version).space(1)
		}
		l.right(pp, pods, c.pods).space(1)
	}

	left, what := "", ""
	tp := st.text
	if r.Wait != nil {
		d, still := sc.remaining(r.Wait, m.opts.Now())
		what = r.Wait.For
		if still {
			tp, what = st.dim, "stands still"
		} else if d > 0 {
			d += sc.lag(m.opts.Now(), hand)
		}
		if left = countdown(d); width(left) > c.time && d >= time.Hour {
			left = hours(d.Round(time.Second))
		}
		if r.Wait.Guess {
			what = "~" + what
		}
		if r.Wait.Guess && c.what == 0 { // nowhere else does it say so
			if left = "~" + left; width(left) > c.time {
				left = "~" + engine.Span(d.Round(time.Minute))
			}
		}
	}
	if r.Wait == nil && c.note == 0 {
		what = cordonedNote(r)
	}
	if c.what > 0 {
		l.right(st.dim, what, c.what).space(1)
	}
	l.right(tp, left, c.time).space(1)
	m.flag(l, r)
	if c.note > 0 {
		note := r.Note
		if note == "" && r.Name != "" && !r.Ready && r.Stage != engine.Replaced {
			note = "not Ready"
		}
		if note == "" {
			note = cordonedNote(r)
		}
		if note == "" && r.Detached && r.Stage != engine.Replaced {
			note = "detached: nothing takes its place"
		}
		np := st.dim
		if r.Stage == engine.NodeFail || r.Stage == engine.Unreachable {
			np = st.bad
		}
		l.space(1).add(np, note)
	}
	return l.String()
}

// cordonedNote says that nothing new is scheduled on a node that is not on its way out,
// where the stage does not say so.
func cordonedNote(r *engine.NodeRow) string {
	switch r.Stage {
	case engine.Outdated, engine.Queued, engine.Ready, engine.Surplus, engine.Skipped, engine.NodeFail:
		if r.Cordoned {
			return "cordoned"
		}
	}
	return ""
}

// stageWord is where a node stands; a queued one may have its hooks asked, and one that
// still has its turn to come may be detached.
func stageWord(r *engine.NodeRow) string {
	switch {
	case hooksAsked(r):
		return "hooks asked"
	case r.Detached && (r.Stage == engine.Outdated || r.Stage == engine.Queued):
		return "detached"
	}
	return string(r.Stage)
}

// hooksAsked reports whether the hooks before a node are asked now.
func hooksAsked(r *engine.NodeRow) bool {
	return r.Wait != nil && r.Wait.For == string(engine.BeforeNode)
}

// podsCell is how many pods have still to leave; where there is room, also how
// many a node will have to lose when its turn comes.
func podsCell(r *engine.NodeRow, words bool) string {
	switch {
	case r.Pods == 0:
	case leaving(r) && words:
		return fmt.Sprintf("%d of %d left", r.PodsLeft, r.Pods)
	case leaving(r):
		return fmt.Sprintf("%d/%d", r.PodsLeft, r.Pods)
	case showsPods(r, words):
		return count(r.Pods, "pod")
	}
	return ""
}

// showsPods reports whether there is something to say of a node's pods.
func showsPods(r *engine.NodeRow, words bool) bool {
	switch r.Stage {
	case engine.Ready, engine.Outdated, engine.Queued, engine.Unreachable:
		return words
	}
	return leaving(r)
}

// flag marks what needs a look: blocked, odd in a way that Note tells, or of the batch
// that waits for approval.
func (m *Model) flag(l *line, r *engine.NodeRow) {
	switch {
	case r.Blocked:
		l.add(l.st.warn, l.st.g.Blocked)
	case r.Stage == engine.NodeFail || r.Stage == engine.Unreachable:
		l.add(l.st.bad, "!")
	case notReady(r):
		l.add(l.st.warn, "!")
	case m.sc.asked[r.Name] && r.Name != "":
		l.add(l.st.warn, l.st.g.Ask)
	default:
		l.space(1)
	}
}

// notReady reports whether a node is down that should be up.
func notReady(r *engine.NodeRow) bool {
	return r.Name != "" && !r.Ready && r.Stage != engine.Terminating && r.Stage != engine.Replaced && r.Stage != engine.Launching
}

// leaving reports whether pods are being moved off a node.
func leaving(r *engine.NodeRow) bool {
	return r.Stage == engine.Draining || r.Stage == engine.Updating || r.Stage == engine.NodeFail
}
