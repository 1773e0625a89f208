package ui

import (
	"fmt"
	"strings"

	"github.com/drainboard/drainboard/engine"
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
func (m *Model) podTable(d *engine.NodeDetail, cursor string, w int) (out []string, at [2]int) {
	st := m.st
	leave, stay := 0, 0
	for _, p := range d.Pods {
		switch p.Stage {
		case engine.StageIgnored:
			stay++
		case engine.StageRuns:
		default:
			leave++
		}
	}
	text := "none"
	if n := len(d.Pods); n > 0 {
		text = count(n, "pod")
		if leave > 0 {
			text += fmt.Sprintf(", %d to leave", leave)
		}
		if stay > 0 {
			text += fmt.Sprintf(", %d ignored", stay)
		}
	}
	if m.sc.Partial {
		text = "not read yet"
	}
	out = named(st, "pods", text, st.title, w)
	if len(d.Pods) == 0 {
		return out, at
	}
	c := podColumnsFor(w)
	out = append(out, podLine(newLine(st, w).space(1), c, st.dim, []string{"pod", "owner", "budget", "state", "tries", "time"}, nil))
	for _, p := range d.Pods {
		chosen := p.UID == cursor
		if chosen {
			at[0] = len(out)
		}
		out = append(out, m.podRow(p, c, w, chosen))
		if chosen {
			out = append(out, m.podFacts(p, c, w)...)
			at[1] = len(out)
		}
	}
	return out, at
}

// podLine writes the cells of one line, the last of them by more where it is given.
func podLine(l *line, c podColumns, p pen, cells []string, state func(*line)) string {
	st := l.st
	l.fit(p, shorten(cells[0], c.name, st.g.Ellipsis), c.name)
	for i, w := range []int{c.owner, c.budget} {
		if w > 0 {
			l.space(1).fit(st.dim, shorten(cells[i+1], w-1, st.g.Ellipsis), w-1)
		}
	}
	l.space(1)
	if state != nil {
		state(l)
		return l.String()
	}
	l.fit(p, cells[3], c.state).space(1).right(p, cells[4], c.tries).space(1).fit(p, cells[5], c.time)
	return l.String()
}

// podLook is how a pod's stage shows, and its word.
func podLook(st *styles, p *engine.PodDetail) (lk look, word string) {
	word = string(p.Stage)
	switch p.Stage {
	case engine.StageBlocked:
		lk = look{st.g.Blocked, st.warn}
		if p.Blocker != nil {
			word += ": " + string(p.Blocker.Kind)
		}
	case engine.StageAsks:
		lk = look{st.g.Blocked, st.warn}
	case engine.StageReturns:
		lk = look{st.g.Blocked, st.warn}
	case engine.StageForced:
		lk = look{"!", st.warn}
	case engine.StageTerminating:
		lk = look{st.g.Terminating, st.active}
	case engine.StageEvicting:
		lk = look{st.g.Draining, st.active}
	case engine.StageIgnored:
		lk, word = look{st.g.Skipped, st.dim}, word+": "+string(p.Reason)
	case engine.StageRuns:
		lk = look{st.g.Ready, st.good}
		switch {
		case p.Crashing:
			lk, word = look{"!", st.bad}, "crash-loops"
		case !p.Ready:
			lk, word = look{"!", st.warn}, "not Ready"
		}
	default:
		lk = look{st.g.Todo, st.text}
	}
	return lk, word
}

// podRow is one line of the table.
func (m *Model) podRow(p *engine.PodDetail, c podColumns, w int, chosen bool) string {
	st, sc, now := m.st, m.sc, m.opts.Now()
	l := newLine(st, w)
	mark := " "
	if chosen {
		mark, l.over = st.g.Cursor, &st.cursor
	}
	l.begin(mark)
	lk, word := podLook(st, p)
	name := st.text
	if p.Stage == engine.StageIgnored {
		name = st.dim
	}
	var budgets []string
	for _, b := range p.Budgets {
		budgets = append(budgets, b.Ref[strings.IndexByte(b.Ref, '/')+1:])
	}
	return podLine(l, c, name, []string{p.Ref, strings.TrimSpace(p.OwnerKind + " " + p.Owner), strings.Join(budgets, ", ")}, func(l *line) {
		l.fit(lk.pen, lk.glyph+" "+word, c.state).space(1)
		tries := ""
		if p.Tries > 0 {
			tries = fmt.Sprint(p.Tries, st.g.Times)
		}
		l.right(st.text, tries, c.tries).space(1)
		switch {
		case p.Grace != nil:
			left, _ := sc.remaining(p.Grace, now)
			l.right(st.text, countdown(left), 5)
			if bar := c.time - 6; bar > 0 {
				l.space(1)
				m.timeBar(l, left, p.Grace, bar)
			}
		case p.Next.After(sc.now(now)) && sc.acting():
			next := countdown(p.Next.Sub(sc.now(now)))
			if c.time > 5 {
				l.fit(st.dim, "again in "+next, c.time)
			} else {
				l.right(st.dim, next, c.time)
			}
		}
	})
}

// podFacts is what is known of the pod under the cursor, below its line.
func (m *Model) podFacts(p *engine.PodDetail, c podColumns, w int) []string {
	st, sc, now := m.st, m.sc, m.sc.now(m.opts.Now())
	const indent = 3
	var out []string
	add := func(pn pen, mark, text string) {
		for _, l := range para(st, pn, mark, text, w-indent) {
			out = append(out, spaces(indent)+l)
		}
	}
	if width(clean(p.Ref)) > c.name {
		add(st.text, "", p.Ref)
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
		words = append(words, age(now.Sub(p.Created))+" old")
	}
	add(st.dim, "", strings.Join(words, ", "))
	for _, b := range p.Budgets {
		add(st.dim, "", "budget "+budgetText(b))
	}
	if p.Tries > 0 {
		text := fmt.Sprintf("asked to leave %d times", p.Tries)
		if p.Tries == 1 {
			text = "asked to leave once"
		}
		if !p.First.IsZero() {
			text += ", first at " + m.since(p.First)
		}
		if p.Next.After(now) && sc.acting() {
			text += ", again in " + countdown(p.Next.Sub(now))
		}
		add(st.dim, "", text)
	}
	if p.Grace != nil {
		left, _ := sc.remaining(p.Grace, m.opts.Now())
		add(st.dim, "", fmt.Sprintf("grace period: %s left of %s", countdown(left), countdown(p.Grace.End.Sub(p.Grace.Start))))
	}
	if p.Why != "" {
		lk, _ := podLook(st, p)
		add(lk.pen, lk.glyph, sc.brief(p.Why))
	}
	if b := p.Blocker; b != nil && b.Deadline != nil && b.Deadline.For == engine.UntilPodForced { // the node's is above
		add(st.text, "", m.deadlineText(b))
	}
	if p.Blocker != nil && p.Blocker.WayOut != "" {
		add(st.good, st.g.Arrow, m.wayOut(p.Blocker.WayOut))
	}
	return out
}

// budgetText is a budget with its counts.
func budgetText(b engine.BudgetView) string {
	text := fmt.Sprintf("%s: allows %d, %d healthy of %d, %d required", b.Ref, b.Allowed, b.Healthy, b.Expected, b.Desired)
	if b.Expression != "" {
		text += " (" + b.Expression + ")"
	}
	return text
}

// podPromises says what is broken when a pod is forced, beyond what the list of
// blockers says of it (told: it says which budgets).
func podPromises(p *engine.PodDetail, told bool) []string {
	var out []string
	if p.Grace != nil {
		out = append(out, p.Ref+" is terminating already: it is deleted at once, without what is left of its grace period")
	}
	for _, b := range p.Budgets {
		if left := b.Healthy - 1; !told && p.Ready && p.Grace == nil && left < b.Desired {
			out = append(out, fmt.Sprintf("breaks the budget %s: it promises %d healthy pods, has %d, and will have %d", b.Ref, b.Desired, b.Healthy, max(left, 0)))
		}
	}
	return out
}
