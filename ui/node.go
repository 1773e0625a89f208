package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// nodeDialog shows all that is known of a node: its row, its machine, its pods with
// a cursor, and what happened to it.
type nodeDialog struct {
	reader
	row    *engine.NodeRow
	detail *engine.NodeDetail // nil until it has come
	cursor string             // the UID of a pod
	// from and to are the cursor's lines in the body, as it was last drawn; roams: the
	// window does not follow them, because the operator scrolled.
	from, to int
	roams    bool
}

func (d *nodeDialog) wide() {}

func (d *nodeDialog) looksAt() engine.Look { return engine.Look{Machine: d.row.ID} }

func (d *nodeDialog) title(*Model) string {
	if d.row.Name == "" {
		return d.row.ID
	}
	return d.row.Name
}

// refresh takes what is new; of a node that is gone the last stays. A cursor whose
// pod is gone is dropped: a key must not hit a neighbour.
func (d *nodeDialog) refresh(m *Model) {
	if r := m.sc.row(d.row.ID); r != nil {
		d.row = r
	}
	if n := m.sc.Node; n != nil && n.ID == d.row.ID {
		if d.detail == nil && len(n.Pods) > 0 {
			d.cursor = n.Pods[0].UID
		}
		d.detail = n
	}
	if d.pod() == nil {
		d.cursor = ""
	}
}

// pod is the one under the cursor, nil without one.
func (d *nodeDialog) pod() *engine.PodDetail {
	if i := d.index(); i >= 0 {
		return d.detail.Pods[i]
	}
	return nil
}

func (d *nodeDialog) index() int {
	if d.detail == nil {
		return -1
	}
	return slices.IndexFunc(d.detail.Pods, func(p *engine.PodDetail) bool { return p.UID == d.cursor })
}

func (d *nodeDialog) body(m *Model, w int) []string {
	st, sc, r := m.st, m.sc, d.row
	now := m.opts.Now()
	var out []string
	if why := m.blind(); why != "" && d.detail != nil {
		out = para(st, st.bad, st.g.Warning, why, w)
	}
	lk := st.stages[r.Stage]
	stage := lk.glyph + " " + string(r.Stage)
	if !r.Since.IsZero() {
		stage += " for " + countdown(sc.now(now).Sub(r.Since))
	}
	if r.Batch > 0 {
		stage += fmt.Sprintf(", of batch %d", r.Batch)
	}
	if sc.row(r.ID) == nil {
		stage = "gone; this is the last that was known"
	}
	out = append(out, named(st, "stage", stage, lk.pen, w)...)
	if r.Note != "" {
		out = append(out, named(st, "note", r.Note, st.warn, w)...)
	}
	if r.Wait != nil {
		left, still := sc.remaining(r.Wait, now)
		text := fmt.Sprintf("%s: %s left", r.Wait.For, countdown(left))
		if still {
			text += ", stands still"
		}
		if r.Wait.Guess {
			text += ", an estimate"
		}
		out = append(out, named(st, "waits", text, st.text, w)...)
		if r.Wait.Basis != "" {
			out = append(out, named(st, "because", r.Wait.Basis, st.dim, w)...)
		}
	}
	if d.detail == nil {
		out = append(out, d.fromRow(m, w)...)
	} else {
		out = append(out, d.nodeText(m, w)...)
		out = append(out, newLine(st, w).String())
		pods, at := m.podTable(d.detail, d.cursor, w)
		d.from, d.to = len(out)+at[0], len(out)+at[1]
		out = append(out, pods...)
		out = append(out, newLine(st, w).String())
		out = append(out, named(st, "machine", sc.brief(m.machineText(d.detail, r)), st.text, w)...)
		out = append(out, d.markText(m, w)...)
		out = append(out, m.movesText(d.detail.Moves, w)...)
	}
	return append(out, history(m, w, func(e *engine.Event) bool { return r.Name != "" && e.Node == r.Name || e.Node == r.ID })...)
}

