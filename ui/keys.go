package ui

// navigate handles the keys that move around.
func (m *Model) navigate(key string) {
	switch key {
	case "shift+tab":
		m.focus = m.nextPane(-1)
	case "esc":
		m.back()
	case "up", "k":
		m.move(-1)
	case "down", "j":
		m.move(1)
	case "pgup":
		m.move(-m.pageSize())
	case "pgdown":
		m.move(m.pageSize())
	case "g", "home":
		m.move(-1 << 20)
	case "G", "end":
		m.move(1 << 20)
	case "left", "h":
		if m.focus == nodesPane {
			m.nodes.side(m, -1)
		}
	case "right", "l":
		if m.focus == nodesPane {
			m.nodes.side(m, 1)
		}
	}
}

// back takes back what was chosen last: what is hidden, what is marked, the cursors.
func (m *Model) back() {
	switch {
	case m.focus == logPane && m.log.text != "":
		m.log.search("")
	case m.nodes.filtered():
		m.nodes.text, m.nodes.problems = "", false
		m.nodes.arrange(m.sc)
	case len(m.nodes.marks) > 0:
		m.nodes.marks = nil
	default:
		m.nodes.cursor, m.blockers.cursor, m.log.cursor = "", "", 0
	}
}

func (m *Model) move(n int) {
	switch m.focus {
	case nodesPane:
		m.nodes.move(m, n)
	case blockedPane:
		m.blockers.move(m.sc, n)
	case logPane:
		m.log.move(m.sc, n)
	}
}

func (m *Model) pageSize() int {
	switch m.focus {
	case nodesPane:
		return max(m.nodes.page-1, 1)
	case logPane:
		return max(m.log.page-1, 1)
	}
	return 3
}

// nextPane is the pane n after the one that has the keyboard; the blocked panel is
// passed over while it is not on the screen.
func (m *Model) nextPane(n int) pane {
	p := m.focus
	for {
		p = (p + pane(n) + logPane + 1) % (logPane + 1)
		if p != blockedPane || len(m.sc.Blockers) > 0 || m.plan().mode == single {
			return p
		}
	}
}
