package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// leastForValidation is from which height on a validation has a pane where something is
// not valid; lower screens, and those with one pane at a time, tell it in a banner.
const leastForValidation = 24

// validationPane reports whether the validation has a pane of its own. Where there is room
// it keeps its place between two validations, so that the panes do not jump.
func (m *Model) validationPane() bool {
	v := m.Scene.Validation
	switch {
	case v == nil, m.Height < leastForValidation, m.Width < term.LeastWidth:
		return false
	case m.Scene.State == record.Finished && v.Failed.IsZero():
		return false
	case m.Width < term.StackedWidth && m.Focus != BlockedPane:
		return false
	}
	kept := m.Scene.State == record.Running || m.Scene.State == record.Paused
	return kept && m.Height >= tallHeight || m.Scene.InvalidCount() > 0
}

// validationHeight is how many lines the pane takes, of those that there are.
func (m *Model) validationHeight(w, room int) int {
	if !m.validationPane() {
		return 0
	}
	most := max(room*3/10, 4)
	if m.Width < term.StackedWidth && len(m.Scene.Blockers) == 0 {
		most = room / 2
	}
	return min(len(m.validationBody(w-2))+2, most)
}

// validationLines draws the pane: what is not valid by name, how many looks have passed,
// when the next one is due, and what happens when the time is up.
func (m *Model) validationLines(r rect) []string {
	sc, st := m.Scene, m.Styles
	v := sc.Validation
	text, lk := m.Scene.ValidationLook(m.Styles)
	frame := st.Border
	if sc.InvalidCount() > 0 {
		frame = lk.Pen
	}
	right, more := "", ""
	if r.w >= term.StackedWidth {
		right = sc.AfterText(v)
	}
	body, room := m.validationBody(r.w-2), max(r.h-2, 0)
	if rest := len(body) - room; rest > 0 {
		body = body[:room]
		more = fmt.Sprintf("+%s, v shows all", style.Count(rest, "line"))
	}
	return style.Framed(st, frame, lk.Glyph+" "+text, right, more, body, r.w, r.h, false)
}

// validationBody is the pane's lines, however many.
func (m *Model) validationBody(w int) []string {
	sc, st := m.Scene, m.Styles
	v := sc.Validation
	var out []string
	switch now := sc.Now(m.Opts.Now()); {
	case !v.Failed.IsZero():
		text := "the cluster did not validate in time"
		if v.Wait != nil {
			text += " (" + style.Countdown(v.Wait.End.Sub(v.Wait.Start)) + ")"
		}
		if sc.PassInvalid {
			text += "; the run continues anyway"
		}
		out = append(out, style.NewLine(st, w).Space(1).Add(st.Text, text).String())
	case !v.Passed.IsZero():
		text := fmt.Sprintf("%s without findings, %s ago", style.Count(max(v.Need, 1), "look"), style.Age(now.Sub(v.Passed)))
		return []string{style.NewLine(st, w).Space(1).Add(st.Dim, text).String()}
	default:
		out = m.progressLines(v, w)
	}
	for _, f := range scene.Failures(v) {
		out = append(out, m.failureLines(f, w)...)
	}
	return out
}

// progressLines are the looks that passed and the next one, and, beside or below, how long
// it may still take.
func (m *Model) progressLines(v *record.Validation, w int) []string {
	st := m.Styles
	progress, limit := scene.PassesText(v)+", "+m.Scene.NextText(v), m.Scene.LimitText(v)
	first := style.NewLine(st, w).Space(1).Add(st.Text, progress)
	if limit == "" {
		return []string{first.String()}
	}
	const least, most = 8, 20
	limits := []style.Pen{st.Text, st.Warn, st.Bad}[m.Scene.Pressing(v)]
	if m.Scene.InvalidCount() == 0 {
		limits = st.Text
	}
	left, _ := m.Scene.Remaining(v.Wait, m.Opts.Now())
	if room := first.Left() - style.Width(limit) - 5; room >= least {
		bar := min(room, most)
		first.To(w-style.Width(limit)-bar-2).Add(limits, limit).Space(1)
		m.timeBar(first, left, v.Wait, bar)
		return []string{first.String()}
	}
	second := style.NewLine(st, w).Space(1).Add(limits, limit).Space(1)
	m.timeBar(second, left, v.Wait, min(max(second.Left()-2, 0), most))
	return []string{first.String(), second.String()}
}