// fromRow is what the node's row and the list of blockers know, as long as that is
// all there is.
func (d *nodeDialog) fromRow(m *Model, w int) []string {
	st, sc, r := m.st, m.sc, d.row
	var out []string
	if r.Pods > 0 {
		out = named(st, "pods", fmt.Sprintf("%d of %d have still to leave", r.PodsLeft, r.Pods), st.text, w)
	}
	version := shortVersion(r.Version)
	if r.New {
		version += " (new)"
	}
	out = append(out, named(st, "version", version, st.text, w)...)
	out = append(out, named(st, "machine", r.ID+" in "+r.Zone, st.text, w)...)
	out = append(out, named(st, "node", conditions(r), st.text, w)...)
	if text := m.reading(); text != "" {
		out = append(out, newLine(st, w).String(), newLine(st, w).add(st.dim, text).String())
	}
	for _, b := range sc.Blockers {
		if r.Name == "" || b.Node != r.Name {
			continue
		}
		out = append(out, newLine(st, w).String())
		out = append(out, blockerText(m, b, w)...)
	}
	return out
}

func conditions(r *engine.NodeRow) string {
	if r.Name == "" {
		return "has not joined yet"
	}
	words := []string{"Ready"}
	if !r.Ready {
		words[0] = "not Ready"
	}
	if r.Cordoned {
		words = append(words, "cordoned")
	}
	if r.Tainted {
		words = append(words, "tainted")
	}
	if r.Detached {
		words = append(words, "detached")
	}
	return list(words)
}

// machineText is the member of the group in a sentence.
func (m *Model) machineText(d *engine.NodeDetail, r *engine.NodeRow) string {
	mc := d.Machine
	if mc == nil {
		return d.ID + " in " + r.Zone + ": the group does not list it any more"
	}
	if m.sc.Pool != nil {
		return machineOfPool(mc, m.sc.now(m.opts.Now()))
	}
	words := []string{mc.ID}
	add := func(ok bool, word string) {
		if ok {
			words = append(words, word)
		}
	}
	add(mc.Type != "", mc.Type)
	add(mc.Spot, "Spot")
	add(!mc.Spot, "not Spot")
	add(mc.Zone != "", mc.Zone)
	add(true, mc.State)
	add(mc.Detail != "" && mc.Detail != mc.State, mc.Detail)
	add(mc.Unhealthy, "unhealthy")
	add(mc.Protected, "protected from scale-in")
	add(mc.Detached, "detached from its group, which has another one in its place")
	template := d.TemplateName
	if template == "" {
		template = mc.Template.ID
	}
	add(template != "", fmt.Sprintf("template %s version %d", template, mc.Template.Version))
	return strings.Join(words, ", ")
}

// nodeText is how the node is, as the cluster has it.
func (d *nodeDialog) nodeText(m *Model, w int) []string {
	st, n := m.st, d.detail.Node
	if n == nil {
		return named(st, "node", "is not in the cluster", st.text, w)
	}
	now := m.sc.now(m.opts.Now())
	version := shortVersion(n.Version)
	if d.row.New {
		version += " (new)"
	}
	words, p := []string{version}, st.text
	switch {
	case !n.Unreachable.IsZero():
		words, p = append(words, "not heard from for "+age(now.Sub(n.Unreachable))), st.bad
	case !n.Ready:
		words, p = append(words, "not Ready"), st.warn
	default:
		words = append(words, "Ready")
	}
	if n.Unschedulable {
		words = append(words, "cordoned")
	}
	if !n.Created.IsZero() {
		words = append(words, "joined "+age(now.Sub(n.Created))+" ago")
	}
	out := named(st, "node", strings.Join(words, ", "), p, w)
	if n.Trouble != "" {
		out = append(out, named(st, "trouble", n.Trouble, st.warn, w)...)
	}
	return out
}

