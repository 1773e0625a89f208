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
	if h := d.hint(); h != "" {
		return keyLine(m.st, w, "esc", "close", "up/down", "more")
	}
	return keyLine(m.st, w, "esc", "close")
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

// nodeDialog shows all that is known of a node.
type nodeDialog struct {
	reader
	row *engine.NodeRow
}

func (d *nodeDialog) title(m *Model) string {
	if d.row.Name == "" {
		return d.row.ID
	}
	return d.row.Name
}

// refresh takes the new row; of a node that is gone the last one stays.
func (d *nodeDialog) refresh(m *Model) {
	if r := m.sc.row(d.row.ID); r != nil {
		d.row = r
	}
}

func (d *nodeDialog) body(m *Model, w int) []string {
	st, sc, r := m.st, m.sc, d.row
	now := m.opts.Now()
	lk := st.stages[r.Stage]
	stage := lk.glyph + " " + string(r.Stage)
	if !r.Since.IsZero() {
		stage += " for " + countdown(sc.now(now).Sub(r.Since))
	}
	if sc.row(r.ID) == nil {
		stage = "gone; this is the last that was known"
	}
	out := named(st, "stage", stage, lk.pen, w)
	if r.Note != "" {
		out = append(out, named(st, "note", r.Note, st.warn, w)...)
	}
	if r.Wait != nil {
		left, still := sc.remaining(r.Wait, now)
		text := fmt.Sprintf("%s: %s left", r.Wait.For, countdown(left))
		if still {
			text += ", stands still"
		}
		out = append(out, named(st, "waits", text, st.text, w)...)
	}
	if r.Pods > 0 {
		out = append(out, named(st, "pods", fmt.Sprintf("%d of %d have still to leave", r.PodsLeft, r.Pods), st.text, w)...)
	}
	version := shortVersion(r.Version)
	if r.New {
		version += " (new)"
	}
	out = append(out, named(st, "version", version, st.text, w)...)
	out = append(out, named(st, "machine", r.ID+" in "+r.Zone, st.text, w)...)
	if r.Batch > 0 {
		out = append(out, named(st, "batch", fmt.Sprint(r.Batch), st.text, w)...)
	}
	out = append(out, named(st, "node", conditions(r), st.text, w)...)
	for _, b := range sc.Blockers {
		if r.Name == "" || b.Node != r.Name {
			continue
		}
		out = append(out, newLine(st, w).String())
		out = append(out, blockerText(m, b, w)...)
	}
	return append(out, history(m, w, func(e *engine.Event) bool { return r.Name != "" && e.Node == r.Name || e.Node == r.ID })...)
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
	return list(words)
}

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
		lk := eventLook(m.st, e)
		out = append(out, para(m.st, lk.pen, e.Time.In(m.opts.Now().Location()).Format("15:04:05")+" "+lk.glyph, m.sc.eventText(e), w)...)
	}
	return out
}

// blockerDialog shows all that is known of what keeps a pod on its node.
type blockerDialog struct {
	reader
	blocker *engine.Blocker
}

func (d *blockerDialog) title(*Model) string { return d.blocker.Pod }

func (d *blockerDialog) refresh(m *Model) {
	for _, b := range m.sc.Blockers {
		if blockerKey(b) == blockerKey(d.blocker) {
			d.blocker = b
		}
	}
}

func (d *blockerDialog) body(m *Model, w int) []string {
	out := blockerText(m, d.blocker, w)
	return append(out, history(m, w, func(e *engine.Event) bool { return e.Pod == d.blocker.Pod })...)
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
		text := countdown(left) + " left"
		if still {
			text += ", stands still"
		}
		out = append(out, named(st, "deadline", text, st.text, w)...)
	}
	if b.WayOut != "" {
		out = append(out, named(st, "way out", sc.brief(b.WayOut), st.good, w)...)
	}
	return out
}
