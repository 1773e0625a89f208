package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/assess/blockers"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// reader is what dialogs share that are only read.
type reader struct{ scroll }

func (d *reader) keys(m *Model, w int) string {
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), d.moreKey(), "more")
}

// moreKey is the key that shows more of a body that does not fit, "" for one that does.
func (d *reader) moreKey() string {
	if d.hint() == "" {
		return ""
	}
	return "up/down"
}

func (d *reader) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch k := key.String(); k {
	case "esc", "enter", "q":
		m.Close()
	default:
		d.move(k)
	}
	return nil
}

func (d *reader) refresh(*Model) {}

// history is the last events that concern something.
func history(m *Model, w int, about func(*record.Event) bool) []string {
	const most = 12
	var found []*record.Event
	for i := len(m.Scene.Events) - 1; i >= 0 && len(found) < most; i-- {
		if e := &m.Scene.Events[i]; about(e) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	out := []string{style.NewLine(m.Styles, w).String(), style.NewLine(m.Styles, w).Add(m.Styles.Title, "what happened").String()}
	for i := len(found) - 1; i >= 0; i-- {
		e := found[i]
		lk := m.Scene.EventLook(m.Styles, e)
		out = append(out, style.Paragraph(m.Styles, lk.Pen, e.Time.In(m.Opts.Now().Location()).Format("15:04:05")+" "+lk.Glyph, m.Scene.EventText(e), w)...)
	}
	return out
}

// BlockerDialog shows all that is known of what keeps a pod on its node.
type BlockerDialog struct {
	reader
	Blocker *blockers.Blocker
	gone    bool // it does not block any more
}

func (d *BlockerDialog) Title(*Model) string { return d.Blocker.Pod }

func (d *BlockerDialog) refresh(m *Model) {
	d.gone = true
	for _, b := range m.Scene.Blockers {
		if scene.BlockerKey(b) == scene.BlockerKey(d.Blocker) {
			d.Blocker, d.gone = b, false
		}
	}
	if p := podInSight(m.Scene, d.Blocker.UID); d.gone && p != nil && p.Blocker != nil {
		d.Blocker, d.gone = p.Blocker, false
	}
}

func (d *BlockerDialog) Body(m *Model, w int) []string {
	var out []string
	if d.gone {
		out = style.Paragraph(m.Styles, m.Styles.Warn, m.Styles.Glyphs.Warning, "no longer blocked; this is its last known state", w)
	}
	out = append(out, blockerText(m, d.Blocker, w)...)
	return append(out, history(m, w, func(e *record.Event) bool { return e.Pod == d.Blocker.Pod })...)
}

func (d *BlockerDialog) keys(m *Model, w int) string {
	budget, force, word := "", "f", "force"
	if len(d.Blocker.Budgets) > 0 {
		budget = "b"
	}
	if m.whyNotForce(d.target()) != "" {
		force, word = "(f", "force)"
	}
	row := m.Scene.Row(d.Blocker.Machine)
	possible := func(key, word string) (string, string) {
		if m.notAtNode(key, row) != "" {
			return "(" + key, word + ")"
		}
		return key, word
	}
	extend, more := possible("e", "extend")
	skip, leave := possible("s", "skip")
	return style.KeyLine(m.Styles, w, "esc", m.backLabel(), budget, "PDB", force, word, "y", "copy", extend, more, skip, leave, d.moreKey(), "more")
}

func (d *BlockerDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "b":
		return m.openBudgets(d.Blocker.Pod, d.Blocker.Budgets)
	case "f":
		return m.forcePod(d.target())
	case "e", "s":
		return m.atNode(key.String(), d.Blocker.Machine)
	}
	return d.reader.key(m, key)
}

func (d *BlockerDialog) target() forceTarget {
	b := d.Blocker
	return forceTarget{machine: b.Machine, node: b.Node, pod: b.Pod, uid: b.UID}
}

