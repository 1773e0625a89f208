package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/podlog"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/ui/style"
)

// NodeDialog shows all that is known of a node: its row, its machine, its pods with
// a cursor, and what happened to it.
type NodeDialog struct {
	reader
	row    *snapshot.NodeRow
	Detail *snapshot.NodeDetail // nil until it has come
	cursor string               // the UID of a pod
	// roams: the window does not follow the cursor, because the operator scrolled.
	roams bool
}

func (d *NodeDialog) wide() {}

func (d *NodeDialog) looksAt() snapshot.Look { return snapshot.Look{Machine: d.row.ID} }

func (d *NodeDialog) Title(*Model) string {
	if d.row.Name == "" {
		return d.row.ID
	}
	return d.row.Name
}

// refresh takes what is new; of a node that is gone the last stays. A cursor whose
// pod is gone is dropped: a key must not hit a neighbour.
func (d *NodeDialog) refresh(m *Model) {
	if r := m.Scene.Row(d.row.ID); r != nil {
		d.row = r
	}
	if n := m.Scene.Node; n != nil && n.ID == d.row.ID {
		if d.Detail == nil && len(n.Pods) > 0 {
			d.cursor = n.Pods[0].UID
		}
		d.Detail = n
	}
	if d.pod() == nil {
		d.cursor = ""
	}
}

// pod is the one under the cursor, nil without one.
func (d *NodeDialog) pod() *snapshot.PodDetail {
	if i := d.index(); i >= 0 {
		return d.Detail.Pods[i]
	}
	return nil
}

func (d *NodeDialog) index() int {
	if d.Detail == nil {
		return -1
	}
	return slices.IndexFunc(d.Detail.Pods, func(p *snapshot.PodDetail) bool { return p.UID == d.cursor })
}

func (d *NodeDialog) Body(m *Model, w int) []string {
	out, _ := d.content(m, w)
	return out
}

func (d *NodeDialog) content(m *Model, w int) (out []string, cursor span) {
	st, sc, r := m.Styles, m.Scene, d.row
	now := m.Opts.Now()
	if why := m.Scene.ClusterStale(); why != "" && d.Detail != nil {
		out = style.Paragraph(st, st.Bad, st.Glyphs.Warning, why, w)
	}
	lk := st.Stages[r.Stage]
	stage := lk.Glyph + " " + string(r.Stage)
	if !r.Since.IsZero() {
		stage += " for " + style.Countdown(sc.Now(now).Sub(r.Since))
	}
	if r.Batch > 0 {
		stage += fmt.Sprintf(", of batch %d", r.Batch)
	}
	if sc.Row(r.ID) == nil {
		stage = "gone; this is its last known state"
	}
	out = append(out, style.Fact(st, "stage", stage, lk.Pen, w)...)
	if r.Note != "" {
		out = append(out, style.Fact(st, "note", r.Note, st.Warn, w)...)
	}
	if r.Wait != nil {
		left, still := sc.Remaining(r.Wait, now)
		text := fmt.Sprintf("%s: %s left", r.Wait.For, style.Countdown(left))
		if still {
			text += ", stopped"
		}
		if r.Wait.Guess {
			text += ", an estimate"
		}
		out = append(out, style.Fact(st, "waits", text, st.Text, w)...)
		if r.Wait.Basis != "" {
			out = append(out, style.Fact(st, "because", r.Wait.Basis, st.Dim, w)...)
		}
	}
	if d.Detail == nil {
		out = append(out, d.fromRow(m, w)...)
	} else {
		out = append(out, d.nodeText(m, w)...)
		out = append(out, style.NewLine(st, w).String())
		pods, at := m.podTable(d.Detail, d.cursor, w)
		cursor = span{len(out) + at.from, len(out) + at.to}
		out = append(out, pods...)
		out = append(out, style.NewLine(st, w).String())
		out = append(out, style.Fact(st, "machine", sc.Brief(m.machineText(d.Detail, r)), st.Text, w)...)
		out = append(out, d.markText(m, w)...)
		out = append(out, m.movesText(d.Detail.Moves, w)...)
	}
	return append(out, history(m, w, func(e *record.Event) bool { return r.Name != "" && e.Node == r.Name || e.Node == r.ID })...), cursor
}

