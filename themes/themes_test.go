package themes

import (
	"reflect"
	"regexp"
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

func TestColoursAreWellFormed(t *testing.T) {
	form := regexp.MustCompile(`^(#[0-9a-f]{6}|[0-9]{1,3})?$`)
	for _, theme := range []Theme{Dark, Light, None} {
		v := reflect.ValueOf(theme)
		for i := range v.NumField() {
			s, ok := v.Field(i).Interface().(Style)
			if !ok {
				continue
			}
			if !form.MatchString(s.FG) || !form.MatchString(s.BG) {
				t.Errorf("%s: %s has colours %q on %q", theme.Name, v.Type().Field(i).Name, s.FG, s.BG)
			}
			if theme.Name == "none" && s.FG+s.BG != "" {
				t.Errorf("none: %s has a colour", v.Type().Field(i).Name)
			}
		}
	}
}

func TestFor(t *testing.T) {
	for _, c := range []struct {
		term          string
		colours, dark bool
		name          string
		glyphs        Glyphs
	}{
		{"xterm-256color", true, true, "dark", Unicode},
		{"xterm-256color", true, false, "light", Unicode},
		{"xterm-256color", false, true, "none", Unicode},
		{"linux", true, true, "dark", ASCII},
		{"dumb", false, false, "none", ASCII},
	} {
		if got := For(c.term, c.colours, c.dark); got.Name != c.name || got.Glyphs != c.glyphs {
			t.Errorf("For(%q, %v, %v) = %s", c.term, c.colours, c.dark, got.Name)
		}
	}
}
