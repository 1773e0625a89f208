package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
)

// A grid is what a terminal shows, line by line. A letter of two cells has an
// empty one behind it.
type (
	grid = [][]cell
	cell = uv.Cell
)

// The size of a cell and of what is around the screen, in pixels, and where in a
// cell the letters stand. The fonts' cells are 0.6 of their size; one of another
// width is stretched to ours by textLength.
const (
	cellW, cellH = 8, 17
	baseline     = 13
	margin       = 12
	fontSize     = "13.3"
	fonts        = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
)

// svg draws a screen. It needs no font: letters are placed run by run, and frames
// and bars are drawn as lines, so that they join in any. There are no styles and no
// scripts in it, which some viewers leave out.
func svg(g grid, on ground, title string) []byte {
	var b bytes.Buffer
	begin(&b, g, on, title)
	writeScreen(&b, g, on)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// film draws one screen after the other, each for some seconds, again and again. A viewer that
// does not animate shows the last one.
func film(frames []grid, on ground, title string) []byte {
	var b bytes.Buffer
	begin(&b, frames[0], on, title)
	for i, g := range frames {
		shown := "hidden"
		if i == len(frames)-1 {
			shown = "visible"
		}
		fmt.Fprintf(&b, `<g visibility="%s">`+"\n", shown)
		values := make([]string, len(frames))
		for j := range values {
			values[j] = "hidden"
		}
		values[i] = "visible"
		fmt.Fprintf(&b, `<animate attributeName="visibility" calcMode="discrete" dur="%ds" repeatCount="indefinite" values="%s"/>`+"\n", len(frames)*frameSeconds, strings.Join(values, ";"))
		writeScreen(&b, g, on)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// frameSeconds is for how long a screen of a film is shown.
const frameSeconds = 3

// begin writes the head of a picture, and the terminal's window.
func begin(b *bytes.Buffer, g grid, on ground, title string) {
	columns := 0
	for _, row := range g {
		columns = max(columns, len(row))
	}
	w, h := columns*cellW+2*margin, len(g)*cellH+2*margin
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", w, h, w, h, escape(title))
	fmt.Fprintf(b, "<title>%s</title>\n", escape(title))
	fmt.Fprintf(b, `<rect x=".5" y=".5" width="%d" height="%d" rx="6" fill="%s" stroke="#7d8590" stroke-opacity=".4"/>`+"\n", w-1, h-1, hex(on.back))
}

// writeScreen draws what a terminal shows.
func writeScreen(b *bytes.Buffer, g grid, on ground) {
	fmt.Fprintf(b, `<g transform="translate(%d %d)">`+"\n", margin, margin)
	writeBacks(b, g, on)
	writeShapes(b, g, on)
	fmt.Fprintf(b, `<g font-family="%s" font-size="%s" fill="%s">`+"\n", fonts, fontSize, hex(on.text))
	for y, row := range g {
		for _, r := range runs(row, on) {
			r.write(b, y, on)
		}
	}
	b.WriteString("</g>\n</g>\n")
}

// writeBacks paints what lies behind the letters: a rectangle for cells of one
// colour side by side, as high as it repeats from line to line.
func writeBacks(b *bytes.Buffer, g grid, on ground) {
	type bar struct {
		x, w int
		fill color.RGBA
	}
	var open, order []bar
	top := map[bar]int{}
	end := func(old bar, y int) {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`+"\n", old.x*cellW, top[old]*cellH, old.w*cellW, (y-top[old])*cellH, hex(old.fill))
		delete(top, old)
	}
	for y := range len(g) + 1 {
		order = order[:0]
		if y < len(g) {
			for x, c := range g[y] {
				_, back := colours(&c, on)
				if n := len(order) - 1; n >= 0 && order[n].x+order[n].w == x && order[n].fill == back {
					order[n].w++
				} else if back != on.back {
					order = append(order, bar{x, 1, back})
				}
			}
		}
		now := map[bar]bool{}
		for _, o := range order {
			now[o] = true
		}
		for _, o := range open {
			if !now[o] {
				end(o, y)
			}
		}
		for _, o := range order {
			if _, ok := top[o]; !ok {
				top[o] = y
			}
		}
		open = append(open[:0], order...)
	}
}

// run is text of one look, of w cells from x on.
type run struct {
	x, w   int
	text   strings.Builder
	fill   color.RGBA
	attrs  uint8
	line   bool // underlined
	symbol bool // a sign that many fonts lack, which is squeezed into its cells
}

// runs are the letters of a line, without what writeShapes draws. Two spaces end a
// run: nothing then depends on how a viewer treats them.
func runs(row []cell, on ground) []*run {
	var out []*run
	var last *run
	for x := range row {
		c := &row[x]
		line := c.Style.Underline != uv.UnderlineNone
		blank := strings.TrimSpace(c.Content) == ""
		if c.Width == 0 || blank && !line || c.Style.Attrs&uv.AttrConceal != 0 {
			continue
		}
		first, _ := utf8.DecodeRuneInString(c.Content)
		if drawn(first) {
			last = nil
			continue
		}
		fill, _ := colours(c, on)
		attrs := c.Style.Attrs & (uv.AttrBold | uv.AttrItalic | uv.AttrStrikethrough)
		symbol := first >= 0x2190 || c.Width > 1
		if last == nil || symbol || last.symbol || last.fill != fill || last.attrs != attrs || last.line != line || x-last.x-last.w > 1 || line && x != last.x+last.w {
			last = &run{x: x, fill: fill, attrs: attrs, line: line, symbol: symbol}
			out = append(out, last)
		}
		last.text.WriteString(strings.Repeat(" ", x-last.x-last.w))
		if blank {
			last.text.WriteString("\u00a0") // a line below nothing
		} else {
			last.text.WriteString(c.Content)
		}
		last.w = x + c.Width - last.x
	}
	return out
}

func (r *run) write(b *bytes.Buffer, y int, on ground) {
	fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d"`, r.x*cellW, y*cellH+baseline, r.w*cellW)
	if r.symbol {
		b.WriteString(` lengthAdjust="spacingAndGlyphs"`)
	}
	if r.fill != on.text {
		fmt.Fprintf(b, ` fill="%s"`, hex(r.fill))
	}
	if r.attrs&uv.AttrBold != 0 {
		b.WriteString(` font-weight="bold"`)
	}
	if r.attrs&uv.AttrItalic != 0 {
		b.WriteString(` font-style="italic"`)
	}
	switch through := r.attrs&uv.AttrStrikethrough != 0; {
	case r.line && through:
		b.WriteString(` text-decoration="underline line-through"`)
	case r.line:
		b.WriteString(` text-decoration="underline"`)
	case through:
		b.WriteString(` text-decoration="line-through"`)
	}
	fmt.Fprintf(b, ">%s</text>\n", escape(r.text.String()))
}

// colours are what a cell's letter and what is behind it are painted with.
func colours(c *cell, on ground) (text, back color.RGBA) {
	text, back = rgb(c.Style.Fg, on.text), rgb(c.Style.Bg, on.back)
	if c.Style.Attrs&uv.AttrReverse != 0 {
		text, back = back, text
	}
	if c.Style.Attrs&uv.AttrFaint != 0 {
		text = mix(text, back)
	}
	return text, back
}

// rgb is a colour, or another one if there is none.
func rgb(c color.Color, none color.RGBA) color.RGBA {
	if c == nil {
		return none
	}
	return color.RGBAModel.Convert(c).(color.RGBA)
}

// mix is half one, half the other.
func mix(a, b color.RGBA) color.RGBA {
	half := func(a, b uint8) uint8 { return uint8((int(a) + int(b)) / 2) }
	return color.RGBA{half(a.R, b.R), half(a.G, b.G), half(a.B, b.B), 0xff}
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
