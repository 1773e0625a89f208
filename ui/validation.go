package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// leastForValidation is from which height on a validation has a pane where something is
// not valid; lower screens, and those with one pane at a time, tell it in a banner.
const leastForValidation = 24

// validationPane reports whether the validation has a pane of its own. Where there is room
// it keeps its place between two validations, so that the panes do not jump.
func (m *Model) validationPane() bool {
	v := m.sc.Validation
	switch {
	case v == nil, m.height < leastForValidation, m.width < leastWidth:
		return false
	case m.sc.State == engine.Finished && v.Failed.IsZero():
		return false
	case m.width < stackedWidth && m.focus != blockedPane:
		return false
	}
	kept := m.sc.State == engine.Running || m.sc.State == engine.Paused
	return kept && m.height >= tallHeight || m.sc.invalid() > 0
}

// validationHeight is how many lines the pane takes, of those that there are.
func (m *Model) validationHeight(w, room int) int {
	if !m.validationPane() {
		return 0
	}
	most := max(room*3/10, 4)
	if m.width < stackedWidth && len(m.sc.Blockers) == 0 {
		most = room / 2
	}
	return min(len(m.validationBody(w-2))+2, most)
}

// validationLines draws the pane: what is not valid by name, how many looks have passed,
// when the next one is due, and what happens when the time is up.
func (m *Model) validationLines(r rect) []string {
	sc, st := m.sc, m.st
	v := sc.Validation
	text, lk := m.validationLook()
	frame := st.border
	if sc.invalid() > 0 {
		frame = lk.pen
	}
	right, more := "", ""
	if r.w >= stackedWidth {
		right = sc.afterText(v)
	}
	body, room := m.validationBody(r.w-2), max(r.h-2, 0)
	if rest := len(body) - room; rest > 0 {
		body = body[:room]
		more = fmt.Sprintf("+%s, v shows all", count(rest, "line"))
	}
	return framed(st, frame, lk.glyph+" "+text, right, more, body, r.w, r.h, false)
}

// validationBody is the pane's lines, however many.
func (m *Model) validationBody(w int) []string {
	sc, st := m.sc, m.st
	v := sc.Validation
	var out []string
	switch now := sc.now(m.opts.Now()); {
	case !v.Failed.IsZero():
		text := "the cluster did not get valid in time"
		if v.Wait != nil {
			text += " (" + countdown(v.Wait.End.Sub(v.Wait.Start)) + ")"
		}
		if sc.PassInvalid {
			text += "; the run goes on all the same"
		}
		out = append(out, newLine(st, w).space(1).add(st.text, text).String())
	case !v.Passed.IsZero():
		text := fmt.Sprintf("%s found nothing, %s ago", count(max(v.Need, 1), "look"), age(now.Sub(v.Passed)))
		return []string{newLine(st, w).space(1).add(st.dim, text).String()}
	default:
		out = m.progressLines(v, w)
	}
	for _, f := range failures(v) {
		out = append(out, m.failureLines(f, w)...)
	}
	return out
}

// progressLines are the looks that passed and the next one, and, beside or below, how long
// it may still take.
func (m *Model) progressLines(v *engine.Validation, w int) []string {
	st := m.st
	progress, limit := passesText(v)+", "+m.nextText(v), m.limitText(v)
	first := newLine(st, w).space(1).add(st.text, progress)
	if limit == "" {
		return []string{first.String()}
	}
	const least, most = 8, 20
	limits := []pen{st.text, st.warn, st.bad}[m.pressing(v)]
	if m.sc.invalid() == 0 {
		limits = st.text
	}
	left, _ := m.sc.remaining(v.Wait, m.opts.Now())
	if room := first.left() - width(limit) - 5; room >= least {
		bar := min(room, most)
		first.to(w-width(limit)-bar-2).add(limits, limit).space(1)
		m.timeBar(first, left, v.Wait, bar)
		return []string{first.String()}
	}
	second := newLine(st, w).space(1).add(limits, limit).space(1)
	m.timeBar(second, left, v.Wait, min(max(second.left()-2, 0), most))
	return []string{first.String(), second.String()}
}

