package ui

import (
	"fmt"

	"github.com/drainboard/drainboard/engine"
)

// phaseLine shows the phases in order: done, under way with its progress, to come.
func (m *Model) phaseLine(w int) string {
	sc, st := m.sc, m.st
	switch text, others := sc.groupText(); {
	case others:
		return newLine(st, w).space(1).add(st.active, st.g.Running+" ").add(st.text, text).String()
	case text != "":
		return newLine(st, w).space(1).add(st.dim, text).String()
	}
	// The fullest form that fits: with a wide bar, with a small one, with none,
	// then the phase under way alone.
	for _, bar := range []int{30, 20, 12, 6, 0} {
		l := newLine(st, w).space(1)
		for i := range sc.Phases {
			if i > 0 {
				l.add(st.border, " "+st.g.Link+" ")
			}
			m.phase(l, &sc.Phases[i], bar)
		}
		if l.left() > 0 {
			return l.String()
		}
	}
	l := newLine(st, w).space(1)
	p, i := sc.phase()
	if p == nil {
		for i--; i > 0 && sc.Phases[i].Start.IsZero(); i-- { // the last that began
		}
		if i >= 0 {
			m.phase(l, &sc.Phases[i], 0)
		}
		return l.String()
	}
	l.add(st.dim, fmt.Sprintf("phase %d of %d: ", i+1, len(sc.Phases)))
	m.phase(l, p, min(max(w-l.at-width(clean(p.Name))-20, 0), 20))
	return l.String()
}

// groupText says what goes on in a group that no run is known to be under way in, and
// whether it is others who do it; "" with a run.
func (sc *scene) groupText() (text string, others bool) {
	switch {
	case sc.Unreadable != "":
		return "whether a run is under way is not known: its record cannot be read", false
	case sc.State != engine.NoRun:
		return "", false
	case sc.Others != nil && len(sc.Others.Movers) > 0:
		return sc.brief(sc.Others.Movers[0].Text), true
	case sc.Pool != nil:
		return "nothing is rolled here; Gardener does when the Shoot changes", false
	}
	return "no run is under way; drainboard upgrade " + sc.Group + " starts one", false
}

func (m *Model) phase(l *line, p *engine.PhaseView, bar int) {
	sc, st := m.sc, m.st
	finished := sc.State == engine.Finished
	switch {
	case !p.End.IsZero():
		lk := look{st.g.Done, st.good}
		if sc.endedIn(p.Name) {
			lk = m.stopped()
		}
		l.add(lk.pen, lk.glyph+" ").add(st.text, p.Name+" ").add(st.dim, countdown(p.End.Sub(p.Start)))
	case p.Start.IsZero() && finished:
		l.add(st.off, st.g.Skipped+" "+p.Name)
	case p.Start.IsZero():
		l.add(st.dim, st.g.Todo+" "+p.Name)
	default:
		lk := look{st.g.Running, st.active}
		switch {
		case finished && sc.Result != engine.Succeeded:
			lk = m.stopped()
		case sc.abandoned():
			lk = look{st.g.Warning, st.warn}
		case sc.State == engine.Paused:
			lk = look{st.g.Paused, st.warn}
		case sc.State == engine.Ending:
			lk = look{st.g.Ended, st.warn}
		}
		end := sc.now(m.opts.Now())
		if finished && !sc.Ended.IsZero() {
			end = sc.Ended
		}
		l.add(lk.pen, lk.glyph+" ").add(st.title, p.Name+" ").add(st.text, countdown(end.Sub(p.Start)))
		if p.Total > 0 {
			done := min(max(p.Done, 0), p.Total)
			if bar > 0 {
				full := bar * done / p.Total
				l.space(1).add(st.full, repeat(st.g.BarFull, full)).add(st.rest, repeat(st.g.BarRest, bar-full))
			}
			l.add(st.text, fmt.Sprintf(" %d%%", 100*done/p.Total))
		}
	}
}

// endedIn reports whether a run that did not come to its own end ended in a phase: that
// is the last that began, and it is not done.
func (sc *scene) endedIn(phase string) bool {
	if sc.State != engine.Finished || sc.Result == engine.Succeeded || sc.Result == engine.NodesLeft {
		return false
	}
	last := ""
	for _, p := range sc.Phases {
		if !p.Start.IsZero() {
			last = p.Name
		}
	}
	return phase != "" && phase == last
}

// stopped is the look of where a run ended too early.
func (m *Model) stopped() look {
	if m.sc.Result == engine.Aborted {
		return look{m.st.g.Ended, m.st.warn}
	}
	return look{m.st.g.Failed, m.st.bad}
}
