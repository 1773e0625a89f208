package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/ui/scene"
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

// movedHeight is how many lines the pane of moved pods wants, its frame included.
func movedHeight(sc *scene.Scene) int {
	lines := len(sc.Evictions)
	for _, w := range sc.Troubled() {
		if lines++; w.Alarms() {
			lines++
		}
	}
	return min(max(lines, 2), 8) + 2
}

// movedLines draws the pane of moved pods: the workloads whose replacements are in trouble, with
// why, then the pods that are on their way and how much of their grace periods is left, then the
// workloads that start.
func (m *Model) movedLines(r rect) []string {
	sc, st := m.late, m.Styles
	w, room := r.w-2, r.h-2
	var body []string
	alarms, starting, hidden := 0, 0, 0
	for _, l := range sc.Troubled() {
		if !l.Alarms() {
			starting++
			continue
		}
		alarms++
		body = append(body, m.workloadLines(l, w)...)
	}
	// There may be thousands, and a key waits for the frame: only lines with room are drawn.
	for i, e := range sc.Evictions {
		if len(body) >= room {
			hidden = len(sc.Evictions) - i
			break
		}
		body = append(body, m.evictionLine(e, w))
	}
	for _, l := range sc.Troubled() {
		if !l.Alarms() {
			body = append(body, m.workloadLines(l, w)...)
		}
	}
	switch {
	case sc.Partial:
		body, hidden = []string{unread(m.Styles, w)}, 0
	case len(body) == 0 && hidden == 0 && len(sc.Blockers) > 0:
		body = append(body, style.NewLine(st, w).Space(1).Add(st.Dim, "no progress: see the blocked panel").String())
	case len(body) == 0 && hidden == 0:
		body = append(body, style.NewLine(st, w).Space(1).Add(st.Dim, "no pod is terminating now").String())
	}
	more := ""
	if rest := len(body) + hidden - room; rest > 0 {
		body = body[:min(len(body), max(room, 0))]
		more = fmt.Sprintf("+%s, W shows all", style.Count(rest, "line"))
	}
	var words []string
	if alarms > 0 {
		words = append(words, fmt.Sprintf("%d in trouble", alarms))
	}
	if n := len(sc.Evictions); n > 0 {
		words = append(words, fmt.Sprintf("%d terminating", n))
	}
	if starting > 0 {
		words = append(words, fmt.Sprintf("%d starting", starting))
	}
	title, frame := "moved pods", st.Border
	if len(words) > 0 {
		title += ": " + strings.Join(words, ", ")
	}
	if alarms > 0 {
		title, frame = st.Glyphs.Warning+" "+title, st.Warn
	}
	return style.Framed(st, frame, title, "", more, body, r.w, r.h, false)
}

// workloadLines are a workload: how its replacements stand and for how long, and of one in
// trouble why.
func (m *Model) workloadLines(w *record.Workload, width int) []string {
	sc, st := m.Scene, m.Styles
	lk := scene.WorkloadLook(st, w)
	counts, age := scene.WorkloadCounts(w), ""
	if d := sc.WorkloadAge(w, sc.Now(m.Opts.Now())); d > 0 && w.Trouble() != record.NoTrouble {
		age = style.Countdown(d)
	}
	why := sc.Brief(workloadWhy(w))
	l := style.NewLine(st, width).Space(1).Add(lk.Pen, lk.Glyph+" ")
	if room := width - l.Col - style.Width(counts) - 9; style.Width(style.Clean(w.Ref())) <= room {
		l.Add(st.Text, w.Ref()).Space(2).Add(lk.Pen, counts).To(width-1-style.Width(age)).Add(st.Dim, age)
	} else if style.Width(style.Clean(w.Name)) <= room {
		l.Add(st.Text, w.Name).Space(2).Add(lk.Pen, counts).To(width-1-style.Width(age)).Add(st.Dim, age)
	} else { // the name whole, the rest below it
		l.Add(st.Text, style.Shorten(w.Name, width-l.Col-1, st.Glyphs.Ellipsis))
		second := style.NewLine(st, width).Space(3).Add(lk.Pen, counts)
		if age != "" {
			second.Add(st.Dim, ", "+age)
		}
		if why != "" {
			second.Add(st.Dim, ": "+why)
		}
		return []string{l.String(), second.String()}
	}
	if why == "" {
		return []string{l.String()}
	}
	return []string{l.String(), style.NewLine(st, width).Space(3).Add(st.Dim, why).String()}
}