// failureLines name one thing that is not valid: what it is, whose, and what is wrong. What
// is ignored says so first.
func (m *Model) failureLines(f record.Invalid, w int) []string {
	sc, st := m.Scene, m.Styles
	sign, p := st.Glyphs.Failed, st.Warn
	name, group, message := sc.FailureParts(f)
	if !sc.Validation.Failed.IsZero() {
		p = st.Bad
	}
	said, dim := p, st.Text
	if f.Ignored {
		sign, said, dim, message = st.Glyphs.Skipped, st.Dim, st.Dim, "ignored: "+message
	}
	of := ""
	if group != "" && w >= 100 {
		of = " of " + group
	}
	const kinds = 8 // the longest is machine
	name, message = style.Clean(name), style.Clean(message)
	head := func(room int) *style.Line {
		l := style.NewLine(st, w).Space(1).Add(said, sign+" ").Fit(dim, f.Kind, kinds)
		return l.Add(said, style.Shorten(name, max(room-l.Col, 12), st.Glyphs.Ellipsis)).Add(st.Dim, of).Space(2)
	}
	if l := head(w / 2); l.Left() >= style.Width(message) || w >= term.StackedWidth-2 {
		return []string{l.Add(dim, message).String()}
	}
	return []string{head(w).String(), style.NewLine(st, w).Space(3+kinds).Add(dim, message).String()}
}

// validationBanner tells a validation in a line, where it has no pane.
func (m *Model) validationBanner() (banner, bool) {
	if !m.Scene.Validating() || m.validationPane() {
		return banner{}, false
	}
	_, lk := m.Scene.ValidationLook(m.Styles)
	p := m.Styles.Calm
	if m.Scene.InvalidCount() > 0 && m.Scene.Pressing(m.Scene.Validation) > 0 {
		p = m.Styles.Ask
	}
	return banner{p, lk.Glyph + " " + m.Scene.ValidationSentence(m.Styles)}, true
}

// validationDialog tells all of a validation.
type validationDialog struct{ reader }

func (d *validationDialog) Title(m *Model) string {
	if m.Scene.Validation == nil {
		return "validation"
	}
	text, lk := m.Scene.ValidationLook(m.Styles)
	return lk.Glyph + " " + text
}

func (d *validationDialog) Body(m *Model, w int) []string {
	sc, st := m.Scene, m.Styles
	v := sc.Validation
	if v == nil {
		return style.Paragraph(st, st.Dim, "", "not validated yet", w)
	}
	out := style.Fact(st, "of", "the whole cluster, "+sc.AfterText(v), st.Text, w)
	out = append(out, style.Fact(st, "looks", scene.PassesText(v)+" in a row without findings", st.Text, w)...)
	if sc.Validating() {
		out = append(out, style.Fact(st, "next", m.Scene.NextText(v), st.Text, w)...)
		if limit := m.Scene.LimitText(v); limit != "" {
			out = append(out, style.Fact(st, "time", limit, st.Text, w)...)
		}
		out = append(out, style.Fact(st, "then", "the slot of the terminated instance is free, and the next node may start", st.Text, w)...)
	}
	if !v.Looked.IsZero() {
		out = append(out, style.Fact(st, "as of", style.Age(sc.Now(m.Opts.Now()).Sub(v.Looked))+" ago", st.Text, w)...)
	}
	out = append(out, style.NewLine(st, w).String())
	list := scene.Failures(v)
	if len(list) == 0 {
		return append(out, style.Paragraph(st, st.Dim, "", "no findings", w)...)
	}
	for _, f := range list {
		p, sign := st.Warn, st.Glyphs.Failed
		if f.Ignored {
			p, sign = st.Dim, st.Glyphs.Skipped
		}
		out = append(out, style.Paragraph(st, p, sign, sc.FailureText(f), w)...)
	}
	if list[len(list)-1].Ignored {
		out = append(out, style.NewLine(st, w).String())
		out = append(out, style.Paragraph(st, st.Dim, "", "Findings in other worker groups are ignored: they do not block this group.", w)...)
	}
	return out
}

// openWhole tells all of what is around the nodes: of a validation, or of a worker pool.
func openWhole(m *Model) tea.Cmd {
	if m.Scene.Pool != nil {
		return m.Open(&PoolDialog{})
	}
	return m.Open(&validationDialog{})
}

func notValidated(m *Model) string {
	if m.Scene.Validation == nil && m.Scene.Pool == nil {
		return "this run does not validate the cluster"
	}
	return ""
}