// markText is the node's taints, and what else the run has put on it or found there.
func (d *nodeDialog) markText(m *Model, w int) []string {
	st, marks := m.st, d.detail.Marks
	var out, taints []string
	if n := d.detail.Node; n != nil {
		for _, t := range n.Taints {
			text := t.String()
			is := func(mark engine.MarkDetail) bool { return mark.What == "tainted "+text && !mark.Foreign }
			if slices.ContainsFunc(marks, is) {
				marks, text = slices.DeleteFunc(slices.Clone(marks), is), text+" (ours)"
			}
			taints = append(taints, text)
		}
	}
	if len(taints) > 0 {
		out = named(st, "taints", strings.Join(taints, ", "), st.text, w)
	}
	if text := marksText(marks); text != "" {
		out = append(out, named(st, "marks", text, st.text, w)...)
	}
	return out
}

// marksText says what the run has put on a node, and what it found there and leaves.
func marksText(marks []engine.MarkDetail) string {
	var ours, foreign []string
	for _, mark := range marks {
		what := mark.What
		if !mark.There {
			what += " (not seen yet)"
		}
		if mark.Foreign {
			foreign = append(foreign, what)
		} else {
			ours = append(ours, what)
		}
	}
	var out []string
	if len(ours) > 0 {
		out = append(out, "ours: "+strings.Join(ours, ", "))
	}
	if len(foreign) > 0 {
		out = append(out, "there before us, and stays: "+strings.Join(foreign, ", "))
	}
	return strings.Join(out, "; ")
}

// window keeps the cursor's lines in sight.
func (d *nodeDialog) window(body []string, room int) []string {
	if d.cursor != "" && !d.roams && d.detail != nil {
		if d.to > d.top+room {
			d.top = d.to - room
		}
		if d.from < d.top || d.from >= d.top+room {
			d.top = d.from
		}
		if d.to <= room {
			d.top = 0
		}
	}
	return d.reader.window(body, room)
}

func (d *nodeDialog) keys(m *Model, w int) string {
	if d.detail == nil || len(d.detail.Pods) == 0 {
		return d.reader.keys(m, w)
	}
	p := d.pod()
	why, budget, force, word := "", "", "(f", "force)"
	if p != nil && m.whyNotForce(d.target(p)) == "" {
		force, word = "f", "force"
	}
	if p != nil && p.Blocker != nil {
		why = "enter"
	}
	if p != nil && len(p.Budgets) > 0 {
		budget = "b"
	}
	more := ""
	if d.hint() != "" {
		more = "pgdn"
	}
	return keyLine(m.st, w, "esc", m.backLabel(), "up/down", "pod", why, "why", budget, "budget", force, word, more, "more")
}

func (d *nodeDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	p := d.pod()
	switch k := key.String(); k {
	case "up", "k":
		d.step(-1, k)
	case "down", "j":
		d.step(1, k)
	case "esc", "q":
		m.close()
	case "enter", "b", "f":
		switch {
		case d.detail == nil && k == "enter":
			m.close()
		case p == nil:
			m.refuse("move the cursor to a pod first (up, down)")
		case k == "f":
			return m.forcePod(d.target(p))
		case k == "enter" && p.Blocker != nil:
			return m.deeper(&blockerDialog{blocker: p.Blocker})
		case k == "enter" && len(p.Budgets) == 0:
			m.refuse("nothing holds " + p.Ref)
		default:
			return m.openBudgets(p.Ref, p.Budgets)
		}
		return m.tick()
	default:
		d.roams = d.move(k) || d.roams
	}
	return nil
}

func (d *nodeDialog) target(p *engine.PodDetail) forceTarget {
	return forceTarget{machine: d.row.ID, node: d.row.Name, pod: p.Ref, uid: p.UID}
}

// step takes the cursor n pods on; where there is no further one the window moves.
func (d *nodeDialog) step(n int, key string) {
	at := d.index()
	switch {
	case d.detail == nil || len(d.detail.Pods) == 0:
		d.move(key)
	case at < 0:
		d.cursor, d.roams = d.detail.Pods[0].UID, false
	case at+n < 0 || at+n >= len(d.detail.Pods):
		d.roams = d.move(key) || d.roams
	default:
		d.cursor, d.roams = d.detail.Pods[at+n].UID, false
	}
}

// since is the time of the day that something has been so from.
func (m *Model) since(t time.Time) string { return t.In(m.opts.Now().Location()).Format("15:04:05") }