// workloadWhy says in a few words what is wrong with a workload in trouble.
func workloadWhy(w *record.Workload) string {
	switch w.Trouble() {
	case record.InCrashLoop:
		return "on " + w.Node
	case record.IsPending:
		return w.Reason
	case record.BelowPDB:
		return "PDB " + w.Budget
	}
	return ""
}

// workloadsDialog lists all workloads whose pods the run has moved, with a cursor on those in
// trouble that have a log.
type workloadsDialog struct {
	reader
	cursor string // "namespace/name" of the pod in most trouble
	roams  bool   // as in NodeDialog
}

func (d *workloadsDialog) Title(m *Model) string {
	moved := 0
	for _, w := range m.Scene.Workloads {
		moved += w.Moved
	}
	return fmt.Sprintf("workloads: %s of %s moved", style.Count(moved, "pod"), style.Count(len(m.Scene.Workloads), "workload"))
}

// logged are the workloads that the cursor can be on.
func (d *workloadsDialog) logged(m *Model) (out []*record.Workload) {
	if m.Opts.Log == nil || m.Styles.Plain {
		return nil
	}
	for _, w := range m.Scene.Workloads {
		if hasLog(w) {
			out = append(out, w)
		}
	}
	return out
}

// at is the place of the cursor among them: where its pod is in trouble no more, the first.
func (d *workloadsDialog) at(logged []*record.Workload) int {
	return max(0, slices.IndexFunc(logged, func(w *record.Workload) bool { return w.Pod == d.cursor }))
}

func (d *workloadsDialog) Body(m *Model, w int) []string {
	out, _ := d.content(m, w)
	return out
}

func (d *workloadsDialog) content(m *Model, w int) (out []string, cursor span) {
	st, sc := m.Styles, m.Scene
	logged := d.logged(m)
	for _, l := range sc.Workloads {
		lk := scene.WorkloadLook(st, l)
		text := fmt.Sprintf("%s: %d moved, %s", strings.TrimSpace(l.Kind+" "+l.Ref()), l.Moved, scene.WorkloadCounts(l))
		if age := sc.WorkloadAge(l, sc.Now(m.Opts.Now())); age > 0 && l.Trouble() != record.NoTrouble {
			text += ", for " + style.Countdown(age)
		}
		mark, indent, from := lk.Glyph, 2, len(out)
		switch {
		case len(logged) == 0:
		case logged[d.at(logged)] == l:
			mark, indent = st.Glyphs.Cursor+" "+mark, 4
		default:
			mark, indent = "  "+mark, 4
		}
		out = append(out, style.Paragraph(st, lk.Pen, mark, text, w)...)
		if l.Alarms() {
			for _, line := range style.Paragraph(st, st.Dim, "", sc.Brief(l.Sentence()), w-indent) {
				out = append(out, style.Spaces(indent)+line)
			}
		}
		if len(logged) > 0 && logged[d.at(logged)] == l {
			cursor = span{from, len(out)}
		}
	}
	if len(out) == 0 {
		out = style.Paragraph(st, st.Dim, "", "the run has moved no pod yet", w)
	}
	return out, cursor
}

func (d *workloadsDialog) fit(lines, room int, cursor span) {
	if !d.roams {
		d.follow(cursor, room)
	}
	d.reader.fit(lines, room, cursor)
}

func (d *workloadsDialog) keys(m *Model, w int) string {
	switch n := len(d.logged(m)); n {
	case 0:
		return d.reader.keys(m, w)
	case 1:
		return style.KeyLine(m.Styles, w, "esc", m.backLabel(), "L", "log", d.moreKey(), "more")
	}
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), "up/down", "workload", "L", "log")
}

func (d *workloadsDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	logged := d.logged(m)
	step := map[string]int{"up": -1, "k": -1, "down": 1, "j": 1}[key.String()]
	switch at := d.at(logged); {
	case len(logged) == 0:
	case key.String() == "L":
		return showLog(m, podlog.PodOf(logged[at].Pod, "", logged[at].CrashLooping > 0))
	case step != 0 && at+step >= 0 && at+step < len(logged):
		d.cursor, d.roams = logged[at+step].Pod, false
		return nil
	default:
		d.roams = true
	}
	return d.reader.key(m, key)
}
