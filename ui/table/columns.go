package table

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/ui/scene"
	"github.com/drainboard/drainboard/ui/style"
)

// Column is what a cell of a row tells.
type Column int

const (
	Name Column = iota
	Zone
	Stage
	Version
	Machine // the instance id, in the wide form
	Batch   // the number of the batch, in the wide form
	Since   // how long the node has been at its stage, in the wide form
	Pods
	Wait // what the time left is of
	Left // the time left
	Flag
	Note
)

// cell is a column and its width.
type cell struct {
	Column
	w int
}

// Columns are the cells of a row, from left to right, with a space between two.
type Columns struct {
	cells []cell
	// Marks: a cell before the name tells which nodes are marked.
	Marks bool
	// Whole: no column that every row should have is missing, and no name is cut.
	Whole bool

	glyph, fresh, fullZone bool
	bar                    int // cells of the bar in Pods, 0 for none
}

// Form is what columns are chosen for, beside the width.
type Form struct {
	// Zones: the rows are of several zones, and each names its own. Wide: also what is not
	// needed at a glance. Marks: rows have a mark.
	Zones, Wide, Marks bool
}

// The least widths of cells.
const (
	leastName  = 12
	stageWidth = 11 // "terminating", "hooks asked"
	podsWidth  = 5  // 12/17
	shortWait  = 9  // "new nodes"; longer ones in their short form
	longWait   = 14 // "drain deadline"
	leftWidth  = 5  // 14:50
	longLeft   = 7  // 1:04:22
	leastBar   = 5
	mostBar    = 10
	leastNote  = 12
)

// For divides w cells. The name is whole before anything else; then come, while there is
// room: stage, pods and time left, zone, wait, version, the bar of the pods, and what is
// only convenient.
func For(sc *scene.Scene, w int, f Form) Columns {
	var width [Note + 1]int
	c := Columns{Marks: f.Marks}
	width[Name], width[Stage], width[Pods], width[Left], width[Flag] = sc.NameWidth, stageWidth, podsWidth, leftWidth, 1
	room := w - 1 - 1 - stageWidth - 1 - podsWidth - 1 - leftWidth - 1 - 1
	if f.Marks {
		room--
	}
	if width[Name] > room {
		width[Name] = max(room, min(leastName, w-1))
	}
	room -= width[Name]
	give := func(col Column, n int) bool {
		more := n - width[col]
		if width[col] == 0 {
			more++
		}
		if more > room || n == 0 {
			return false
		}
		width[col], room = n, room-more
		return true
	}
	version := min(max(style.Width(style.ShortVersion(style.Clean(sc.From))), style.Width(style.ShortVersion(style.Clean(sc.To))), 7), 14)
	whole := width[Name] == sc.NameWidth
	if f.Zones {
		whole = give(Zone, max(sc.ShortZoneWidth, 4)) && whole
	}
	whole = give(Wait, shortWait) && whole
	whole = give(Version, version) && whole
	if give(Pods, podsWidth+1+leastBar) {
		c.bar = leastBar
	}
	c.Whole = whole && c.bar > 0
	if give(Stage, stageWidth+2) {
		c.glyph = true
	}
	if c.bar > 0 && give(Pods, podsWidth+2+1+c.bar) { // 110/110
		if give(Left, longLeft) && give(Wait, longWait) && width[Version] > 0 && give(Version, version+4) {
			c.fresh = true
		}
	}
	if f.Zones && width[Zone] > 0 && c.fresh && room >= 3*leastNote && give(Zone, max(sc.ZoneWidth, 4)) {
		c.fullZone = true
	}
	if f.Wide {
		give(Machine, sc.MachineWidth)
		give(Since, 5)
		give(Batch, 5)
	}
	if c.fresh && room >= 3*leastNote && give(Pods, podsWidth+2+1+mostBar) {
		c.bar = mostBar
	}
	if room > leastNote {
		width[Note], room = room-1, 0
	}
	if c.fresh && width[Note] > 40 {
		width[Left], width[Note] = 9, width[Note]-9+longLeft
	}
	for col, n := range width {
		if n > 0 {
			c.cells = append(c.cells, cell{Column(col), n})
		}
	}
	return c
}

// Has reports whether a column is shown.
func (c *Columns) Has(col Column) bool { return c.width(col) > 0 }

// width is that of a column, 0 if it is not shown.
func (c *Columns) width(col Column) int {
	for _, cell := range c.cells {
		if cell.Column == col {
			return cell.w
		}
	}
	return 0
}

// headings are the words above the columns; the second, if any, where the first has no room.
var headings = map[Column][]string{Name: {"NAME"}, Zone: {"ZONE"}, Stage: {"STAGE"}, Version: {"VERSION"}, Machine: {"INSTANCE"}, Batch: {"BATCH"}, Since: {"SINCE"},
	Pods: {"PODS LEFT", "PODS"}, Wait: {"WAIT"}, Left: {"TIME LEFT", "LEFT"}, Note: {"NOTE"}}

// onTheRight are the columns whose text ends at their right edge.
var onTheRight = []Column{Pods, Left, Batch, Since}

// Heading is the line above the rows; the column by which they are sorted has an arrow, if
// there is one.
func (c *Columns) Heading(st *style.Styles, w int, sorted Column, arrow string) string {
	l := style.NewLine(st, w).Space(1)
	if c.Marks {
		l.Space(1)
	}
	for i, cell := range c.cells {
		if i > 0 {
			l.Space(1)
		}
		mark := ""
		if cell.Column == sorted {
			mark = arrow
		}
		text := ""
		for _, word := range headings[cell.Column] {
			if text = word + mark; style.Width(text) <= cell.w {
				break
			}
		}
		if mark != "" && style.Width(text) > cell.w {
			text = style.Cut(strings.TrimSuffix(text, mark), max(cell.w-style.Width(mark), 0), "") + mark
		}
		p := st.Dim
		if mark != "" {
			p = st.Key
		}
		if slices.Contains(onTheRight, cell.Column) && !(cell.Column == Pods && c.bar > 0) {
			l.Right(p, text, cell.w)
		} else {
			l.Fit(p, text, cell.w)
		}
	}
	return l.String()
}

// At is the column at a cell of a line.
func (c *Columns) At(x int) (Column, bool) {
	x--
	if c.Marks {
		x--
	}
	for _, cell := range c.cells {
		if x >= 0 && x < cell.w {
			return cell.Column, true
		}
		x -= cell.w + 1
	}
	return 0, false
}
