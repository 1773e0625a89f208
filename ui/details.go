package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// reader is what dialogs share that are only read.
type reader struct{ scroll }

func (d *reader) keys(m *Model, w int) string {
	return keyLine(m.st, w, "esc", m.backLabel(), d.moreKey(), "more")
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
		m.close()
	default:
		d.move(k)
	}
	return nil
}

func (d *reader) refresh(*Model) {}

// history is the last events that concern something.
func history(m *Model, w int, about func(*engine.Event) bool) []string {
	const most = 12
	var found []*engine.Event
	for i := len(m.sc.Events) - 1; i >= 0 && len(found) < most; i-- {
		if e := &m.sc.Events[i]; about(e) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return nil
	}
	out := []string{newLine(m.st, w).String(), newLine(m.st, w).add(m.st.title, "what happened").String()}
	for i := len(found) - 1; i >= 0; i-- {
		e := found[i]
		lk := m.eventLook(e)
		out = append(out, para(m.st, lk.pen, e.Time.In(m.opts.Now().Location()).Format("15:04:05")+" "+lk.glyph, m.sc.eventText(e), w)...)
	}
	return out
}

// blockerDialog shows all that is known of what keeps a pod on its node.
type blockerDialog struct {
	reader
	blocker *engine.Blocker
	gone    bool // it does not block any more
}

func (d *blockerDialog) title(*Model) string { return d.blocker.Pod }

func (d *blockerDialog) refresh(m *Model) {
	d.gone = true
	for _, b := range m.sc.Blockers {
		if blockerKey(b) == blockerKey(d.blocker) {
			d.blocker, d.gone = b, false
		}
	}
	if p := m.podInSight(d.blocker.UID); d.gone && p != nil && p.Blocker != nil {
		d.blocker, d.gone = p.Blocker, false
	}
}

func (d *blockerDialog) body(m *Model, w int) []string {
	var out []string
	if d.gone {
		out = para(m.st, m.st.warn, m.st.g.Warning, "it is blocked no longer; this is the last that was known", w)
	}
	out = append(out, blockerText(m, d.blocker, w)...)
	return append(out, history(m, w, func(e *engine.Event) bool { return e.Pod == d.blocker.Pod })...)
}

func (d *blockerDialog) keys(m *Model, w int) string {
	budget, force, word := "", "f", "force"
	if len(d.blocker.Budgets) > 0 {
		budget = "b"
	}
	if m.whyNotForce(d.target()) != "" {
		force, word = "(f", "force)"
	}
	return keyLine(m.st, w, "esc", m.backLabel(), budget, "budget", force, word, d.moreKey(), "more")
}

func (d *blockerDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "b":
		return m.openBudgets(d.blocker.Pod, d.blocker.Budgets)
	case "f":
		return m.forcePod(d.target())
	}
	return d.reader.key(m, key)
}

func (d *blockerDialog) target() forceTarget {
	b := d.blocker
	return forceTarget{machine: b.Machine, node: b.Node, pod: b.Pod, uid: b.UID}
}

// blockerText is a blocker as a list of facts.
func blockerText(m *Model, b *engine.Blocker, w int) []string {
	st, sc := m.st, m.sc
	now := sc.now(m.opts.Now())
	out := named(st, "pod", b.Pod, st.title, w)
	if b.Owner != "" {
		out = append(out, named(st, "owner", b.Owner, st.text, w)...)
	}
	out = append(out, named(st, "on", sc.node(b.Node), st.text, w)...)
	out = append(out, named(st, "blocked by", st.g.Blocked+" "+string(b.Kind), st.warn, w)...)
	for _, v := range b.Budgets {
		text := fmt.Sprintf("%s: allows %d, %d healthy of %d, %d required", v.Ref, v.Allowed, v.Healthy, v.Expected, v.Desired)
		if v.Expression != "" {
			text += " (" + v.Expression + ")"
		}
		out = append(out, named(st, "budget", text, st.text, w)...)
	}
	if b.Detail != "" {
		out = append(out, named(st, "why", sc.brief(b.Detail), st.text, w)...)
	}
	var tries []string
	if b.Tries > 0 {
		tries = append(tries, fmt.Sprintf("%d refused", b.Tries))
	}
	if !b.Since.IsZero() {
		tries = append(tries, "for "+countdown(now.Sub(b.Since)))
	}
	if b.Next.After(now) && sc.acting() {
		tries = append(tries, "again in "+countdown(b.Next.Sub(now)))
	}
	if len(tries) > 0 {
		out = append(out, named(st, "tries", strings.Join(tries, ", "), st.text, w)...)
	}
	if b.Deadline != nil {
		left, still := sc.remaining(b.Deadline, m.opts.Now())
		text := deadlineWord(b) + countdown(left)
		if still {
			text += ", stands still"
		}
		out = append(out, named(st, "deadline", text, st.text, w)...)
		if b.Deadline.Basis != "" {
			out = append(out, named(st, "because", b.Deadline.Basis, st.dim, w)...)
		}
	}
	if b.WayOut != "" {
		out = append(out, named(st, "way out", m.wayOut(b.WayOut), st.good, w)...)
	}
	return out
}
