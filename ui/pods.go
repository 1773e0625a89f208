package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/style"
)

// podColumns are the widths of the cells of a pod's line; a cell of width 0 is not
// shown.
type podColumns struct{ name, owner, budget, state, tries, time int }

func podColumnsFor(w int) podColumns {
	c := podColumns{state: 20, tries: 5, time: 5}
	c.name = w - 1 - 1 - c.state - 1 - c.tries - 1 - c.time
	give := func(cell *int, n, keep int) {
		if c.name-n >= keep {
			*cell += n
			c.name -= n
		}
	}
	give(&c.state, 4, 24)
	give(&c.budget, 17, 24)
	give(&c.time, 10, 26)
	give(&c.owner, 25, 30)
	give(&c.budget, 8, 36)
	return c
}

// podTable draws the pods of a node, those that block or leave first, and below the
// one under the cursor all that is known of it; at is where its lines begin and end.
func (m *Model) podTable(d *snapshot.NodeDetail, cursor string, w int) (out []string, at span) {
	st := m.Styles
	leave, stay := 0, 0
	for _, p := range d.Pods {
		switch p.Stage {
		case snapshot.StageIgnored:
			stay++
		case snapshot.StageRuns:
		default:
			leave++
		}
	}
	text := "none"
	if n := len(d.Pods); n > 0 {
		text = style.Count(n, "pod")
		if leave > 0 {
			text += fmt.Sprintf(", %d to move", leave)
		}
		if stay > 0 {
			text += fmt.Sprintf(", %d ignored", stay)
		}
	}
	if m.Scene.Partial {
		text = "not read yet"
	}
	out = style.Fact(st, "pods", text, st.Title, w)
	if len(d.Pods) == 0 {
		return out, at
	}
	c := podColumnsFor(w)
	out = append(out, podLine(style.NewLine(st, w).Space(1), c, st.Dim, []string{"pod", "owner", "PDB", "state", "tries", "time"}, nil))
	for _, p := range d.Pods {
		chosen := p.UID == cursor
		if chosen {
			at.from = len(out)
		}
		out = append(out, m.podRow(p, c, w, chosen))
		if chosen {
			out = append(out, m.podFacts(p, c, w)...)
			at.to = len(out)
		}
	}
	return out, at
}

// podLine writes the cells of one line, the last of them by more where it is given.
func podLine(l *style.Line, c podColumns, p style.Pen, cells []string, state func(*style.Line)) string {
	st := l.Styles
	l.Fit(p, style.Shorten(cells[0], c.name, st.Glyphs.Ellipsis), c.name)
	for i, w := range []int{c.owner, c.budget} {
		if w > 0 {
			l.Space(1).Fit(st.Dim, style.Shorten(cells[i+1], w-1, st.Glyphs.Ellipsis), w-1)
		}
	}
	l.Space(1)
	if state != nil {
		state(l)
		return l.String()
	}
	l.Fit(p, cells[3], c.state).Space(1).Right(p, cells[4], c.tries).Space(1).Fit(p, cells[5], c.time)
	return l.String()
}

// podLook is how a pod's stage shows, and its word.
func podLook(st *style.Styles, p *snapshot.PodDetail) (lk style.Look, word string) {
	word = string(p.Stage)
	switch p.Stage {
	case snapshot.StageBlocked:
		lk = style.Look{Glyph: st.Glyphs.Blocked, Pen: st.Warn}
		if p.Blocker != nil {
			word += ": " + string(p.Blocker.Kind)
		}
	case snapshot.StageAsks:
		lk = style.Look{Glyph: st.Glyphs.Blocked, Pen: st.Warn}
	case snapshot.StageReturns:
		lk = style.Look{Glyph: st.Glyphs.Blocked, Pen: st.Warn}
	case snapshot.StageForced:
		lk = style.Look{Glyph: "!", Pen: st.Warn}
	case snapshot.StageTerminating:
		lk = style.Look{Glyph: st.Glyphs.Terminating, Pen: st.Active}
	case snapshot.StageEvicting:
		lk = style.Look{Glyph: st.Glyphs.Draining, Pen: st.Active}
	case snapshot.StageIgnored:
		lk, word = style.Look{Glyph: st.Glyphs.Skipped, Pen: st.Dim}, word+": "+string(p.Reason)
	case snapshot.StageRuns:
		lk = style.Look{Glyph: st.Glyphs.Ready, Pen: st.Good}
		switch {
		case p.Crashing:
			lk, word = style.Look{Glyph: "!", Pen: st.Bad}, "crash-loops"
		case !p.Ready:
			lk, word = style.Look{Glyph: "!", Pen: st.Warn}, "not Ready"
		}
	default:
		lk = style.Look{Glyph: st.Glyphs.Todo, Pen: st.Text}
	}
	return lk, word
}

