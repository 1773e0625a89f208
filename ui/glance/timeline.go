package glance

import (
	"fmt"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// replaced are the moments at which nodes were replaced, in order.
func replaced(sc *scene.Scene) []time.Time {
	var out []time.Time
	for _, z := range sc.Zones {
		for _, r := range z.Rows {
			if r.Stage == record.Replaced && !r.New && !r.Since.IsZero() && !r.Since.Before(sc.Started) {
				out = append(out, r.Since)
			}
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// recent is how far back the pace looks.
const recent = 10 * time.Minute

// Pace is how long a node takes lately, "" before the second is replaced and without a run
// under way.
func Pace(sc *scene.Scene, now time.Time) string {
	all := replaced(sc)
	if len(all) < 2 || sc.State == record.NoRun || sc.State == record.Finished {
		return ""
	}
	last := slices.IndexFunc(all, func(t time.Time) bool { return now.Sub(t) <= recent })
	if last < 0 {
		return fmt.Sprintf("no node replaced for %d min", int(now.Sub(all[len(all)-1]).Minutes()))
	}
	from := max(last-1, 0)
	took := all[len(all)-1].Sub(all[from]).Minutes()
	if from == len(all)-1 || took < 0.05 {
		return ""
	}
	return fmt.Sprintf("%.1f min a node", took/float64(len(all)-1-from))
}

// Timeline draws the nodes replaced over time, from the start of the run to its end as foreseen:
// what has been, and from now on what is foreseen. It is w cells wide and h lines high, the
// axis of time included.
func Timeline(sc *scene.Scene, st *style.Styles, now time.Time, w, h int) []string {
	end := now
	if !sc.Ended.IsZero() {
		end, now = sc.Ended, sc.Ended
	}
	more := sc.Total - sc.Done // are still foreseen to be replaced
	if f := sc.Foreseen(); f != nil && f.End.After(now) {
		end, more = f.End, max(more-f.Stay, 0)
	} else if sc.TimeLeft > 0 && sc.Ended.IsZero() {
		end = now.Add(sc.TimeLeft)
	}
	whole := end.Sub(sc.Started)
	if sc.Started.IsZero() || sc.Total <= 0 || whole <= 0 || h < 3 || w < 20 {
		return nil
	}
	all, rows := replaced(sc), h-1
	axis := len(fmt.Sprint(sc.Total)) + 1
	cells := w - axis - 2
	level := make([]int, cells)
	done := make([]bool, cells)
	for x := range cells {
		at := sc.Started.Add(whole * time.Duration(x+1) / time.Duration(cells))
		n := 0.0
		if done[x] = !at.After(now); done[x] {
			i, _ := slices.BinarySearchFunc(all, at, func(t, at time.Time) int {
				if t.After(at) {
					return 1
				}
				return -1
			})
			n = float64(max(sc.Done-len(all)+i, 0)) // those of before are not told one by one
		} else {
			n = float64(sc.Done) + float64(more)*float64(at.Sub(now))/float64(end.Sub(now))
		}
		if level[x] = int(n * float64(rows) / float64(sc.Total)); n > 0 {
			level[x] = max(level[x], 1)
		}
	}
	var out []string
	for y := rows; y >= 1; y-- {
		l := style.NewLine(st, w).Space(1)
		text := ""
		switch y {
		case rows:
			text = fmt.Sprint(sc.Total)
		case 1:
			text = "0"
		}
		l.Right(st.Dim, text, axis-1).Space(1)
		for x := 0; x < cells; {
			to, full, was := x, level[x] >= y, done[x]
			for to < cells && (level[to] >= y) == full && done[to] == was {
				to++
			}
			switch {
			case !full:
				l.Space(to - x)
			case was:
				l.Add(st.Active, style.Repeat(st.Glyphs.TimeFull, to-x))
			default:
				l.Add(st.Rest, style.Repeat(st.Glyphs.TimeRest, to-x))
			}
			x = to
		}
		out = append(out, l.String())
	}
	clock := func(t time.Time) string { return t.In(sc.Clock().Location()).Format("15:04") }
	l := style.NewLine(st, w).Space(1+axis).Add(st.Dim, clock(sc.Started))
	if mid := 1 + axis + int(int64(cells)*int64(now.Sub(sc.Started))/int64(whole)) - 2; now.Before(end) && mid > l.Col+1 && mid+5 < w-8 {
		l.To(mid).Add(st.Text, clock(now))
	}
	l.To(w-6).Add(st.Dim, clock(end))
	return append(out, l.String())
}

// Summary is the pace and the forecast, for a line.
func Summary(sc *scene.Scene, now time.Time) string {
	said := Pace(sc, now)
	if t, _ := sc.EndText(now); t != "" {
		if said != "" {
			said += ", "
		}
		said += t
	}
	return said
}

// Panel is all of it in w by h cells.
func Panel(sc *scene.Scene, st *style.Styles, now time.Time, w, h int) []string {
	out := Strip(sc, st, w, max(h/2, 1), true)
	if said := Summary(sc, now); said != "" && len(out) < h {
		p := st.Text
		if sc.Alarms() {
			p = st.Bad
		}
		out = append(out, style.NewLine(st, w).Space(1).Add(p, said).String())
	}
	if room := h - len(out) - 1; room >= 4 {
		if plot := Timeline(sc, st, now, w, min(room, 12)); len(plot) > 0 {
			out = append(append(out, style.NewLine(st, w).Space(1).Add(st.Dim, "nodes replaced: "+st.Glyphs.TimeFull+" so far "+st.Glyphs.TimeRest+" forecast").String()), plot...)
		}
	}
	return out
}
