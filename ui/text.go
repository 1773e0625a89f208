package ui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// line builds one line of the screen, w cells wide. All text on the screen goes
// through line.add, which lets nothing pass that could move the cursor, change a
// colour or hide a letter: strings from the cluster are cleaned where they enter
// the world, and once more here because this is the last place that can.
type line struct {
	st    *styles
	b     strings.Builder
	w, at int
	// over, if set, replaces all other pens: the row under the cursor.
	over *pen
}

func newLine(st *styles, w int) *line { return &line{st: st, w: max(w, 0)} }

// add writes text with a pen, cut to the room that is left.
func (l *line) add(p pen, text string) *line { return l.write(p, text, l.w-l.at) }

// begin writes the mark of a line: the cursor, or a blank, which needs no colour.
func (l *line) begin(mark string) *line {
	if mark == " " {
		return l.space(1)
	}
	return l.add(l.st.focus, mark)
}

// fit writes text in exactly w cells, cut or filled with spaces on the right.
func (l *line) fit(p pen, text string, w int) *line {
	end := l.at + w
	return l.write(p, text, w).to(end)
}

// right writes text in exactly w cells, filled with spaces on the left.
func (l *line) right(p pen, text string, w int) *line {
	text = clean(text)
	return l.space(w-width(text)).write(p, text, w)
}

// space writes n spaces.
func (l *line) space(n int) *line {
	if n = min(n, l.w-l.at); n > 0 {
		l.raw("", spaces(n))
		l.at += n
	}
	return l
}

// to fills up with spaces to a column.
func (l *line) to(column int) *line { return l.space(column - l.at) }

// left is how many cells are still free.
func (l *line) left() int { return l.w - l.at }

// String is the line, filled up to its width.
func (l *line) String() string {
	l.to(l.w)
	return l.b.String()
}

func (l *line) write(p pen, text string, w int) *line {
	text = clean(text)
	w = min(w, l.w-l.at)
	if w <= 0 || text == "" {
		return l
	}
	n := width(text)
	if n > w {
		text = cut(text, w, l.st.g.Ellipsis)
		n = width(text)
	}
	l.raw(p, text)
	l.at += n
	return l
}

func (l *line) raw(p pen, text string) {
	if l.over != nil {
		p = *l.over
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

func spaces(n int) string {
	if n <= len(blank) {
		return blank[:max(n, 0)]
	}
	return strings.Repeat(" ", n)
}

// repeat is a one-cell glyph n times.
func repeat(glyph string, n int) string { return strings.Repeat(glyph, max(n, 0)) }

// width is how many cells a clean text takes.
func width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// cut shortens a clean text to w cells, with an ellipsis at the end.
func cut(s string, w int, ellipsis string) string {
	if width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, ellipsis)
}

// shorten cuts a name in the middle, because names of one kind differ at the end.
func shorten(s string, w int, ellipsis string) string {
	s = clean(s)
	if width(s) <= w || w < 5 {
		return cut(s, w, ellipsis)
	}
	tail := w / 2
	end := ansi.TruncateLeft(s, width(s)-tail, "")
	if width(end) > tail { // a wide letter lay across the edge
		end = ansi.TruncateLeft(s, width(s)-tail+1, "")
	}
	return ansi.Truncate(s, w-1-tail, "") + ellipsis + end
}

// wrap breaks a text into clean lines of at most w cells, at spaces only: a name
// or a flag that is broken at a hyphen can neither be read nor copied. A word
// longer than a line is cut into lines.
func wrap(s string, w int) []string {
	if w < 1 {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(s, "\n") {
		row := ""
		for word := range strings.FieldsSeq(clean(part)) {
			if row != "" && width(row)+1+width(word) <= w {
				row += " " + word
				continue
			}
			if row != "" {
				out = append(out, row)
			}
			pieces := strings.Split(ansi.Hardwrap(word, max(w, 2), false), "\n")
			out, row = append(out, pieces[:len(pieces)-1]...), pieces[len(pieces)-1]
		}
		out = append(out, row)
	}
	return out
}

// replacement stands for what must not reach the terminal.
const replacement = "\uFFFD"

// clean replaces what a terminal would obey or not show: control characters,
// invalid bytes, and marks without a width of their own (bidirectional
// overrides, joiners, variation selectors, combining marks).
func clean(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			if harmless(s) {
				return s
			}
			return strings.Map(func(r rune) rune {
				if shown(r) {
					return r
				}
				return unicode.ReplacementChar
			}, strings.ToValidUTF8(s, replacement))
		}
	}
	return s
}

func harmless(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !shown(r) {
			return false
		}
	}
	return true
}

// shown reports whether a rune is drawn in cells of its own, the same everywhere:
// printable, not a mark, and none of those that join with a neighbour (Hangul
// vowels, regional indicators, skin tones) or look like nothing (fillers).
func shown(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	case r >= 0x115F && r <= 0x11FF, r >= 0xD7B0 && r <= 0xD7FF, r == 0x3164, r == 0xFFA0,
		r >= 0x1F1E6 && r <= 0x1F1FF, r >= 0x1F3FB && r <= 0x1F3FF:
		return false
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.M, r)
}
