package ui

import "github.com/drainboard/drainboard/engine"

// helpDialog lists every key, with the reason where it does nothing now, and what
// the signs mean.
type helpDialog struct{ reader }

func (d *helpDialog) title(*Model) string { return "Help" }

// around are the keys that move, which are on no other list.
var around = [][2]string{
	{"up down j k", "move; left and right change the zone"},
	{"pgup pgdn g G", "move further"},
	{"esc", "drop the cursor: the panes follow what happens"},
	{"ctrl+c", "abort; a second time: stop at once"},
}

func (d *helpDialog) body(m *Model, w int) []string {
	st := m.st
	const column = 15
	var out []string
	line := func(p pen, key, text string) {
		for i, part := range wrap(text, w-column) {
			l := newLine(st, w)
			if i == 0 {
				l.add(p, key)
			}
			out = append(out, l.to(column).add(st.text, part).String())
		}
	}
	for _, a := range m.actions {
		why := m.why(a)
		if why == "" {
			line(st.key, a.show, a.help)
			continue
		}
		line(st.off, "("+a.show+")", a.help)
		out = append(out, newLine(st, w).to(column).add(st.warn, "not now: "+why).String())
	}
	for _, k := range around {
		line(st.key, k[0], k[1])
	}
	out = append(out, newLine(st, w).String(), newLine(st, w).add(st.title, "signs").String())
	l := newLine(st, w)
	for _, s := range []engine.Stage{engine.Outdated, engine.Queued, engine.Draining, engine.Settling, engine.Terminating, engine.Replaced,
		engine.Launching, engine.Ready, engine.Surplus, engine.Unreachable, engine.NodeFail, engine.Skipped} {
		if l.left() < 14 {
			out, l = append(out, l.String()), newLine(st, w)
		}
		lk := st.stages[s]
		l.fit(lk.pen, lk.glyph+" "+string(s), 14)
	}
	out = append(out, l.String())
	out = append(out, newLine(st, w).add(st.warn, st.g.Blocked).add(st.text, " blocked: only a person or time can change it").String())
	return append(out, newLine(st, w).add(st.text, "3/17 pods: 3 of 17 have still to leave").String())
}
