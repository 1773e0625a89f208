package ui

import (
	tea "charm.land/bubbletea/v2"
)

// choice is a button of a dialog.
type choice struct {
	key, label string
	do         func(*Model) tea.Cmd
}

// choiceDialog asks a question with a few answers. The first button has the
// focus, so it is the one that a careless enter may press.
type choiceDialog struct {
	scroll
	head    func(*Model) string
	text    func(*Model, int) []string
	choices []choice
	at      int
	// check is called with every snapshot: the question may have changed.
	check func(*Model)
}

func (d *choiceDialog) title(m *Model) string         { return d.head(m) }
func (d *choiceDialog) body(m *Model, w int) []string { return d.text(m, w) }

func (d *choiceDialog) keys(m *Model, w int) string {
	l := newLine(m.st, w)
	for i, c := range d.choices {
		if i > 0 {
			l.space(2)
		}
		if i == d.at {
			l.add(m.st.key, m.st.g.Cursor).add(m.st.selected, "["+c.key+" "+c.label+"]")
		} else {
			l.space(1).add(m.st.key, "["+c.key).add(m.st.text, " "+c.label+"]")
		}
	}
	if hint := d.hint(); hint != "" && l.left() > width(hint)+2 {
		l.to(w-width(hint)).add(m.st.dim, hint)
	}
	return l.String()
}

func (d *choiceDialog) key(m *Model, key tea.KeyPressMsg) tea.Cmd {
	k := key.String()
	if k == "enter" { // presses the button that has the focus, whichever has it for its key
		m.close()
		return d.choices[d.at].do(m)
	}
	for _, c := range d.choices {
		if c.key == k {
			m.close()
			return c.do(m)
		}
	}
	switch k {
	case "esc", "q":
		m.close()
	case "left", "h", "shift+tab":
		d.at = (d.at + len(d.choices) - 1) % len(d.choices)
	case "right", "l", "tab":
		d.at = (d.at + 1) % len(d.choices)
	default:
		d.move(k)
	}
	return nil
}

func (d *choiceDialog) refresh(m *Model) {
	if d.check != nil {
		d.check(m)
	}
}

func nothing(*Model) tea.Cmd { return nil }