// fromRow is what the node's row and the list of blockers know, as long as that is
// all there is.
func (d *NodeDialog) fromRow(m *Model, w int) []string {
	st, sc, r := m.Styles, m.Scene, d.row
	var out []string
	if r.Pods > 0 {
		out = style.Fact(st, "pods", fmt.Sprintf("%d of %d remain to be moved", r.PodsLeft, r.Pods), st.Text, w)
	}
	version := style.ShortVersion(r.Version)
	if r.New {
		version += " (new)"
	}
	out = append(out, style.Fact(st, "version", version, st.Text, w)...)
	out = append(out, style.Fact(st, "machine", r.ID+" in "+r.Zone, st.Text, w)...)
	out = append(out, style.Fact(st, "node", conditions(r), st.Text, w)...)
	if text := m.Reading(); text != "" {
		out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Dim, text).String())
	}
	for _, b := range sc.Blockers {
		if r.Name == "" || b.Node != r.Name {
			continue
		}
		out = append(out, style.NewLine(st, w).String())
		out = append(out, blockerText(m, b, w)...)
	}
	return out
}

func conditions(r *snapshot.NodeRow) string {
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
	return style.List(words)
}

// machineText is the member of the group in a sentence.
func (m *Model) machineText(d *snapshot.NodeDetail, r *snapshot.NodeRow) string {
	mc := d.Machine
	if mc == nil {
		return d.ID + " in " + r.Zone + ": no longer listed by the group"
	}
	if m.Scene.Pool != nil {
		return machineOfPool(mc, m.Scene.Now(m.Opts.Now()))
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
	add(mc.Detached, "detached from its group, which has replaced it")
	template := d.TemplateName
	if template == "" {
		template = mc.Template.ID
	}
	add(template != "", fmt.Sprintf("template %s version %d", template, mc.Template.Version))
	return strings.Join(words, ", ")
}

// nodeText is how the node is, as the cluster has it.
func (d *NodeDialog) nodeText(m *Model, w int) []string {
	st, n := m.Styles, d.Detail.Node
	if n == nil {
		return style.Fact(st, "node", "is not in the cluster", st.Text, w)
	}
	now := m.Scene.Now(m.Opts.Now())
	version := style.ShortVersion(n.Version)
	if d.row.New {
		version += " (new)"
	}
	words, p := []string{version}, st.Text
	switch {
	case !n.Unreachable.IsZero():
		words, p = append(words, "not heard from for "+style.Age(now.Sub(n.Unreachable))), st.Bad
	case !n.Ready:
		words, p = append(words, "not Ready"), st.Warn
	default:
		words = append(words, "Ready")
	}
	if n.Unschedulable {
		words = append(words, "cordoned")
	}
	if !n.Created.IsZero() {
		words = append(words, "joined "+style.Age(now.Sub(n.Created))+" ago")
	}
	out := style.Fact(st, "node", strings.Join(words, ", "), p, w)
	if n.Trouble != "" {
		out = append(out, style.Fact(st, "trouble", n.Trouble, st.Warn, w)...)
	}
	return out
}

// markText is the node's taints, and what else the run has put on it or found there.
func (d *NodeDialog) markText(m *Model, w int) []string {
	st, marks := m.Styles, d.Detail.Marks
	var out, taints []string
	if n := d.Detail.Node; n != nil {
		for _, t := range n.Taints {
			text := t.String()
			is := func(mark snapshot.MarkDetail) bool { return mark.What == "tainted "+text && !mark.Foreign }
			if slices.ContainsFunc(marks, is) {
				marks, text = slices.DeleteFunc(slices.Clone(marks), is), text+" (ours)"
			}
			taints = append(taints, text)
		}
	}
	if len(taints) > 0 {
		out = style.Fact(st, "taints", strings.Join(taints, ", "), st.Text, w)
	}
	if text := marksText(marks); text != "" {
		out = append(out, style.Fact(st, "marks", text, st.Text, w)...)
	}
	return out
}

// marksText says what the run has put on a node, and what it found there and leaves.
func marksText(marks []snapshot.MarkDetail) string {
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
		out = append(out, "not ours, stays: "+strings.Join(foreign, ", "))
	}
	return strings.Join(out, "; ")
}

