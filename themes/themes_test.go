package themes

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestGlyphsAreOneCellWide(t *testing.T) {
	for name, glyphs := range map[string]Glyphs{"unicode": Unicode, "ascii": ASCII} {
		v := reflect.ValueOf(glyphs)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Name == "Frame" {
				for _, g := range glyphs.Frame {
					if ansi.StringWidth(g) != 1 {
						t.Errorf("%s: frame glyph %q is %d cells wide", name, g, ansi.StringWidth(g))
					}
				}
				continue
			}
			want := 1
			if f.Name == "Link" {
				want = 2
			}
			if g := v.Field(i).String(); ansi.StringWidth(g) != want {
				t.Errorf("%s: %s is %q, %d cells wide, want %d", name, f.Name, g, ansi.StringWidth(g), want)
			}
		}
	}
}

// forms are all built-in themes in all their forms.
func forms() []Theme {
	var out []Theme
	for _, t := range builtin {
		out = append(out, t)
		if t.OnLight != nil {
			light := *t.OnLight
			light.Name = t.Name + " on light"
			out = append(out, light)
		}
	}
	return out
}

// styles are the roles of a theme by the names of their fields.
func styles(t Theme) map[string]Style {
	out := map[string]Style{}
	v := reflect.ValueOf(t)
	for i := range v.NumField() {
		if s, ok := v.Field(i).Interface().(Style); ok {
			out[v.Type().Field(i).Name] = s
		}
	}
	return out
}

func TestColoursAreWellFormed(t *testing.T) {
	form := regexp.MustCompile(`^(#[0-9a-f]{6}|[0-9]{1,3})?$`)
	for _, theme := range forms() {
		for role, s := range styles(theme) {
			if !form.MatchString(s.FG) || !form.MatchString(s.BG) {
				t.Errorf("%s: %s has colours %q on %q", theme.Name, role, s.FG, s.BG)
			}
			if theme.Name == "none" && s.FG+s.BG != "" {
				t.Errorf("none: %s has a colour", role)
			}
			for _, c := range []string{s.FG, s.BG} {
				if n, err := strconv.Atoi(c); strings.HasPrefix(theme.Name, "16") && c != "" && (err != nil || n > 15) {
					t.Errorf("%s: %s has the colour %s, which is not one of the sixteen", theme.Name, role, c)
				}
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		if got, ok := Named(name); !ok || got.Name != name {
			t.Errorf("Named(%q) = %q, %v", name, got.Name, ok)
		}
	}
	if got, ok := Named("drak"); ok {
		t.Errorf("Named(drak) = %q", got.Name)
	}
	if want := []string{"auto", "dark", "light", "high-contrast", "colour-blind", "16", "none"}; !slices.Equal(Names(), want) {
		t.Errorf("Names() = %q, want %q", Names(), want)
	}
}

func TestOn(t *testing.T) {
	const all = 1 << 24
	ascii := func(t Theme) Theme { t.Glyphs = ASCII; return t }
	alone := func(t Theme) Theme { t.OnLight = nil; return t }
	for _, c := range []struct {
		what string
		of   Theme
		on   Terminal
		want Theme
	}{
		{"no choice, dark", Theme{}, Terminal{"xterm-256color", all, true}, alone(Auto)},
		{"no choice, light", Theme{}, Terminal{"xterm-256color", all, false}, Light},
		{"no choice, 16 colours, dark", Theme{}, Terminal{"xterm", 16, true}, alone(Sixteen)},
		{"no choice, 16 colours, light", Theme{}, Terminal{"xterm", 16, false}, sixteenOnLight},
		{"no choice, no colours", Theme{}, Terminal{"xterm", 0, true}, None},
		{"linux console", Theme{}, Terminal{"linux", 16, true}, ascii(alone(Sixteen))},
		{"dumb", Theme{}, Terminal{"dumb", 0, true}, ascii(None)},
		{"vt100", Dark, Terminal{"vt100", 0, true}, ascii(None)},
		{"dark chosen on a light background", Dark, Terminal{"xterm", all, false}, Dark},
		{"high contrast, light", HighContrast, Terminal{"xterm", 256, false}, highContrastOnLight},
		{"no colours beat a chosen theme", HighContrast, Terminal{"xterm", 0, false}, None},
		{"a chosen theme stays with 16 colours", ColourBlind, Terminal{"xterm", 16, true}, alone(ColourBlind)},
		{"glyphs of one's own stay without colours", ascii(Dark), Terminal{"xterm", 0, true}, ascii(None)},
	} {
		if got := c.of.On(c.on); got != c.want {
			t.Errorf("%s: got %s %+v", c.what, got.Name, got)
		}
	}
}