// podRow is one line of the table.
func (m *Model) podRow(p *snapshot.PodDetail, c podColumns, w int, chosen bool) string {
	st, sc, now := m.Styles, m.Scene, m.Opts.Now()
	l := style.NewLine(st, w)
	mark := " "
	if chosen {
		mark, l.Over = st.Glyphs.Cursor, &st.Cursor
	}
	l.Begin(mark)
	lk, word := podLook(st, p)
	name := st.Text
	if p.Stage == snapshot.StageIgnored {
		name = st.Dim
	}
	var budgets []string
	for _, b := range p.Budgets {
		budgets = append(budgets, b.Ref[strings.IndexByte(b.Ref, '/')+1:])
	}
	return podLine(l, c, name, []string{p.Ref, strings.TrimSpace(p.OwnerKind + " " + p.Owner), strings.Join(budgets, ", ")}, func(l *style.Line) {
		l.Fit(lk.Pen, lk.Glyph+" "+word, c.state).Space(1)
		tries := ""
		if p.Tries > 0 {
			tries = fmt.Sprint(p.Tries, st.Glyphs.Times)
		}
		l.Right(st.Text, tries, c.tries).Space(1)
		switch {
		case p.Grace != nil:
			left, _ := sc.Remaining(p.Grace, now)
			l.Right(st.Text, style.Countdown(left), 5)
			if bar := c.time - 6; bar > 0 {
				l.Space(1)
				m.timeBar(l, left, p.Grace, bar)
			}
		case p.Next.After(sc.Now(now)) && sc.Evicts():
			next := style.Countdown(p.Next.Sub(sc.Now(now)))
			if c.time > 5 {
				l.Fit(st.Dim, "again in "+next, c.time)
			} else {
				l.Right(st.Dim, next, c.time)
			}
		}
	})
}

// podFacts is what is known of the pod under the cursor, below its line.
func (m *Model) podFacts(p *snapshot.PodDetail, c podColumns, w int) []string {
	st, sc, now := m.Styles, m.Scene, m.Scene.Now(m.Opts.Now())
	const indent = 3
	var out []string
	add := func(pn style.Pen, mark, text string) {
		for _, l := range style.Paragraph(st, pn, mark, text, w-indent) {
			out = append(out, style.Spaces(indent)+l)
		}
	}
	if style.Width(style.Clean(p.Ref)) > c.name {
		add(st.Text, "", p.Ref)
	}
	var words []string
	switch {
	case p.Owner != "":
		words = append(words, strings.TrimSpace(p.OwnerKind+" "+p.Owner))
	default:
		words = append(words, "no owner")
	}
	switch {
	case p.Crashing:
		words = append(words, "crash-loops")
	case p.Phase != "" && p.Phase != "Running":
		words = append(words, p.Phase)
	case !p.Ready:
		words = append(words, "not Ready")
	default:
		words = append(words, "Ready")
	}
	if !p.Created.IsZero() {
		words = append(words, style.Age(now.Sub(p.Created))+" old")
	}
	add(st.Dim, "", strings.Join(words, ", "))
	for _, b := range p.Budgets {
		add(st.Dim, "", "PDB "+budgetText(b))
	}
	if p.Tries > 0 {
		text := fmt.Sprintf("%d eviction attempts", p.Tries)
		if p.Tries == 1 {
			text = "1 eviction attempt"
		}
		if !p.First.IsZero() {
			text += ", first at " + m.Scene.Since(p.First)
		}
		if p.Next.After(now) && sc.Evicts() {
			text += ", again in " + style.Countdown(p.Next.Sub(now))
		}
		add(st.Dim, "", text)
	}
	if p.Grace != nil {
		left, _ := sc.Remaining(p.Grace, m.Opts.Now())
		add(st.Dim, "", fmt.Sprintf("grace period: %s left of %s", style.Countdown(left), style.Countdown(p.Grace.End.Sub(p.Grace.Start))))
	}
	if p.Why != "" {
		lk, _ := podLook(st, p)
		add(lk.Pen, lk.Glyph, sc.Brief(p.Why))
	}
	if b := p.Blocker; b != nil && b.Deadline != nil && b.Deadline.For == blockers.UntilPodForced { // the node's is above
		add(st.Text, "", m.Scene.DeadlineText(b))
	}
	if p.Blocker != nil && p.Blocker.WayOut != "" {
		add(st.Good, st.Glyphs.Arrow, m.Scene.WayOut(p.Blocker.WayOut))
	}
	return out
}

// budgetText is a budget with its counts.
func budgetText(b blockers.BudgetView) string {
	text := fmt.Sprintf("%s: allows %d, %d healthy of %d, %d required", b.Ref, b.Allowed, b.Healthy, b.Expected, b.Desired)
	if b.Expression != "" {
		text += " (" + b.Expression + ")"
	}
	return text
}

// podPromises says what is broken when a pod is forced, beyond what the list of
// blockers says of it (told: it says which budgets).
func podPromises(p *snapshot.PodDetail, told bool) []string {
	var out []string
	if p.Grace != nil {
		out = append(out, p.Ref+" is already terminating: it is deleted at once, without the rest of its grace period")
	}
	for _, b := range p.Budgets {
		if left := b.Healthy - 1; !told && p.Ready && p.Grace == nil && left < b.Desired {
			out = append(out, fmt.Sprintf("violates PDB %s: it requires %d healthy pods, has %d, will have %d", b.Ref, b.Desired, b.Healthy, max(left, 0)))
		}
	}
	return out
}
