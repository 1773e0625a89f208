package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// BudgetDialog shows all that is known of the budgets of a pod, one at a time.
type BudgetDialog struct {
	reader
	// Known are the budgets as the pod knows them; at is the one that is shown.
	Known  []blockers.BudgetView
	at     int
	Detail *snapshot.BudgetDetail // of that one, nil until it has come
	Gone   bool                   // it was deleted
}

// openBudgets shows the budgets of a pod, or says that there is none.
func (m *Model) openBudgets(pod string, budgets []blockers.BudgetView) tea.Cmd {
	if len(budgets) == 0 {
		m.refuse("no PDB covers " + pod)
		return m.tick()
	}
	return m.deeper(&BudgetDialog{Known: budgets})
}

func (d *BudgetDialog) wide() {}

func (d *BudgetDialog) ref() string { return d.Known[d.at].Ref }

func (d *BudgetDialog) looksAt() snapshot.Look { return snapshot.Look{Budget: d.ref()} }

func (d *BudgetDialog) Title(*Model) string {
	if len(d.Known) > 1 {
		return fmt.Sprintf("PDB %s (%d of %d)", d.ref(), d.at+1, len(d.Known))
	}
	return "PDB " + d.ref()
}

// refresh takes what is new; of a budget that is gone the last stays.
func (d *BudgetDialog) refresh(m *Model) {
	if m.Scene.Look.Budget != d.ref() {
		return
	}
	if d.Gone = m.Scene.Budget == nil; !d.Gone {
		d.Detail = m.Scene.Budget
	}
}

func (d *BudgetDialog) Body(m *Model, w int) []string {
	st := m.Styles
	b := d.Known[d.at]
	if d.Detail != nil {
		b = d.Detail.BudgetView
	}
	var out []string
	if d.Gone {
		out = style.Paragraph(st, st.Warn, st.Glyphs.Warning, "the PDB was deleted; this is its last known state", w)
	} else if why := m.Scene.ClusterStale(); why != "" {
		out = style.Paragraph(st, st.Bad, st.Glyphs.Warning, why, w)
	}
	if b.Expression != "" {
		out = append(out, style.Fact(st, "rule", b.Expression, st.Text, w)...)
	}
	out = append(out, style.Fact(st, "counts", fmt.Sprintf("%d healthy, %d required, %d expected", b.Healthy, b.Desired, b.Expected), st.Text, w)...)
	allows, p := style.Count(b.Allowed, "pod"), st.Good
	if b.Allowed <= 0 {
		allows, p = st.Glyphs.Blocked+" none", st.Warn
	}
	if d.Detail != nil && !d.Detail.Since.IsZero() {
		allows += ", since " + m.Scene.Since(d.Detail.Since)
		if b.Allowed <= 0 {
			allows += " (" + style.Age(m.Scene.Now(m.Opts.Now()).Sub(d.Detail.Since)) + ")"
		}
	}
	out = append(out, style.Fact(st, "allows", allows, p, w)...)
	if d.Detail == nil {
		if text := m.Reading(); text != "" && !d.Gone {
			out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Dim, text).String())
		}
	} else {
		out = append(out, d.more(m, w)...)
	}
	return append(out, history(m, w, func(e *record.Event) bool { return slices.Contains(strings.Split(e.Budget, ","), d.ref()) })...)
}

// more is what only the details know.
func (d *BudgetDialog) more(m *Model, w int) []string {
	st, sc := m.Styles, m.Scene
	var out []string
	if !d.Detail.Current {
		out = append(out, style.Fact(st, "status", "behind its spec: the counts are of the spec before", st.Warn, w)...)
	}
	if d.Detail.AlwaysAllow {
		out = append(out, style.Fact(st, "unhealthy", "pods that are not Ready may always be evicted", st.Text, w)...)
	}
	if d.Detail.Why != "" {
		out = append(out, style.Fact(st, "why", sc.Brief(d.Detail.Why), st.Text, w)...)
	}
	if d.Detail.WayOut != "" {
		out = append(out, style.Fact(st, "way out", m.Scene.WayOut(d.Detail.WayOut), st.Good, w)...)
	}
	out = append(out, style.NewLine(st, w).String())
	total := len(d.Detail.Pods) + d.Detail.More
	out = append(out, style.Fact(st, "pods", style.Count(total, "pod"), st.Title, w)...)
	for i := range d.Detail.Pods {
		out = append(out, m.budgetPod(&d.Detail.Pods[i], w)...)
	}
	if d.Detail.More > 0 {
		out = append(out, style.NewLine(st, w).Space(3).Add(st.Dim, fmt.Sprintf("and %d more", d.Detail.More)).String())
	}
	return out
}

// budgetPod is a pod that a budget covers: its name, where it is, and how.
func (m *Model) budgetPod(p *snapshot.BudgetPod, w int) []string {
	st, sc := m.Styles, m.Scene
	lk, word := style.Look{Glyph: st.Glyphs.Ready, Pen: st.Good}, "Ready"
	switch {
	case p.Finished:
		lk, word = style.Look{Glyph: st.Glyphs.Skipped, Pen: st.Dim}, "finished"
	case p.Node == "":
		lk, word = style.Look{Glyph: st.Glyphs.Todo, Pen: st.Warn}, "Pending"
	case p.Grace != nil:
		left, _ := sc.Remaining(p.Grace, m.Opts.Now())
		lk, word = style.Look{Glyph: st.Glyphs.Terminating, Pen: st.Active}, "terminating "+style.Countdown(left)
	case p.Crashing:
		lk, word = style.Look{Glyph: "!", Pen: st.Bad}, "crash-loops"
	case !p.Ready:
		lk, word = style.Look{Glyph: "!", Pen: st.Warn}, "not Ready"
	}
	where, wp := "no node", st.Dim
	if p.Node != "" {
		where, wp = sc.NodeName(p.Node), st.Text
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
	l := style.NewLine(st, w).Space(mark)
	l.Fit(st.Text, style.Shorten(p.Ref, name-1, st.Glyphs.Ellipsis), name)
	l.Fit(wp, style.Shorten(where, place, st.Glyphs.Ellipsis), place).Space(1)
	if stageWidth > 0 {
		sp := st.Dim
		if p.Stage == record.Draining {
			sp = st.Active
		}
		l.Fit(sp, stage, stageWidth).Space(1)
	}
	l.Fit(lk.Pen, lk.Glyph+" "+word, state)
	out := []string{l.String()}
	below := func(pn style.Pen, mark, text string) {
		for _, l := range style.Paragraph(st, pn, mark, text, w-3) {
			out = append(out, style.Spaces(3)+l)
		}
	}
	if stageWidth == 0 && p.Stage == record.Draining {
		below(st.Dim, "", "its node is draining")
	}
	if p.Unplaced != "" {
		below(st.Warn, st.Glyphs.Warning, p.Unplaced)
	}
	if len(p.Others) > 0 {
		below(st.Warn, st.Glyphs.Blocked, "also covered by "+style.List(p.Others)+": the eviction API refuses to evict it")
	}
	return out
}

func (d *BudgetDialog) keys(m *Model, w int) string {
	next := ""
	if len(d.Known) > 1 {
		next = "b"
	}
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), next, "next PDB", d.moreKey(), "more")
}

func (d *BudgetDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	if key.String() == "b" && len(d.Known) > 1 {
		d.at, d.Detail, d.Gone = (d.at+1)%len(d.Known), nil, false
		d.top = 0
		m.sendLook()
		return nil
	}
	return d.reader.key(m, key)
}