// failureLines name one thing that is not valid: what it is, whose, and what is wrong. What
// is ignored says so first.
func (m *Model) failureLines(f engine.Invalid, w int) []string {
	sc, st := m.sc, m.st
	sign, p := st.g.Failed, st.warn
	name, group, message := sc.failureParts(f)
	if !sc.Validation.Failed.IsZero() {
		p = st.bad
	}
	said, dim := p, st.text
	if f.Ignored {
		sign, said, dim, message = st.g.Skipped, st.dim, st.dim, "ignored: "+message
	}
	of := ""
	if group != "" && w >= 100 {
		of = " of " + group
	}
	const kinds = 8 // the longest is machine
	name, message = clean(name), clean(message)
	head := func(room int) *line {
		l := newLine(st, w).space(1).add(said, sign+" ").fit(dim, f.Kind, kinds)
		return l.add(said, shorten(name, max(room-l.at, 12), st.g.Ellipsis)).add(st.dim, of).space(2)
	}
	if l := head(w / 2); l.left() >= width(message) || w >= stackedWidth-2 {
		return []string{l.add(dim, message).String()}
	}
	return []string{head(w).String(), newLine(st, w).space(3+kinds).add(dim, message).String()}
}

// validationBanner tells a validation in a line, where it has no pane.
func (m *Model) validationBanner() (banner, bool) {
	if !m.sc.validating() || m.validationPane() {
		return banner{}, false
	}
	_, lk := m.validationLook()
	p := m.st.calm
	if m.sc.invalid() > 0 && m.pressing(m.sc.Validation) > 0 {
		p = m.st.ask
	}
	return banner{p, lk.glyph + " " + m.validationSentence()}, true
}

// validationDialog tells all of a validation.
type validationDialog struct{ reader }

func (d *validationDialog) title(m *Model) string {
	if m.sc.Validation == nil {
		return "validation"
	}
	text, lk := m.validationLook()
	return lk.glyph + " " + text
}

func (d *validationDialog) body(m *Model, w int) []string {
	sc, st := m.sc, m.st
	v := sc.Validation
	if v == nil {
		return para(st, st.dim, "", "nothing was validated yet", w)
	}
	out := named(st, "of", "the whole cluster, "+sc.afterText(v), st.text, w)
	out = append(out, named(st, "looks", passesText(v)+" in a row that found nothing", st.text, w)...)
	if sc.validating() {
		out = append(out, named(st, "next", m.nextText(v), st.text, w)...)
		if limit := m.limitText(v); limit != "" {
			out = append(out, named(st, "time", limit, st.text, w)...)
		}
		out = append(out, named(st, "then", "the slot of what was ended is free, and the next node may start", st.text, w)...)
	}
	if !v.Looked.IsZero() {
		out = append(out, named(st, "as of", age(sc.now(m.opts.Now()).Sub(v.Looked))+" ago", st.text, w)...)
	}
	out = append(out, newLine(st, w).String())
	list := failures(v)
	if len(list) == 0 {
		return append(out, para(st, st.dim, "", "nothing wrong was found", w)...)
	}
	for _, f := range list {
		p, sign := st.warn, st.g.Failed
		if f.Ignored {
			p, sign = st.dim, st.g.Skipped
		}
		out = append(out, para(st, p, sign, sc.failureText(f), w)...)
	}
	if list[len(list)-1].Ignored {
		out = append(out, newLine(st, w).String())
		out = append(out, para(st, st.dim, "", "Ignored is what other groups of workers have: it does not hold this one up.", w)...)
	}
	return out
}

// openWhole tells all of what is around the nodes: of a validation, or of a worker pool.
func openWhole(m *Model) tea.Cmd {
	if m.sc.Pool != nil {
		return m.open(&poolDialog{})
	}
	return m.open(&validationDialog{})
}

func notValidated(m *Model) string {
	if m.sc.Validation == nil && m.sc.Pool == nil {
		return "nothing is validated in this run"
	}
	return ""
}
