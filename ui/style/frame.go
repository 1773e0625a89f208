package style

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// FrameTop is the upper edge of a frame, with a title and something on the right.
func FrameTop(st *Styles, p Pen, title, right string, w int, focus bool) string {
	g := st.Glyphs.Frame
	l := NewLine(st, w).Add(p, g[0]+g[1]+" ")
	tp := st.Text
	if focus {
		tp = st.Title
	}
	rest := 2
	if right != "" {
		rest = Width(Clean(right)) + 5
	}
	l.write(tp, title, max(w-l.Col-rest-1, 0)).Add(p, " ")
	l.Add(p, Repeat(g[1], w-l.Col-rest))
	if right != "" {
		l.Add(p, " ").Add(st.Dim, right).Add(p, " "+g[1])
	} else {
		l.Add(p, Repeat(g[1], l.Left()-1))
	}
	l.Add(p, Repeat(g[1], l.Left()-1))
	return l.Add(p, g[2]).String()
}

// FrameBottom is the lower edge of a frame, with something on the right.
func FrameBottom(st *Styles, p Pen, right string, w int) string {
	g := st.Glyphs.Frame
	l := NewLine(st, w).Add(p, g[4])
	if right == "" {
		return l.Add(p, Repeat(g[1], w-2)).Add(p, g[5]).String()
	}
	n := min(Width(Clean(right)), w-6)
	return l.Add(p, Repeat(g[1], w-n-5)).Add(p, " ").write(st.Dim, right, n).Add(p, " "+g[1]+g[5]).String()
}

// Framed puts a frame of w by h cells around lines that are w-2 cells wide.
func Framed(st *Styles, p Pen, title, right, bottom string, body []string, w, h int, focus bool) []string {
	if focus {
		p = st.Focus
	}
	side := NewLine(st, 1).Add(p, st.Glyphs.Frame[3]).String()
	out := make([]string, 0, h)
	out = append(out, FrameTop(st, p, title, right, w, focus))
	for i := range h - 2 {
		if i < len(body) {
			out = append(out, side+body[i]+side)
		} else {
			out = append(out, side+Spaces(w-2)+side)
		}
	}
	return append(out, FrameBottom(st, p, bottom, w))
}

// Slice is what a finished line shows from one column to another; a wide letter
// that lies across an edge becomes a space.
func Slice(s string, from, to int) string {
	part := ansi.Cut(s, from, to)
	if ansi.StringWidth(part) > to-from {
		part = " " + ansi.Cut(s, from+1, to)
	}
	return part + Spaces(to-from-ansi.StringWidth(part))
}

// Paragraph is a text wrapped to w cells, after an optional mark that hangs out.
func Paragraph(st *Styles, p Pen, mark, text string, w int) []string {
	indent := Width(mark)
	if mark != "" {
		indent++
	}
	var out []string
	for i, part := range Wrap(text, w-indent) {
		l := NewLine(st, w)
		if i == 0 {
			l.Add(p, mark)
		}
		out = append(out, l.To(indent).Add(p, part).String())
	}
	return out
}

// KeyLine is a line of "key meaning" pairs; pairs without a key are left out, and
// those in brackets are not possible now.
func KeyLine(st *Styles, w int, pairs ...string) string {
	gap, need := 3, -3
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "" {
			need += Width(pairs[i]) + 1 + Width(pairs[i+1]) + gap
		}
	}
	if need > w {
		gap = 2
	}
	l := NewLine(st, w)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "" {
			continue
		}
		if l.Col > 0 {
			l.Space(gap)
		}
		if strings.HasPrefix(pairs[i], "(") {
			l.Add(st.Off, pairs[i]+" "+pairs[i+1])
			continue
		}
		l.Add(st.Key, pairs[i]).Space(1).Add(st.Text, pairs[i+1])
	}
	return l.String()
}

// Fact is a line "name   value" of a list of facts.
func Fact(st *Styles, name, value string, p Pen, w int) []string {
	if st.Plain {
		return Paragraph(st, p, "", name+": "+value, w)
	}
	const column = 12
	var out []string
	for i, part := range Wrap(value, w-column) {
		l := NewLine(st, w)
		if i == 0 {
			l.Add(st.Dim, name)
		}
		out = append(out, l.To(column).Add(p, part).String())
	}
	return out
}

// BannerLine is a text on a line of one colour.
func BannerLine(st *Styles, p Pen, text string, w int) string {
	l := NewLine(st, w)
	l.Over = &p
	return l.Space(1).Add(p, text).String()
}
