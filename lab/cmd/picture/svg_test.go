package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

var update = flag.Bool("update", false, "rewrite testdata")

// screen is what a terminal shows of a text with escape sequences.
func screen(w, h int, text string) grid {
	e := vt.NewEmulator(w, h)
	_, _ = e.WriteString(strings.ReplaceAll(text, "\n", "\r\n"))
	return gridOf(e)
}

// TestSVG holds the file of a small screen with everything in it: frames that
// join, bars, looks, wide letters and what XML must escape.
func TestSVG(t *testing.T) {
	got := svg(screen(26, 9, strings.Join([]string{
		"╭─ a ──────╮╭─ b ──╮",
		"│ plain \x1b[1mbold\x1b[0m││ \x1b[4mu l\x1b[0m  │",
		"├──────────┤│ \x1b[7minv\x1b[0m  │",
		"╰──────────╯╰──────╯",
		"a <b> & \"c\"  \x1b[3mit\x1b[0m \x1b[9mgone\x1b[0m",
		"\x1b[38;5;208mpalette\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[0m \x1b[2mfaint\x1b[0m",
		"\x1b[31m━━━━╌╌\x1b[0m \x1b[34m▓▓▓\x1b[90m░░\x1b[0m ● 世界 ⚑x",
		"\x1b[48;2;16;32;48m \x1b[1mtwo lines\x1b[0m",
		"\x1b[48;2;16;32;48m of one  \x1b[0m\x1b[41m!\x1b[0m",
	}, "\n")), dark, `a "title" & <more>`)
	wellFormed(t, got)
	golden := filepath.Join("testdata", "small.svg")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the file is another than %s:\n%s", golden, got)
	}
}

// wellFormed holds that a file is XML with nothing in it that is fetched or run, and
// with all of it inside the picture.
func wellFormed(t *testing.T, file []byte) (texts int) {
	t.Helper()
	var w, h float64
	d := xml.NewDecoder(bytes.NewReader(file))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		number := map[string]float64{}
		for _, a := range e.Attr {
			var n float64
			if _, err := fmt.Sscan(a.Value, &n); err == nil {
				number[a.Name.Local] = n
			}
		}
		switch e.Name.Local {
		case "svg":
			w, h = number["width"], number["height"]
		case "title", "g", "path", "animate":
		case "rect":
			if number["x"]+number["width"] > w || number["y"]+number["height"] > h {
				t.Errorf("a rectangle leaves the picture: %v", e.Attr)
			}
		case "text":
			texts++
			if number["textLength"] <= 0 || number["x"]+number["textLength"] > w-2*margin || number["y"] > h-2*margin {
				t.Errorf("a text leaves the picture: %v", e.Attr)
			}
		default:
			t.Errorf("what is <%s> for?", e.Name.Local)
		}
	}
}

// Every letter has its place: one text a run, its length that of its cells.
func TestRuns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one two", "0+7 one two"},
		{"one  two", "0+3 one|5+3 two"},
		{"a\x1b[1mb\x1b[0mc", "0+1 a|1+1 b|2+1 c"},
		{"a ● b", "0+1 a|2+1 ●|4+1 b"},
		{"a世b", "0+1 a|1+2 世|3+1 b"},
		{"a─b", "0+1 a|2+1 b"},
		{"\x1b[4ma  b\x1b[0m c", "0+4 a\u00a0\u00a0b|5+1 c"},
		{"\x1b[8msecret\x1b[0m x", "7+1 x"},
		{"", ""},
	} {
		var got []string
		for _, r := range runs(screen(12, 1, c.text)[0], light) {
			got = append(got, fmt.Sprintf("%d+%d %s", r.x, r.w, r.text.String()))
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%q is %q, want %q", c.text, s, c.want)
		}
	}
}

func TestColours(t *testing.T) {
	white, blue := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 200, 255}
	on := ground{text: blue, back: white}
	for _, c := range []struct {
		style      uv.Style
		text, back color.RGBA
	}{
		{uv.Style{}, blue, white},
		{uv.Style{Attrs: uv.AttrReverse}, white, blue},
		{uv.Style{Attrs: uv.AttrFaint}, color.RGBA{127, 127, 227, 255}, white},
		{uv.Style{Fg: color.Gray{9}, Bg: color.Black}, color.RGBA{9, 9, 9, 255}, color.RGBA{0, 0, 0, 255}},
	} {
		if text, back := colours(&cell{Style: c.style}, on); text != c.text || back != c.back {
			t.Errorf("%+v is %v on %v, want %v on %v", c.style, text, back, c.text, c.back)
		}
	}
}