// blockerText is a blocker as a list of facts.
func blockerText(m *Model, b *blockers.Blocker, w int) []string {
	st, sc := m.Styles, m.Scene
	now := sc.Now(m.Opts.Now())
	out := style.Fact(st, "pod", b.Pod, st.Title, w)
	if b.Owner != "" {
		out = append(out, style.Fact(st, "owner", b.Owner, st.Text, w)...)
	}
	out = append(out, style.Fact(st, "on", sc.NodeName(b.Node), st.Text, w)...)
	out = append(out, style.Fact(st, "blocked by", st.Glyphs.Blocked+" "+string(b.Kind), st.Warn, w)...)
	for _, v := range b.Budgets {
		text := fmt.Sprintf("%s: allows %d, %d healthy of %d, %d required", v.Ref, v.Allowed, v.Healthy, v.Expected, v.Desired)
		if v.Expression != "" {
			text += " (" + v.Expression + ")"
		}
		out = append(out, style.Fact(st, "PDB", text, st.Text, w)...)
	}
	if b.Detail != "" {
		out = append(out, style.Fact(st, "why", sc.Brief(b.Detail), st.Text, w)...)
	}
	var tries []string
	if b.Tries > 0 {
		tries = append(tries, fmt.Sprintf("%d refused", b.Tries))
	}
	if !b.Since.IsZero() {
		tries = append(tries, "for "+style.Countdown(now.Sub(b.Since)))
	}
	if b.Next.After(now) && sc.Evicts() {
		tries = append(tries, "again in "+style.Countdown(b.Next.Sub(now)))
	}
	if len(tries) > 0 {
		out = append(out, style.Fact(st, "tries", strings.Join(tries, ", "), st.Text, w)...)
	}
	if b.Deadline != nil {
		left, still := sc.Remaining(b.Deadline, m.Opts.Now())
		text := scene.DeadlineWord(b) + style.Countdown(left)
		if still {
			text += ", stopped"
		}
		out = append(out, style.Fact(st, "deadline", text, st.Text, w)...)
		if b.Deadline.Basis != "" {
			out = append(out, style.Fact(st, "because", b.Deadline.Basis, st.Dim, w)...)
		}
	}
	if b.WayOut != "" {
		out = append(out, style.Fact(st, "way out", m.Scene.WayOut(b.WayOut), st.Good, w)...)
	}
	if b.Command != "" {
		out = append(out, style.Fact(st, "command", b.Command, st.Text, w)...)
	}
	return out
}

// eventDialog shows one line of the log whole, with the command that does the same.
type eventDialog struct {
	reader
	event record.Event
	told  []record.Event // all that its line tells
}

func (d *eventDialog) Title(m *Model) string {
	return d.event.Time.In(m.Opts.Now().Location()).Format("2006-01-02 15:04:05")
}

func (d *eventDialog) Body(m *Model, w int) []string {
	st, e := m.Styles, &d.event
	lk := m.Scene.EventLook(m.Styles, e)
	out := style.Paragraph(st, lk.Pen, lk.Glyph, m.Scene.EventText(e), w)
	if len(d.told) > 1 {
		var nodes []string
		for _, t := range d.told {
			nodes = append(nodes, m.Scene.NodeName(t.Node))
		}
		out = style.Paragraph(st, lk.Pen, lk.Glyph, m.Scene.FoldedText(d.told)+": "+strings.Join(nodes, ", "), w)
	}
	out = append(out, style.NewLine(st, w).String())
	for _, f := range [][2]string{{"node", e.Node}, {"zone", e.Zone}, {"pod", e.Pod}, {"PDB", e.Budget}, {"phase", e.Phase}, {"reason", e.Reason}} {
		if f[1] != "" && (len(d.told) <= 1 || f[0] != "node" && f[0] != "zone") {
			out = append(out, style.Fact(st, f[0], f[1], st.Text, w)...)
		}
	}
	which := "equivalent command"
	if len(d.told) > 1 {
		which += " for " + m.Scene.NodeName(e.Node)
	}
	if e.Command != "" {
		out = append(out, style.NewLine(st, w).String(), style.NewLine(st, w).Add(st.Title, which).String())
		out = append(out, style.Paragraph(st, st.Text, "$", e.Command, w)...)
	}
	return out
}
