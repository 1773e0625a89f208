package themes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// example is the first fenced block of docs/reference/config.md that begins with a text.
func example(t *testing.T, begin string) string {
	t.Helper()
	doc, err := os.ReadFile("../docs/reference/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```yaml\n"+begin)
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("docs/reference/config.md has no example that begins with %q", begin)
	}
	return begin + block
}

// The documented example is read, and names everything there is.
func TestTheDocumentedThemeIsComplete(t *testing.T) {
	data := example(t, "based-on:")
	theme, err := Parse("themes/mine.yaml", []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if theme.Name != "mine" || theme.Glyphs != Unicode || theme.Mark != (Style{FG: "232", BG: "212", Bold: true}) || theme.OnLight == nil {
		t.Errorf("read as %+v", theme)
	}
	for k := range fields(Theme{}, Style{}) {
		if !strings.Contains(data, "\n  "+k+": ") {
			t.Errorf("docs/reference/config.md does not name the role %s", k)
		}
	}
	for k := range fields(Glyphs{}, "") {
		if !strings.Contains(data, "\n  "+k+": ") {
			t.Errorf("docs/reference/config.md does not name the glyph %s", k)
		}
	}
	doc, _ := os.ReadFile("../docs/reference/config.md")
	for _, name := range Names() {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/reference/config.md does not name the theme %s", name)
		}
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "night.yaml")
	if err := os.WriteFile(file, []byte("based-on: dark\nroles:\n  good: {fg: \"#ABCDEF\", underline: true}\nglyphs: {done: \"+\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(file)
	want := Dark
	want.Name, want.Good, want.Glyphs.Done = "night", Style{FG: "#abcdef", Underline: true}, "+"
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := Load(file + "x"); !os.IsNotExist(err) {
		t.Errorf("a missing file: %v", err)
	}
}

// What a file says counts on both backgrounds, and on-light on the light one.
func TestAFileCountsOnBothBackgrounds(t *testing.T) {
	blue, red, dim := Style{FG: "#0000ff"}, Style{FG: "#ff0000"}, Style{FG: "#777777"}
	theme, err := Parse("x.yaml", []byte("roles: {good: {fg: \"#0000ff\"}, dim: {fg: \"#777777\"}}\non-light: {good: {fg: \"#ff0000\"}}\nglyphs: {done: \"+\", set: ascii, link: \"=>\"}"))
	if err != nil {
		t.Fatal(err)
	}
	dark, light := theme.On(Terminal{Colours: 256, Dark: true}), theme.On(Terminal{Colours: 256})
	if dark.Good != blue || light.Good != red || dark.Dim != dim || light.Dim != dim {
		t.Errorf("dark: good %v, dim %v; light: good %v, dim %v", dark.Good, dark.Dim, light.Good, light.Dim)
	}
	if dark.Bad != Dark.Bad || light.Bad != Light.Bad {
		t.Error("what the file does not name is not that of auto")
	}
	want := ASCII
	want.Done, want.Link = "+", "=>"
	if dark.Glyphs != want || light.Glyphs != want {
		t.Errorf("glyphs %+v, %+v", dark.Glyphs, light.Glyphs)
	}
	if Light.Good == red || Auto.OnLight.Good == red {
		t.Error("a file changed a built-in theme")
	}
}

func TestABrokenThemeIsToldWithItsLine(t *testing.T) {
	for _, c := range []struct{ data, err string }{
		{"based-on: drak", `x.yaml, line 1: based-on: unknown: "drak"; did you mean "dark"?`},
		{"roles:\n  goood: {fg: 1}", `x.yaml, line 2: roles: unknown: "goood"; did you mean "good"?`},
		{"roles:\n  good: {colour: 1}", `x.yaml, line 2: roles.good: unknown: "colour"; known are bg, bold, faint, fg, invert, underline`},
		{"roles:\n  good:\n    fg: #ff0000", `x.yaml, line 3: roles.good.fg: has no value; a colour is "#rrggbb" or a number from 0 to 255, and needs its quotes: without them # begins a comment`},
		{"roles:\n  good: {fg: red}", `x.yaml, line 2: roles.good.fg: "red" is no colour; a colour is "#rrggbb" or a number from 0 to 255`},
		{"roles:\n  good: {fg: \"#fff\"}", `x.yaml, line 2: roles.good.fg: "#fff" is no colour`},
		{"roles:\n  good: {fg: 256}", `x.yaml, line 2: roles.good.fg: "256" is no colour`},
		{"roles:\n  good: {fg: -1}", `x.yaml, line 2: roles.good.fg: "-1" is no colour`},
		{"roles:\n  good: {bold: 1}", `x.yaml, line 2: roles.good.bold: "1" is neither true nor false`},
		{"roles: {good: red}", `x.yaml, line 1: roles.good: needs keys of its own: bg, bold, faint, fg, invert, underline`},
		{"on-light:\n\n  goood: {}", `x.yaml, line 3: on-light: unknown: "goood"; did you mean "good"?`},
		{"glyphs:\n  done: ok", `x.yaml, line 2: glyphs.done: "ok" is not one sign of one cell`},
		{"glyphs:\n  link: '-'", `x.yaml, line 2: glyphs.link: "-" is not 2 signs of one cell`},
		{"glyphs:\n  done: ✔", `x.yaml, line 2: glyphs.done: "✔" cannot be a glyph: it is an emoji too, which some terminals draw two cells wide`},
		{"glyphs:\n  done: \"漢\"", `x.yaml, line 2: glyphs.done: "漢" cannot be a glyph: it is not one cell wide`},
		{"glyphs:\n  done: \"\\e\"", `x.yaml, line 2: glyphs.done: "\x1b" cannot be a glyph: it is not a sign of its own that a terminal prints`},
		{"glyphs:\n  frame: [a, b]", `x.yaml, line 2: glyphs.frame: needs six glyphs: top-left,`},
		{"glyphs:\n  set: emoji", `x.yaml, line 2: glyphs.set: unknown: "emoji"; known are unicode, ascii`},
		{"glyphs:\n  dne: x", `x.yaml, line 2: glyphs: unknown: "dne"; did you mean "done"?`},
	} {
		got, err := Parse("x.yaml", []byte(c.data))
		if err == nil || !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%q: error %v\nwant %s", c.data, err, c.err)
		}
		if got != (Theme{}) {
			t.Errorf("%q: a theme comes of it all the same", c.data)
		}
	}
}

func TestWhatCanBeAGlyph(t *testing.T) {
	for _, r := range "✓●○✗‖■◆▲⚑›→x+ ─│█▌ø§λЖ" {
		if why := unfit(r); why != "" {
			t.Errorf("%q: %s", r, why)
		}
	}
	for _, r := range "⚠▶☑✅❌🔥漢ﾠᅟ\u200b\u0301\u202e\t\x7f\ue0b0אب\u00ad\ufe0f©" {
		if unfit(r) == "" {
			t.Errorf("%q can be a glyph", r)
		}
	}
	if !emoji16Sorted() {
		t.Error("the table of emoji is not in order, so parts of it are not found")
	}
}

func emoji16Sorted() bool {
	for i := 1; i < len(emoji.R16); i++ {
		if emoji.R16[i].Lo <= emoji.R16[i-1].Hi {
			return false
		}
	}
	return true
}
