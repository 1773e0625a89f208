package ui

import (
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
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
func (m *Model) row(r *snapshot.NodeRow, c columns, w, hand int) string {
	sc, st := m.Scene, m.Styles
	l := style.NewLine(st, w)
	mark := " "
	if r.ID == m.Nodes.Cursor {
		mark = st.Glyphs.Cursor
		if m.Focus == NodesPane {
			l.Over = &st.Cursor
		}
	}
	lk, ok := st.Stages[r.Stage]
	if !ok {
		lk = style.Look{Glyph: st.Glyphs.Unknown, Pen: st.Text}
	}
	name := st.Text
	if r.Stage == record.Replaced {
		name = st.Dim
	}
	l.Begin(mark)
	if c.marks {
		sign := ""
		if m.Nodes.marks[r.ID] {
			sign = st.Glyphs.Mark
		}
		l.Fit(st.Key, sign, 1)
	}
	l.Fit(name, style.Shorten(sc.Names[r.ID], c.name, st.Glyphs.Ellipsis), c.name).Space(1)

	word := scene.StageWord(r)
	if c.glyph {
		word = lk.Glyph + " " + word
	}
	pods, pp := scene.PodsCell(r, c.pods > 8), st.Text
	if !scene.IsLeaving(r) {
		pp = st.Dim
	}
	if podsUnread(r, c) {
		pods, pp = st.Glyphs.Ellipsis, st.Dim
	}
	if note := scene.CordonedNote(r); note != "" && !scene.IsLeaving(r) && c.note == 0 && c.what == 0 && c.pods > 8 {
		pods, pp = note, st.Warn // it matters more than how many pods are still to go
	}
	if c.version == 0 && (pods == "" || style.Width(word) > c.stage) { // the word matters more
		l.Fit(lk.Pen, word, c.stage+1+c.pods).Space(1)
	} else {
		l.Fit(lk.Pen, word, c.stage).Space(1)
		if c.version > 0 {
			v := style.ShortVersion(style.Clean(r.Version))
			vp := st.Dim
			if r.New {
				v, vp = strings.TrimSpace(style.Cut(v, c.version-4, st.Glyphs.Ellipsis)+" new"), st.Text
			}
			l.Fit(vp, v, c.version).Space(1)
		}
		l.Right(pp, pods, c.pods).Space(1)
	}

	left, what := "", ""
	tp := st.Text
	if r.Wait != nil {
		d, still := sc.Remaining(r.Wait, m.Opts.Now())
		what = r.Wait.For
		if still {
			tp, what = st.Dim, "stopped"
		} else if d > 0 {
			d += sc.Lag(m.Opts.Now(), hand)
		}
		if left = style.Countdown(d); style.Width(left) > c.time && d >= time.Hour {
			left = style.Hours(d.Round(time.Second))
		}
		if r.Wait.Guess {
			what = "~" + what
		}
		if r.Wait.Guess && c.what == 0 { // nowhere else does it say so
			if left = "~" + left; style.Width(left) > c.time {
				left = "~" + text.Span(d.Round(time.Minute))
			}
		}
	}
	if r.Wait == nil && c.note == 0 {
		what = scene.CordonedNote(r)
	}
	if c.what > 0 {
		l.Right(st.Dim, what, c.what).Space(1)
	}
	l.Right(tp, left, c.time).Space(1)
	m.flag(l, r)
	if c.note > 0 {
		note := r.Note
		if r.CrashLooping != "" {
			note = r.CrashLooping + " crash-loops"
		}
		if note == "" && r.Problem != snapshot.PodBlocked {
			note = string(r.Problem)
		}
		if note == "" {
			note = scene.CordonedNote(r)
		}
		if note == "" && r.Detached && r.Stage != record.Replaced {
			note = "detached: no replacement"
		}
		np := st.Dim
		if r.Problem.Broken() {
			np = st.Bad
		}
		l.Space(1).Add(np, note)
	}
	return l.String()
}

// podsUnread reports whether a row has a cell for pods that are not read yet.
func podsUnread(r *snapshot.NodeRow, c columns) bool {
	return r.PodsUnread && r.Name != "" && scene.ShowsPods(r, c.pods > 8)
}

// flag marks a node that has a problem, or is of the batch that waits for approval.
func (m *Model) flag(l *style.Line, r *snapshot.NodeRow) {
	switch {
	case r.Problem == snapshot.PodBlocked:
		l.Add(l.Styles.Warn, l.Styles.Glyphs.Blocked)
	case r.Problem.Broken():
		l.Add(l.Styles.Bad, "!")
	case scene.IsProblem(r):
		l.Add(l.Styles.Warn, "!")
	case m.Scene.Asked[r.Name] && r.Name != "":
		l.Add(l.Styles.Warn, l.Styles.Glyphs.Ask)
	default:
		l.Space(1)
	}
}
