package ui

import "github.com/drainboard/drainboard/engine"

// eventDialog shows one line of the log whole, with the command that does the same.
type eventDialog struct {
	reader
	event engine.Event
}

func (d *eventDialog) title(m *Model) string {
	return d.event.Time.In(m.opts.Now().Location()).Format("2006-01-02 15:04:05")
}

func (d *eventDialog) body(m *Model, w int) []string {
	st, e := m.st, &d.event
	lk := m.eventLook(e)
	out := para(st, lk.pen, lk.glyph, m.sc.eventText(e), w)
	out = append(out, newLine(st, w).String())
	for _, f := range [][2]string{{"node", e.Node}, {"zone", e.Zone}, {"pod", e.Pod}, {"budget", e.Budget}, {"phase", e.Phase}, {"reason", e.Reason}} {
		if f[1] != "" {
			out = append(out, named(st, f[0], f[1], st.text, w)...)
		}
	}
	if e.Command != "" {
		out = append(out, newLine(st, w).String(), newLine(st, w).add(st.title, "the same by hand").String())
		out = append(out, para(st, st.text, "$", e.Command, w)...)
	}
	return out
}
