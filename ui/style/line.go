package style

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Line builds one line of the screen, w cells wide. All text on the screen goes
// through line.add, which lets nothing pass that could move the cursor, change a
// colour or hide a letter: strings from the cluster are cleaned where they enter
// the world, and once more here because this is the last place that can.
type Line struct {
	Styles     *Styles
	b          strings.Builder
	Width, Col int
	// Over, if set, replaces all other pens: the row under the cursor.
	Over *Pen
}

func NewLine(st *Styles, w int) *Line { return &Line{Styles: st, Width: max(w, 0)} }

// Add writes text with a pen, cut to the room that is left.
func (l *Line) Add(p Pen, text string) *Line { return l.write(p, text, l.Width-l.Col) }

// Begin writes the mark of a line: the cursor, or a blank, which needs no colour.
func (l *Line) Begin(mark string) *Line {
	if mark == " " {
		return l.Space(1)
	}
	return l.Add(l.Styles.Focus, mark)
}

// Fit writes text in exactly w cells, cut or filled with spaces on the right.
func (l *Line) Fit(p Pen, text string, w int) *Line {
	end := l.Col + w
	return l.write(p, text, w).To(end)
}

// Right writes text in exactly w cells, filled with spaces on the left.
func (l *Line) Right(p Pen, text string, w int) *Line {
	text = Clean(text)
	return l.Space(w-Width(text)).write(p, text, w)
}

// Space writes n spaces.
func (l *Line) Space(n int) *Line {
	if n = min(n, l.Width-l.Col); n > 0 {
		l.raw("", Spaces(n))
		l.Col += n
	}
	return l
}

// To fills up with spaces to a column.
func (l *Line) To(column int) *Line { return l.Space(column - l.Col) }

// Left is how many cells are still free.
func (l *Line) Left() int { return l.Width - l.Col }

// String is the line, filled up to its width.
func (l *Line) String() string {
	l.To(l.Width)
	return l.b.String()
}

func (l *Line) write(p Pen, text string, w int) *Line {
	text = Clean(text)
	w = min(w, l.Width-l.Col)
	if w <= 0 || text == "" {
		return l
	}
	n := Width(text)
	if n > w {
		text = Cut(text, w, l.Styles.Glyphs.Ellipsis)
		n = Width(text)
	}
	l.raw(p, text)
	l.Col += n
	return l
}

func (l *Line) raw(p Pen, text string) {
	if l.Over != nil {
		p = *l.Over
	}
	if p == "" {
		l.b.WriteString(text)
		return
	}
	l.b.WriteString(string(p))
	l.b.WriteString(text)
	l.b.WriteString(ansi.ResetStyle)
}

var blank = strings.Repeat(" ", 512)

func Spaces(n int) string {
	if n <= len(blank) {
		return blank[:max(n, 0)]
	}
	return strings.Repeat(" ", n)
}

// Repeat is a one-cell glyph n times.
func Repeat(glyph string, n int) string { return strings.Repeat(glyph, max(n, 0)) }
