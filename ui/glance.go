package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/ui/glance"
	"github.com/drainboard/drainboard/ui/style"
	"github.com/drainboard/drainboard/ui/term"
)

// The sizes of the group at a glance: from which width on it has a panel beside the table, how
// wide the table stays, and the panel at most.
const (
	glanceWidth = 150
	glanceTable = 100
	glanceMost  = 70
	glanceLeast = 20 // lines of a screen on which it has lines of its own
)

// glancePanel is how wide the panel beside the table is, 0 where there is none: a run has a
// timeline, the table has all its columns in what is left, and the zones have no tables of their own.
func (m *Model) glancePanel(w int) int {
	if w < glanceWidth || m.Height < tallHeight || m.Scene.Total == 0 || m.Scene.State == record.NoRun || m.Nodes.wide || m.Nodes.perZone(m.Scene, w) {
		return 0
	}
	panel := min(w-glanceTable, glanceMost)
	if cols := m.Nodes.columns(m.Scene, w-panel-2, false); !cols.Whole {
		return 0
	}
	return panel
}

// stripHeight is how many lines the strip above the tables has.
func (m *Model) stripHeight(w int) int {
	if m.Height < glanceLeast || m.zoomed {
		return 0
	}
	return len(m.strip(w))
}

// strip is a sign a node, above the tables.
func (m *Model) strip(w int) []string {
	return glance.Strip(m.Scene, m.Styles, w, max(m.Height/9, 1), false)
}

// glanceLines are the panel beside the tables.
func (m *Model) glanceLines(r rect) []string {
	st := m.Styles
	return style.Framed(st, st.Border, "the group", "", "", glance.Panel(m.Scene, st, m.Scene.Now(m.Opts.Now()), r.w-2, r.h-2), r.w, r.h, false)
}

// glanceDialog is the group at a glance where the board has no room for all of it.
type glanceDialog struct{ reader }

func (d *glanceDialog) Title(m *Model) string { return "the group at a glance" }

func (d *glanceDialog) Body(m *Model, w int) []string {
	return glance.Panel(m.Scene, m.Styles, m.Scene.Now(m.Opts.Now()), w, 24)
}

func openGlance(m *Model) tea.Cmd { return m.Open(&glanceDialog{}) }

func notGlance(m *Model) string {
	if m.Scene.Total == 0 || m.Width < term.LeastWidth {
		return "no node is to be replaced"
	}
	return ""
}
