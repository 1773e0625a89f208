package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine"
)

// menu lists everything that can be done here, with the reason where it cannot be
// now; typing narrows it, and enter does what is chosen.
type menu struct {
	input textinput.Model
	at    string // the name of the action under the cursor
	// long has the menu explain itself: what each key does, and what the signs mean.
	long bool
	top  int
	from int // the lines of the action under the cursor
	till int
}

func newMenu(long bool) *menu { return &menu{input: newInput(60), long: long} }

func (d *menu) title(*Model) string {
	if d.long {
		return "What can be done here"
	}
	return "Do what?"
}

// entries are the actions that have all the words typed.
func (d *menu) entries(m *Model) []*action {
	words := strings.Fields(strings.ToLower(d.input.Value()))
	var out []*action
	for _, a := range m.actions {
		text := strings.ToLower(a.name + " " + a.show + " " + a.help)
		if (d.long || a.do != nil) && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			out = append(out, a)
		}
	}
	return out
}

// chosen is the action under the cursor, the first one without.
func (d *menu) chosen(list []*action) *action {
	for _, a := range list {
		if a.name == d.at {
			return a
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return nil
}

func (d *menu) body(m *Model, w int) []string {
	st := m.st
	l := newLine(st, w).add(st.key, ": ")
	typeCells(l, d.input, min(l.left(), 40))
	out := []string{l.String(), newLine(st, w).String()}
	list := d.entries(m)
	chosen := d.chosen(list)
	if chosen == nil {
		return append(out, newLine(st, w).add(st.dim, "nothing is called that").String())
	}
	for _, a := range list {
		if a == chosen {
			d.from = len(out)
		}
		out = append(out, d.entry(m, a, a == chosen, w)...)
		if a == chosen {
			d.till = len(out)
		}
	}
	if d.long && d.input.Value() == "" {
		out = append(out, legend(st, w)...)
	}
	return out
}

// entry is an action with its key, what it does, and why not now.
func (d *menu) entry(m *Model, a *action, chosen bool, w int) []string {
	st := m.st
	const column = 14
	why := m.why(a)
	key, p, mark := a.show, st.key, " "
	if why != "" {
		key, p = "("+a.show+")", st.off
	}
	if chosen {
		mark = st.g.Cursor
	}
	start := func(mark string) *line {
		l := newLine(st, w)
		if chosen {
			l.over = &st.cursor
		}
		return l.begin(mark)
	}
	if !d.long {
		l := start(mark).fit(p, key, column-2).space(1)
		if why == "" {
			l.add(st.text, a.name)
		} else {
			l.add(st.off, a.name).add(st.warn, "  not now: "+why)
		}
		return []string{l.String()}
	}
	var out []string
	for i, part := range wrap(a.help, w-column) {
		l := start(" ")
		if i == 0 {
			l = start(mark).add(p, key)
		}
		out = append(out, l.to(column).add(st.text, part).String())
	}
	if why != "" {
		for _, part := range wrap("not now: "+why, w-column) {
			out = append(out, start(" ").to(column).add(st.warn, part).String())
		}
	}
	return out
}

// legend says what the signs mean.
func legend(st *styles, w int) []string {
	out := []string{newLine(st, w).String(), newLine(st, w).add(st.title, "signs").String()}
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

// window keeps the action under the cursor in sight.
func (d *menu) window(body []string, room int) []string {
	most := max(len(body)-room, 0)
	d.top = min(max(d.top, d.till-room), d.from, most)
	if d.from <= 2 {
		d.top = 0
	}
	return body[d.top:min(d.top+room, len(body))]
}

func (d *menu) keys(m *Model, w int) string {
	return keyLine(m.st, w, "enter", "do it", "up/down", "choose", "esc", "close")
}

func (d *menu) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	list := d.entries(m)
	chosen := d.chosen(list)
	at := slices.Index(list, chosen)
	switch k := key.String(); k {
	case "esc":
		m.close()
		return nil
	case "enter":
		if chosen == nil || chosen.do == nil {
			return nil
		}
		if m.why(chosen) == "" {
			m.close()
		}
		return m.do(chosen)
	case "up", "ctrl+p", "shift+tab":
		at--
	case "down", "ctrl+n", "tab":
		at++
	case "pgup":
		at -= 8
	case "pgdown":
		at += 8
	default:
		d.input, _ = d.input.Update(key)
		d.at, d.top = "", 0
		return nil
	}
	if len(list) > 0 {
		d.at = list[min(max(at, 0), len(list)-1)].name
	}
	return nil
}

func (d *menu) paste(msg tea.PasteMsg) { d.input, _ = d.input.Update(msg) }

func (d *menu) refresh(*Model) {}
