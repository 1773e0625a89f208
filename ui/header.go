package ui

import (
	"fmt"
	"strings"
	"time"

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

// banner is a line under the phases that must be seen. The first matters most.
type banner struct {
	pen  style.Pen
	text string
}

func (m *Model) banners() []banner {
	sc, st := m.Scene, m.Styles
	now := sc.Now(m.Opts.Now())
	var out []banner
	over := sc.State == record.Finished

	alarm := func(text string) {
		if text != "" {
			out = append(out, banner{st.Alarm, st.Glyphs.Warning + " " + text})
		}
	}
	alarm(sc.UnreadableText())
	if sc.LockLost != "" && !over && !m.Ended {
		out = append(out, banner{st.Alarm, st.Glyphs.Warning + " lost the lock of this run: " + sc.Brief(sc.LockLost) + "; no changes until it is held again"})
	}
	if !m.Ended {
		alarm(sc.UnwrittenText(m.Opts.ReadOnly))
	}
	alarm(sc.ForecastText())
	if m.Scene.Between() {
		out = append(out, banner{st.Calm, st.Glyphs.Running + " " + sc.BetweenText()})
	}
	if m.interrupts > 0 && !over {
		out = append(out, banner{st.Alarm, st.Glyphs.Warning + " abort requested: work in progress finishes or is restored. ctrl-c again stops at once and restores nothing more"})
	}
	if b := sc.Batch; b != nil && !over {
		switch {
		case m.Approved == b.Hash:
			out = append(out, banner{st.Calm, st.Glyphs.Done + " " + scene.BatchName(b) + " is approved, starting"})
		default:
			text := st.Glyphs.Ask + " " + style.Upper(scene.BatchName(b)) + " waits for approval"
			if !b.Since.IsZero() {
				text += " (" + style.Countdown(now.Sub(b.Since)) + ")"
			}
			if why := m.Why(m.ActionFor("a")); why == "" {
				text += ". Press a"
			} else if !m.Opts.ReadOnly {
				text += ", not now: " + why
			}
			if b.Phase == "" {
				text += fmt.Sprintf(": %s, %s to move", style.Count(len(b.Nodes), "node"), style.Count(b.Evict, "pod"))
			}
			out = append(out, banner{st.Ask, text})
		}
	}
	if sc.CloudOnly && !over {
		out = append(out, banner{st.Ask, st.Glyphs.Warning + " " + scene.CloudOnlyText})
	}
	if src := sc.StalestSource(); src != nil && !over {
		text := st.Glyphs.Warning + " " + m.Scene.StaleText(src)
		if src.Retry.After(now) {
			text += fmt.Sprintf(", retry in %s", style.Age(src.Retry.Sub(now)+time.Second-1))
		} else {
			text += ", retrying"
		}
		if src.Problem != "" {
			text += ": " + strings.TrimPrefix(src.Problem, "the control cluster: ")
		}
		out = append(out, banner{st.Alarm, text + sc.StaleMeans(src)})
	}
	if m.Ended && !over {
		out = append(out, banner{st.Alarm, st.Glyphs.Warning + " the run sends no more updates; this is its last known state. q leaves"})
	}
	if text := m.Scene.DriverBlindText(); text != "" {
		out = append(out, banner{st.Calm, st.Glyphs.Warning + " " + text})
	}
	alarm(m.Scene.UnattendedText())
	out = append(out, m.othersBanners()...)
	alarm(sc.MismatchText())
	if b, ok := m.validationBanner(); ok {
		out = append(out, b)
	}
	switch {
	case sc.CanaryHolds():
		out = append(out, banner{st.Alarm, st.Glyphs.Paused + " paused" + m.unlessReadOnly(", p accepts, x aborts") + ": canary unhealthy: " + sc.Brief(sc.CanaryTrouble)})
	case sc.UpdateFailed:
		out = append(out, banner{st.Alarm, st.Glyphs.Paused + " update failed" + m.unlessReadOnly(", p retries, x ends the run") + ": " + sc.Brief(sc.Why)})
	case sc.State == record.Paused:
		out = append(out, banner{st.Calm, st.Glyphs.Paused + " paused" + style.Because(sc.Brief(sc.Why)) + m.unlessReadOnly(". p resumes")})
	case sc.State == record.Ending:
		word, _ := m.Scene.StateLook(m.Styles)
		out = append(out, banner{st.Calm, st.Glyphs.Ended + " " + word + style.Because(sc.Brief(sc.Why)) + ". Nothing new starts"})
	case sc.Canary != nil && !over:
		text, p := sc.CanaryText(st)
		out = append(out, banner{p, text})
	case sc.Awaits != "" && !over:
		out = append(out, banner{st.Calm, st.Glyphs.Paused + " waiting for Gardener, " + style.Age(max(0, sc.AwaitsUntil.Sub(now))) + " left: " + sc.Brief(sc.Awaits)})
	case sc.Gate != "" && !over:
		out = append(out, banner{st.Calm, st.Glyphs.Paused + " no new drain starts: " + style.Lower(sc.Brief(sc.Gate))})
	}
	if text := sc.AcceptedText(); text != "" {
		out = append(out, banner{st.Ask, st.Glyphs.Warning + " " + text})
	}
	out = append(out, m.moverBanners()...)
	if text := m.Problem(); text != "" {
		out = append(out, banner{st.Calm, text})
	}
	if sc.Skew.Abs() > scene.SkewShown {
		out = append(out, banner{st.Calm, st.Glyphs.Warning + " " + m.Scene.SkewText()})
	}
	return out
}

// moverBanners name who else moves nodes of the group now.
func (m *Model) moverBanners() []banner {
	var out []banner
	for _, r := range m.Scene.ShownMovers() {
		p := m.Styles.Calm
		if r.Handling == record.HandlingRefused || r.Handling == record.HandlingWarned {
			p = m.Styles.Ask
		}
		out = append(out, banner{p, m.Styles.Glyphs.Warning + " " + m.Scene.MoverText(r)})
	}
	return out
}

func (m *Model) unlessReadOnly(s string) string {
	if m.Opts.ReadOnly {
		return ""
	}
	return s
}

// bannerLines draws as many lines as there is room for.
func (m *Model) bannerLines(l layout) []string {
	out := make([]string, 0, l.banners.h)
	for _, b := range m.broken(l.banners.w, l.banners.h) {
		out = append(out, style.BannerLine(m.Styles, b.pen, b.text, l.banners.w))
	}
	return out
}

// bannerWraps is how many lines a banner may have at most.
const bannerWraps = 3

// broken are the banners as lines, at most room: each has one, and those that do not fit have
// more as far as there is room, those that matter most first.
func (m *Model) broken(w, room int) []banner {
	list := m.banners()
	list = list[:min(len(list), room)]
	room -= len(list)
	var out []banner
	for _, b := range list {
		parts := style.Wrap(b.text, w-3)
		lines := min(len(parts), bannerWraps, 1+room)
		if room -= lines - 1; lines < len(parts) { // the last line is cut where it ends
			parts = append(parts[:lines-1:lines-1], strings.Join(parts[lines-1:], " "))
		}
		for i, part := range parts {
			out = append(out, banner{b.pen, strings.Repeat("  ", min(i, 1)) + part})
		}
	}
	return out
}

// othersBanners say who else is at work on a group without a run, how far it has come,
// and what is not known of it.
func (m *Model) othersBanners() []banner {
	var out []banner
	for _, text := range m.Scene.OthersTexts() {
		if text != "" {
			out = append(out, banner{m.Styles.Calm, m.Styles.Glyphs.Running + " " + text})
		}
	}
	return out
}
