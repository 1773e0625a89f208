package table

import (
	"strconv"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// Drawing is what the rows of a table are drawn with.
type Drawing struct {
	*Columns
	Scene  *scene.Scene
	Styles *style.Styles
	// Now is the local time; the countdowns move with a hand (scene.Hands).
	Now  time.Time
	Hand int
	// Marked are the machines with a mark; Cursor is the one under the cursor, which stands
	// out if the table has the keyboard.
	Marked map[string]bool
	Cursor string
	Focus  bool
}

// Row draws one node.
func (d *Drawing) Row(r *snapshot.NodeRow, w int) string {
	st := d.Styles
	l := style.NewLine(st, w)
	mark := " "
	if r.ID == d.Cursor {
		mark = st.Glyphs.Cursor
		if d.Focus {
			l.Over = &st.Cursor
		}
	}
	l.Begin(mark)
	if d.Marks {
		sign := ""
		if d.Marked[r.ID] {
			sign = st.Glyphs.Mark
		}
		l.Fit(st.Key, sign, 1)
	}
	what, left, tp := d.waits(r)
	for i, cell := range d.cells {
		if i > 0 {
			l.Space(1)
		}
		switch cell.Column {
		case Name:
			p := st.Text
			if r.Stage == record.Replaced {
				p = st.Dim
			}
			l.Fit(p, style.Shorten(d.Scene.Names[r.ID], cell.w, st.Glyphs.Ellipsis), cell.w)
		case Zone:
			zone := r.Zone
			if !d.fullZone {
				zone = d.Scene.ShortZone(zone)
			}
			l.Fit(st.Dim, zone, cell.w)
		case Stage:
			lk := StageLook(st, r)
			word := scene.StageWord(r)
			if d.glyph {
				word = lk.Glyph + " " + word
			}
			l.Fit(lk.Pen, word, cell.w)
		case Version:
			d.version(l, r, cell.w)
		case Machine:
			l.Fit(st.Dim, r.ID, cell.w)
		case Batch:
			batch := ""
			if r.Batch > 0 {
				batch = strconv.Itoa(r.Batch)
			}
			l.Right(st.Dim, batch, cell.w)
		case Since:
			since := ""
			if !r.Since.IsZero() {
				since = text.Span(max(d.Scene.Now(d.Now).Sub(r.Since), 0).Truncate(time.Minute))
			}
			l.Right(st.Dim, since, cell.w)
		case Pods:
			d.pods(l, r, cell.w)
		case Wait:
			p := st.Dim
			if r.Wait == nil && what != "" {
				p = st.Warn
			}
			if style.Width(what) > cell.w {
				what = shortWaits.Replace(what)
			}
			l.Fit(p, what, cell.w)
		case Left:
			l.Right(tp, left, cell.w)
		case Flag:
			d.flag(l, r)
		case Note:
			p := st.Dim
			if r.Problem.Broken() {
				p = st.Bad
			}
			l.Fit(p, d.note(r), cell.w)
		}
	}
	return l.String()
}

// shortWaits are the words of waits where there is no room for their names.
var shortWaits = strings.NewReplacer(record.WaitDrain, "drain", record.WaitOthersDrain, "drain", record.WaitGrace, "grace", record.WaitForcedDrain, "forced",
	record.WaitDeregister, "leaves LB", record.WaitReplacements, "replaced", record.WaitRestoring, "restore", record.WaitUnhealthy, "health")

// StageLook is how the stage of a node shows.
func StageLook(st *style.Styles, r *snapshot.NodeRow) style.Look {
	if lk, ok := st.Stages[r.Stage]; ok {
		return lk
	}
	return style.Look{Glyph: st.Glyphs.Unknown, Pen: st.Text}
}

// waits is what a node waits for, and how long still.
func (d *Drawing) waits(r *snapshot.NodeRow) (what, left string, p style.Pen) {
	sc, st := d.Scene, d.Styles
	room, named := d.width(Left), d.Has(Wait)
	if r.Wait == nil {
		if !d.Has(Note) {
			what = scene.CordonedNote(r)
		}
		return what, "", st.Text
	}
	what, p = r.Wait.For, st.Text
	t, still := sc.Remaining(r.Wait, d.Now)
	if still {
		p, what = st.Dim, "stopped"
	} else if t > 0 {
		t += sc.Lag(d.Now, d.Hand)
	}
	if left = style.Countdown(t); style.Width(left) > room && t >= time.Hour {
		left = style.Hours(t.Round(time.Second))
	}
	if r.Wait.Guess {
		what = "~" + what
	}
	if r.Wait.Guess && !named { // nowhere else does it say so
		if left = "~" + left; style.Width(left) > room {
			left = "~" + text.Span(t.Round(time.Minute))
		}
	}
	return what, left, p
}

// version is that of the node's kubelet, with a word for a node of the new template.
func (d *Drawing) version(l *style.Line, r *snapshot.NodeRow, w int) {
	v, p := style.ShortVersion(style.Clean(r.Version)), d.Styles.Dim
	if r.New {
		p = d.Styles.Text
		if d.fresh {
			v = strings.TrimSpace(style.Cut(v, w-4, d.Styles.Glyphs.Ellipsis) + " new")
		}
	}
	l.Fit(p, v, w)
}

// pods is how many pods have still to leave, with a bar of those; where there is room, also
// how many a node will have to lose, or has.
func (d *Drawing) pods(l *style.Line, r *snapshot.NodeRow, w int) {
	st := d.Styles
	said, p := scene.PodsCell(r, d.bar > 0), st.Text
	if !scene.IsLeaving(r) {
		p = st.Dim
	}
	if d.Unread(r) {
		said, p = st.Glyphs.Ellipsis, st.Dim
	}
	if note := scene.CordonedNote(r); note != "" && !scene.IsLeaving(r) && !d.Has(Note) && !d.Has(Wait) {
		said, p = note, st.Warn // it matters more than how many pods are still to go
	}
	if d.bar == 0 {
		l.Right(p, said, w)
		return
	}
	number := w - 1 - d.bar
	if !scene.IsLeaving(r) || r.Pods == 0 || d.Unread(r) {
		if n := leadingDigits(said); n > 0 {
			said = style.Spaces(number-n) + said
		}
		l.Fit(p, said, w)
		return
	}
	l.Right(p, said, number).Space(1)
	full := min((r.PodsLeft*d.bar+r.Pods-1)/r.Pods, d.bar)
	l.Add(st.Active, style.Repeat(st.Glyphs.TimeFull, full)).Add(st.Rest, style.Repeat(st.Glyphs.TimeRest, d.bar-full))
}

// leadingDigits is how many digits a text begins with.
func leadingDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// Unread reports whether a row has a cell for pods that are not read yet.
func (c *Columns) Unread(r *snapshot.NodeRow) bool {
	return r.PodsUnread && r.Name != "" && scene.ShowsPods(r, c.bar > 0)
}

// flag marks a node that has a problem, or is of the batch that waits for approval.
func (d *Drawing) flag(l *style.Line, r *snapshot.NodeRow) {
	st := d.Styles
	switch {
	case r.Problem == snapshot.PodBlocked:
		l.Add(st.Warn, st.Glyphs.Blocked)
	case r.Problem.Broken():
		l.Add(st.Bad, "!")
	case scene.IsProblem(r):
		l.Add(st.Warn, "!")
	case d.Scene.Asked[r.Name] && r.Name != "":
		l.Add(st.Warn, st.Glyphs.Ask)
	default:
		l.Space(1)
	}
}

// note is what is odd about a node, in a few words.
func (d *Drawing) note(r *snapshot.NodeRow) string {
	switch note := scene.CordonedNote(r); {
	case r.CrashLooping != "":
		return r.CrashLooping + " crash-loops"
	case r.Note != "":
		if rest, names := strings.CutPrefix(r.Note, r.ID+" in "+r.Zone); names { // as the first columns do
			return strings.TrimPrefix(strings.TrimSpace(rest), "is ")
		}
		return r.Note
	case r.Problem != snapshot.PodBlocked && r.Problem != snapshot.NoProblem:
		return string(r.Problem)
	case note != "":
		return note
	case r.Detached && r.Stage != record.Replaced:
		return "detached: no replacement"
	}
	return ""
}