// fit keeps the cursor's lines in sight.
func (d *NodeDialog) fit(lines, room int, cursor span) {
	if d.cursor != "" && !d.roams && d.Detail != nil {
		d.follow(cursor, room)
	}
	d.reader.fit(lines, room, cursor)
}

func (d *NodeDialog) keys(m *Model, w int) string {
	if d.Detail == nil || len(d.Detail.Pods) == 0 {
		return d.reader.keys(m, w)
	}
	p := d.pod()
	why, budget, log, force, word := "", "", "", "(f", "force)"
	if p != nil && m.whyNotForce(d.target(p)) == "" {
		force, word = "f", "force"
	}
	if p != nil && p.Blocker != nil {
		why = "enter"
	}
	if p != nil && len(p.Budgets) > 0 {
		budget = "b"
	}
	if p != nil && m.Opts.Log != nil {
		log = "L"
	}
	more := ""
	if d.hint() != "" {
		more = "pgdn"
	}
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), "up/down", "pod", why, "why", budget, "PDB", log, "log", force, word, more, "more")
}

func (d *NodeDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	p := d.pod()
	switch k := key.String(); k {
	case "up", "k":
		d.step(-1, k)
	case "down", "j":
		d.step(1, k)
	case "esc", "q":
		m.Close()
	case "enter", "b", "f", "L":
		switch {
		case d.Detail == nil && k == "enter":
			m.Close()
		case p == nil:
			m.refuse("select a pod first (up, down)")
		case k == "f":
			return m.forcePod(d.target(p))
		case k == "L":
			return showLog(m, podlog.PodOf(p.Ref, p.UID, p.Crashing || p.Ref == d.row.CrashLooping))
		case k == "enter" && p.Blocker != nil:
			return m.deeper(&BlockerDialog{Blocker: p.Blocker})
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

func (d *NodeDialog) target(p *snapshot.PodDetail) forceTarget {
	return forceTarget{machine: d.row.ID, node: d.row.Name, pod: p.Ref, uid: p.UID}
}

// step takes the cursor n pods on; where there is no further one the window moves.
func (d *NodeDialog) step(n int, key string) {
	at := d.index()
	switch {
	case d.Detail == nil || len(d.Detail.Pods) == 0:
		d.move(key)
	case at < 0:
		d.cursor, d.roams = d.Detail.Pods[0].UID, false
	case at+n < 0 || at+n >= len(d.Detail.Pods):
		d.roams = d.move(key) || d.roams
	default:
		d.cursor, d.roams = d.Detail.Pods[at+n].UID, false
	}
}

// movesText says whose marks are on a node besides ours.
func (m *Model) movesText(moves []world.Move, w int) []string {
	var out []string
	for _, move := range moves {
		text := string(move.By)
		if move.Guess {
			text += ", inferred"
		}
		text += ": " + move.Means + " (" + move.Mark
		if !move.Since.IsZero() {
			text += ", since " + m.Scene.Since(move.Since)
		}
		text += ")"
		if move.Limit > 0 && move.Told {
			text += fmt.Sprintf(". Its drains take at most %s", move.Limit)
		} else if move.Limit > 0 {
			text += fmt.Sprintf(". Its drains take at most %s by default; its actual setting cannot be read", move.Limit)
		} else if move.Step == world.MoveDraining {
			text += ". Its drain timeout is not known"
		}
		out = append(out, style.Fact(m.Styles, "others", m.Scene.Brief(text), m.Styles.Text, w)...)
	}
	return out
}

// StillReading says that details are still to come.
const StillReading = "reading ..."

// Reading says that details are still to come, and for good if they are not; "" where
// none are to be had.
func (m *Model) Reading() string {
	switch {
	case m.Opts.Look == nil:
		return ""
	case m.Scene.Over():
		return "the run is over: nothing more is read"
	case m.Ended:
		return "the run sends no more updates: nothing more is read"
	}
	return StillReading
}
