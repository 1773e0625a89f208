package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// budgetDialog shows all that is known of the budgets of a pod, one at a time.
type budgetDialog struct {
	reader
	// known are the budgets as the pod knows them; at is the one that is shown.
	known  []engine.BudgetView
	at     int
	detail *engine.BudgetDetail // of that one, nil until it has come
	gone   bool                 // it was deleted
}

// openBudgets shows the budgets of a pod, or says that there is none.
func (m *Model) openBudgets(pod string, budgets []engine.BudgetView) tea.Cmd {
	if len(budgets) == 0 {
		m.refuse("no budget covers " + pod)
		return m.tick()
	}
	return m.deeper(&budgetDialog{known: budgets})
}

func (d *budgetDialog) wide() {}

func (d *budgetDialog) ref() string { return d.known[d.at].Ref }

func (d *budgetDialog) looksAt() engine.Look { return engine.Look{Budget: d.ref()} }

func (d *budgetDialog) title(*Model) string {
	if len(d.known) > 1 {
		return fmt.Sprintf("budget %s (%d of %d)", d.ref(), d.at+1, len(d.known))
	}
	return "budget " + d.ref()
}

// refresh takes what is new; of a budget that is gone the last stays.
func (d *budgetDialog) refresh(m *Model) {
	if m.sc.Look.Budget != d.ref() {
		return
	}
	if d.gone = m.sc.Budget == nil; !d.gone {
		d.detail = m.sc.Budget
	}
}

func (d *budgetDialog) body(m *Model, w int) []string {
	st := m.st
	b := d.known[d.at]
	if d.detail != nil {
		b = d.detail.BudgetView
	}
	var out []string
	if d.gone {
		out = para(st, st.warn, st.g.Warning, "the budget was deleted; this is the last that was known", w)
	} else if why := m.blind(); why != "" {
		out = para(st, st.bad, st.g.Warning, why, w)
	}
	if b.Expression != "" {
		out = append(out, named(st, "rule", b.Expression, st.text, w)...)
	}
	out = append(out, named(st, "counts", fmt.Sprintf("%d healthy, %d required, %d expected", b.Healthy, b.Desired, b.Expected), st.text, w)...)
	allows, p := count(b.Allowed, "pod"), st.good
	if b.Allowed <= 0 {
		allows, p = st.g.Blocked+" none", st.warn
	}
	if d.detail != nil && !d.detail.Since.IsZero() {
		allows += ", since " + m.since(d.detail.Since)
		if b.Allowed <= 0 {
			allows += " (" + age(m.sc.now(m.opts.Now()).Sub(d.detail.Since)) + ")"
		}
	}
	out = append(out, named(st, "allows", allows, p, w)...)
	if d.detail == nil {
		if text := m.reading(); text != "" && !d.gone {
			out = append(out, newLine(st, w).String(), newLine(st, w).add(st.dim, text).String())
		}
	} else {
		out = append(out, d.more(m, w)...)
	}
	return append(out, history(m, w, func(e *engine.Event) bool { return slices.Contains(strings.Split(e.Budget, ","), d.ref()) })...)
}

// more is what only the details know.
func (d *budgetDialog) more(m *Model, w int) []string {
	st, sc := m.st, m.sc
	var out []string
	if !d.detail.Current {
		out = append(out, named(st, "status", "behind its rule: the counts are those of the rule before", st.warn, w)...)
	}
	if d.detail.AlwaysAllow {
		out = append(out, named(st, "unhealthy", "pods that are not Ready may always be evicted", st.text, w)...)
	}
	if d.detail.Why != "" {
		out = append(out, named(st, "why", sc.brief(d.detail.Why), st.text, w)...)
	}
	if d.detail.WayOut != "" {
		out = append(out, named(st, "way out", m.wayOut(d.detail.WayOut), st.good, w)...)
	}
	out = append(out, newLine(st, w).String())
	total := len(d.detail.Pods) + d.detail.More
	out = append(out, named(st, "pods", count(total, "pod"), st.title, w)...)
	for i := range d.detail.Pods {
		out = append(out, m.budgetPod(&d.detail.Pods[i], w)...)
	}
	if d.detail.More > 0 {
		out = append(out, newLine(st, w).space(3).add(st.dim, fmt.Sprintf("and %d more", d.detail.More)).String())
	}
	return out
}

// budgetPod is a pod that a budget covers: its name, where it is, and how.
func (m *Model) budgetPod(p *engine.BudgetPod, w int) []string {
	st, sc := m.st, m.sc
	lk, word := look{st.g.Ready, st.good}, "Ready"
	switch {
	case p.Finished:
		lk, word = look{st.g.Skipped, st.dim}, "finished"
	case p.Node == "":
		lk, word = look{st.g.Todo, st.warn}, "Pending"
	case p.Grace != nil:
		left, _ := sc.remaining(p.Grace, m.opts.Now())
		lk, word = look{st.g.Terminating, st.active}, "terminating "+countdown(left)
	case p.Crashing:
		lk, word = look{"!", st.bad}, "crash-loops"
	case !p.Ready:
		lk, word = look{"!", st.warn}, "not Ready"
	}
	where, wp := "no node", st.dim
	if p.Node != "" {
		where, wp = sc.node(p.Node), st.text
	}
	stage := ""
	if p.Stage != "" && p.Node != "" {
		stage = string(p.Stage)
	}
	const state, mark = 18, 1
	place, stageWidth := 20, 0
	switch {
	case w >= 84:
		stageWidth = 12
	case w < 64:
		place = 14
	}
	name := w - mark - place - 1 - state - 1
	if stageWidth > 0 {
		name -= stageWidth + 1
	}
	l := newLine(st, w).space(mark)
	l.fit(st.text, shorten(p.Ref, name-1, st.g.Ellipsis), name)
	l.fit(wp, shorten(where, place, st.g.Ellipsis), place).space(1)
	if stageWidth > 0 {
		sp := st.dim
		if p.Stage == engine.Draining {
			sp = st.active
		}
		l.fit(sp, stage, stageWidth).space(1)
	}
	l.fit(lk.pen, lk.glyph+" "+word, state)
	out := []string{l.String()}
	below := func(pn pen, mark, text string) {
		for _, l := range para(st, pn, mark, text, w-3) {
			out = append(out, spaces(3)+l)
		}
	}
	if stageWidth == 0 && p.Stage == engine.Draining {
		below(st.dim, "", "its node is draining")
	}
	if p.Unplaced != "" {
		below(st.warn, st.g.Warning, p.Unplaced)
	}
	if len(p.Others) > 0 {
		below(st.warn, st.g.Blocked, "covered by "+list(p.Others)+" too: the eviction API never lets it through")
	}
	return out
}

func (d *budgetDialog) keys(m *Model, w int) string {
	next := ""
	if len(d.known) > 1 {
		next = "b"
	}
	return keyLine(m.st, w, "esc", m.backLabel(), next, "next budget", d.moreKey(), "more")
}

func (d *budgetDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "b" && len(d.known) > 1 {
		d.at, d.detail, d.gone = (d.at+1)%len(d.known), nil, false
		d.top = 0
		m.tellLook()
		return nil
	}
	return d.reader.key(m, key)
}
