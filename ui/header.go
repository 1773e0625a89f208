package ui

import (
	"fmt"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// part is a piece of the header; those with the least worth go first when there
// is no room for all.
type part struct {
	pen   style.Pen
	text  string
	worth int
}

// header says what is being upgraded, how it stands and how long it takes.
func (m *Model) header(l layout) []string {
	sc, st := m.Scene, m.Styles
	name := style.Clean(sc.Group)
	if sc.Cluster != "" {
		name = style.Clean(sc.Cluster) + " / " + name
	}
	var what []part
	room := l.header.w - 4
	if mark := m.Mark(); mark != "" {
		what = append(what, part{st.Mark, mark, 11})
		room -= style.Width(mark) + 2
	}
	what = append(what, part{st.Brand, "drainboard", 2}, part{st.Title, style.Shorten(name, max(room, 10), st.Glyphs.Ellipsis), 10})
	if sc.To != "" {
		what = append(what, part{st.Text, scene.Versions(sc.From, sc.To, st.Glyphs.Arrow), 6})
	}
	if sc.Strategy != "" {
		what = append(what, part{st.Dim, sc.Strategy, 1})
	}
	if r := sc.Roll; r != nil {
		n, of := r.Place(sc.Group)
		what = append(what, part{st.Text, fmt.Sprintf("group %d of %d", n, of), 8})
	}
	if m.Opts.ReadOnly {
		what = append(what, part{st.Ask, " READ-ONLY ", 9})
	}
	if sc.CloudOnly {
		what = append(what, part{st.Ask, " NO KUBERNETES ", 9})
	}

	word, look := m.Scene.StandingLook(m.Styles)
	how := []part{{look.Pen, look.Glyph + " " + word, 9}}
	how = append(how, part{st.Text, sc.NodesText(), 8})
	if n := sc.DetachedCount(); n > 0 && sc.State != record.Finished {
		how = append(how, part{st.Dim, fmt.Sprintf("%d detached", n), 3})
	}
	if sc.Driver != "" {
		how = append(how, part{st.Dim, "driven by " + sc.Driver, 3})
	}
	if sc.Partial {
		how = append(how, part{st.Dim, "reading pods " + st.Glyphs.Ellipsis, 8})
	}
	if t, alarms := sc.EndText(sc.Now(m.Opts.Now())); alarms {
		how = append(how, part{st.Bad, st.Glyphs.Warning + " " + t, 10})
	} else if t != "" {
		how = append(how, part{st.Text, t, 7})
	}
	if t := sc.WorkloadAlarm(l.header.w >= groupsWidth); t != "" && sc.State != record.Finished {
		how = append(how, part{st.Bad, st.Glyphs.Failed + " " + t, 9})
	}
	if !sc.Until.IsZero() && sc.State != record.Finished {
		how = append(how, part{st.Text, scene.UntilText(sc.Until.In(m.Opts.Now().Location()), m.Opts.Now()), 5})
	}
	if !sc.Started.IsZero() {
		end := sc.Now(m.Opts.Now())
		if !sc.Ended.IsZero() {
			end = sc.Ended
		}
		how = append(how, part{st.Dim, style.Elapsed(end.Sub(sc.Started)), 4})
	}
	if l.header.h == 1 {
		return []string{headerParts(m.Styles, append(what, how...), l.header.w, 3)}
	}
	return []string{headerParts(m.Styles, what, l.header.w, 2), headerParts(m.Styles, how, l.header.w, 2)}
}

// parts writes as many as fit, most worth first kept, in their order, the last
// one on the right edge.
func headerParts(st *style.Styles, ps []part, w, gap int) string {
	total := func() (n int) {
		for _, p := range ps {
			n += style.Width(style.Clean(p.text)) + gap
		}
		return n - gap + 2
	}
	for len(ps) > 1 && total() > w {
		least := 0
		for i := range ps {
			if ps[i].worth < ps[least].worth {
				least = i
			}
		}
		ps = append(ps[:least:least], ps[least+1:]...)
	}
	room := 0
	if len(ps) > 2 {
		room = min(max(w-total(), 0)/(len(ps)-1), 2)
	}
	l := style.NewLine(st, w-1).Space(1)
	for i, p := range ps {
		if i > 0 && i == len(ps)-1 {
			l.To(w - 1 - style.Width(style.Clean(p.text)))
		} else if i > 0 {
			l.Space(gap + room)
		}
		l.Add(p.pen, p.text)
	}
	return l.String() + style.Spaces(1)
}

// phaseLine shows the phases in order: done, under way with its progress, to come.
func (m *Model) phaseLine(w int) string {
	sc, st := m.Scene, m.Styles
	switch text, others := sc.GroupText(); {
	case others:
		return style.NewLine(st, w).Space(1).Add(st.Active, st.Glyphs.Running+" ").Add(st.Text, text).String()
	case text != "":
		return style.NewLine(st, w).Space(1).Add(st.Dim, text).String()
	}
	// The fullest form that fits: with a wide bar, with a small one, with none,
	// then the phase under way alone.
	for _, bar := range []int{30, 20, 12, 6, 0} {
		l := style.NewLine(st, w).Space(1)
		for i := range sc.Phases {
			if i > 0 {
				l.Add(st.Border, " "+st.Glyphs.Link+" ")
			}
			m.phase(l, &sc.Phases[i], bar)
		}
		if l.Left() > 0 {
			return l.String()
		}
	}
	l := style.NewLine(st, w).Space(1)
	p, i := sc.CurrentPhase()
	if p == nil {
		for i--; i > 0 && sc.Phases[i].Start.IsZero(); i-- { // the last that began
		}
		if i >= 0 {
			m.phase(l, &sc.Phases[i], 0)
		}
		return l.String()
	}
	l.Add(st.Dim, fmt.Sprintf("phase %d of %d: ", i+1, len(sc.Phases)))
	m.phase(l, p, min(max(w-l.Col-style.Width(style.Clean(p.Name))-20, 0), 20))
	return l.String()
}

func (m *Model) phase(l *style.Line, p *snapshot.PhaseView, bar int) {
	sc, st := m.Scene, m.Styles
	finished := sc.State == record.Finished
	switch {
	case !p.End.IsZero():
		lk := style.Look{Glyph: st.Glyphs.Done, Pen: st.Good}
		if sc.EndedIn(p.Name) {
			lk = m.Scene.StoppedLook(m.Styles)
		}
		l.Add(lk.Pen, lk.Glyph+" ").Add(st.Text, p.Name+" ").Add(st.Dim, style.Countdown(p.End.Sub(p.Start)))
	case p.Missed || p.Start.IsZero() && finished:
		l.Add(st.Off, st.Glyphs.Skipped+" "+p.Name)
	case p.Start.IsZero():
		l.Add(st.Dim, st.Glyphs.Todo+" "+p.Name)
	default:
		lk := style.Look{Glyph: st.Glyphs.Running, Pen: st.Active}
		switch {
		case finished && sc.Result != record.Succeeded:
			lk = m.Scene.StoppedLook(m.Styles)
		case sc.Abandoned():
			lk = style.Look{Glyph: st.Glyphs.Warning, Pen: st.Warn}
		case sc.State == record.Paused:
			lk = style.Look{Glyph: st.Glyphs.Paused, Pen: st.Warn}
		case sc.State == record.Ending:
			lk = style.Look{Glyph: st.Glyphs.Ended, Pen: st.Warn}
		}
		end := sc.Now(m.Opts.Now())
		if finished && !sc.Ended.IsZero() {
			end = sc.Ended
		}
		l.Add(lk.Pen, lk.Glyph+" ").Add(st.Title, p.Name+" ").Add(st.Text, style.Countdown(end.Sub(p.Start)))
		if p.Total > 0 {
			done := min(max(p.Done, 0), p.Total)
			if bar > 0 {
				full := bar * done / p.Total
				l.Space(1).Add(st.Full, style.Repeat(st.Glyphs.BarFull, full)).Add(st.Rest, style.Repeat(st.Glyphs.BarRest, bar-full))
			}
			l.Add(st.Text, fmt.Sprintf(" %d%%", 100*done/p.Total))
		}
	}
}
