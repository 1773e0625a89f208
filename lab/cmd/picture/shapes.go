package main

import (
	"bytes"
	"fmt"
	"image/color"
)

// arms are the lines of a box drawing sign, from the middle of its cell up, right,
// down and left: 0 none, 1 light, 2 heavy.
var arms = map[rune][4]int{
	'─': {0, 1, 0, 1}, '│': {1, 0, 1, 0}, '┌': {0, 1, 1, 0}, '┐': {0, 0, 1, 1}, '└': {1, 1, 0, 0}, '┘': {1, 0, 0, 1},
	'├': {1, 1, 1, 0}, '┤': {1, 0, 1, 1}, '┬': {0, 1, 1, 1}, '┴': {1, 1, 0, 1}, '┼': {1, 1, 1, 1},
	'╵': {1, 0, 0, 0}, '╶': {0, 1, 0, 0}, '╷': {0, 0, 1, 0}, '╴': {0, 0, 0, 1},
	'━': {0, 2, 0, 2}, '┃': {2, 0, 2, 0}, '┏': {0, 2, 2, 0}, '┓': {0, 0, 2, 2}, '┗': {2, 2, 0, 0}, '┛': {2, 0, 0, 2},
	'┣': {2, 2, 2, 0}, '┫': {2, 0, 2, 2}, '┳': {0, 2, 2, 2}, '┻': {2, 2, 0, 2}, '╋': {2, 2, 2, 2},
}

const (
	up = iota
	right
	down
	left
)

// curves are the round corners of a frame, from the corner of the cell's middle.
var curves = map[rune]string{
	'╭': "m4 17v-4.5q0-4 4-4", '╮': "m0 8.5q4 0 4 4v4.5", '╯': "m4 0v4.5q0 4-4 4", '╰': "m4 0v4.5q0 4 4 4",
}

// dashes are lines with gaps: how many, and whether they are heavy.
var dashes = map[rune]struct{ n, weight int }{'╌': {2, 1}, '╍': {2, 2}, '┄': {3, 1}, '┅': {3, 2}, '┈': {4, 1}, '┉': {4, 2}}

// block is a part of a cell that is painted, in eighths, and how densely, in
// quarters.
type block struct{ left, top, right, bottom, density int }

var blocks = func() map[rune]block {
	m := map[rune]block{'█': {0, 0, 8, 8, 4}, '▓': {0, 0, 8, 8, 3}, '▒': {0, 0, 8, 8, 2}, '░': {0, 0, 8, 8, 1}, '▀': {0, 0, 8, 4, 4}, '▐': {4, 0, 8, 8, 4}}
	for i, r := range []rune("▁▂▃▄▅▆▇") {
		m[r] = block{0, 7 - i, 8, 8, 4}
	}
	for i, r := range []rune("▉▊▋▌▍▎▏") {
		m[r] = block{0, 0, 7 - i, 8, 4}
	}
	return m
}()

// drawn reports whether writeShapes draws a sign; the others are left to the font.
func drawn(r rune) bool {
	_, arm := arms[r]
	_, curve := curves[r]
	_, dash := dashes[r]
	_, block := blocks[r]
	return arm || curve || dash || block
}

// stroke is how a line is painted.
type stroke struct {
	colour color.RGBA
	weight int
}

// span is a line from one place to another in half cells, along its row or column.
type span struct{ at, from, to int }

// lines are those of one stroke: straight ones, joined from cell to cell, and
// other paths.
type lines struct {
	across, down []span
	paths        bytes.Buffer
}

// join adds a piece to the line that ends where it begins, or begins one.
func join(spans []span, p span) []span {
	for i := len(spans) - 1; i >= 0; i-- {
		if s := &spans[i]; s.at == p.at && s.to == p.from {
			s.to = p.to
			return spans
		}
	}
	return append(spans, p)
}

// writeShapes draws frames, lines and bars: a path for all lines of one stroke, a
// rectangle for a row of equal blocks.
func writeShapes(b *bytes.Buffer, g grid, on ground) {
	var order []stroke
	all := map[stroke]*lines{}
	of := func(s stroke) *lines {
		if all[s] == nil {
			all[s] = &lines{}
			order = append(order, s)
		}
		return all[s]
	}
	for y, row := range g {
		for x := 0; x < len(row); x++ {
			fill, _ := colours(&row[x], on)
			sign := []rune(row[x].Content)
			if len(sign) != 1 {
				continue
			}
			if bl, ok := blocks[sign[0]]; ok {
				n := 1
				for whole := bl.right-bl.left == 8; whole && x+n < len(row) && row[x+n].Equal(&row[x]); {
					n++
				}
				writeBlock(b, bl, x, y, n, fill)
				x += n - 1
				continue
			}
			if curve, ok := curves[sign[0]]; ok {
				fmt.Fprintf(&of(stroke{fill, 1}).paths, "M%d %d%s", x*cellW, y*cellH, curve)
				continue
			}
			if d, ok := dashes[sign[0]]; ok {
				l := of(stroke{fill, d.weight})
				for i := range d.n {
					fmt.Fprintf(&l.paths, "M%.5g %gh%.2g", (float64(x)+(float64(i)+.15)/float64(d.n))*cellW, middle(2*y+1, cellH), .7*cellW/float64(d.n))
				}
				continue
			}
			arm := arms[sign[0]]
			if w := arm[up]; w > 0 {
				l := of(stroke{fill, w})
				l.down = join(l.down, span{2*x + 1, 2 * y, 2*y + 1})
			}
			if w := arm[left]; w > 0 {
				l := of(stroke{fill, w})
				l.across = join(l.across, span{2*y + 1, 2 * x, 2*x + 1})
			}
			if w := arm[right]; w > 0 {
				l := of(stroke{fill, w})
				l.across = join(l.across, span{2*y + 1, 2*x + 1, 2*x + 2})
			}
			if w := arm[down]; w > 0 {
				l := of(stroke{fill, w})
				l.down = join(l.down, span{2*x + 1, 2*y + 1, 2*y + 2})
			}
		}
	}
	for _, s := range order {
		l := all[s]
		fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="%d" d="`, hex(s.colour), s.weight)
		for _, p := range l.across {
			fmt.Fprintf(b, "M%g %gh%g", middle(p.from, cellW), middle(p.at, cellH), middle(p.to-p.from, cellW))
		}
		for _, p := range l.down {
			fmt.Fprintf(b, "M%g %gv%g", middle(p.at, cellW), middle(p.from, cellH), middle(p.to-p.from, cellH))
		}
		fmt.Fprintf(b, "%s\"/>\n", l.paths.Bytes())
	}
}

// middle is where a number of half cells ends.
func middle(halves, cell int) float64 { return float64(halves*cell) / 2 }

// shadeGap is what is left free above and below a shaded block.
const shadeGap = 3

// writeBlock paints n equal blocks side by side.
func writeBlock(b *bytes.Buffer, bl block, x, y, n int, fill color.RGBA) {
	eighths := func(n, cell int) float64 { return float64(n*cell) / 8 }
	top, high := eighths(8*y+bl.top, cellH), eighths(bl.bottom-bl.top, cellH)
	if bl.density < 4 { // bars below each other are not one
		top, high = top+shadeGap, high-2*shadeGap
	}
	fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="%g" fill="%s"`, eighths(8*x+bl.left, cellW), top,
		eighths(8*(n-1)+bl.right-bl.left, cellW), high, hex(fill))
	if bl.density < 4 {
		fmt.Fprintf(b, ` fill-opacity="%g"`, float64(bl.density)/4)
	}
	b.WriteString("/>\n")
}
