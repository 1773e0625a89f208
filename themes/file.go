package themes

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/drainboard/drainboard/themes/strictyaml"
)

// Ext is how the name of a theme's file ends.
const Ext = ".yaml"

// Load reads a theme from a file; it is named like the file. A theme with anything
// wrong in it is none: the error, a strictyaml.Problems, tells file, line and what
// is allowed there. docs/reference/config.md describes the form.
func Load(file string) (Theme, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Theme{}, err
	}
	return Parse(file, data)
}

// Parse reads a theme from what a file holds, as Load does.
func Parse(file string, data []byte) (Theme, error) {
	base := Auto
	roles, onLight := map[string]Style{}, map[string]Style{}
	var glyphs []func(*Glyphs)
	err := strictyaml.Parse(file, data, func(v strictyaml.Value) {
		v.Map(map[string]func(strictyaml.Value){
			"based-on": func(v strictyaml.Value) { base = basedOn(v) },
			"roles":    func(v strictyaml.Value) { readRoles(v, roles) },
			"on-light": func(v strictyaml.Value) { readRoles(v, onLight) },
			"glyphs":   func(v strictyaml.Value) { glyphs = readGlyphs(v) },
		})
	})
	if err != nil {
		return Theme{}, err
	}
	t := base
	t.Name = strings.TrimSuffix(filepath.Base(file), Ext)
	if t.OnLight != nil || len(onLight) > 0 {
		light := t
		if t.OnLight != nil {
			light = *t.OnLight
		}
		light.Name, light.OnLight = t.Name, nil
		light.wear(roles, glyphs)
		light.wear(onLight, nil)
		t.OnLight = &light
	}
	t.wear(roles, glyphs)
	return t, nil
}

// wear puts a file's roles and glyphs in place of the theme's own.
func (t *Theme) wear(roles map[string]Style, glyphs []func(*Glyphs)) {
	v := reflect.ValueOf(t).Elem()
	for field, s := range roles {
		v.FieldByName(field).Set(reflect.ValueOf(s))
	}
	for _, set := range glyphs {
		set(&t.Glyphs)
	}
}

func basedOn(v strictyaml.Value) Theme {
	name, ok := v.Text()
	if !ok {
		return Auto
	}
	t, ok := Named(name)
	if !ok {
		v.Unknown(name, Names())
	}
	return t
}

// key is a field's name as files have it: InputCursor is input-cursor.
func key(field string) string {
	var out strings.Builder
	for i, r := range field {
		if i > 0 && unicode.IsUpper(r) {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// fields are the names of a struct's fields of the type of want, by their keys.
func fields(of, want any) map[string]string {
	out := map[string]string{}
	t := reflect.TypeOf(of)
	for i := range t.NumField() {
		if f := t.Field(i); f.Type == reflect.TypeOf(want) {
			out[key(f.Name)] = f.Name
		}
	}
	return out
}

func readRoles(v strictyaml.Value, into map[string]Style) {
	keys := map[string]func(strictyaml.Value){}
	for k, field := range fields(Theme{}, Style{}) {
		keys[k] = func(v strictyaml.Value) { into[field] = readStyle(v) }
	}
	v.Map(keys)
}

func readStyle(v strictyaml.Value) (s Style) {
	colour := func(to *string) func(strictyaml.Value) {
		return func(v strictyaml.Value) { *to = readColour(v) }
	}
	flag := func(to *bool) func(strictyaml.Value) {
		return func(v strictyaml.Value) { v.Bool(to) }
	}
	v.Map(map[string]func(strictyaml.Value){
		"fg": colour(&s.FG), "bg": colour(&s.BG),
		"bold": flag(&s.Bold), "faint": flag(&s.Faint), "underline": flag(&s.Underline), "invert": flag(&s.Invert),
	})
	return s
}

var rgb = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func readColour(v strictyaml.Value) string {
	const form = `a colour is "#rrggbb" or a number from 0 to 255`
	if v.Empty() {
		v.Fail(`has no value; %s, and needs its quotes: without them # begins a comment`, form)
		return ""
	}
	s, ok := v.Text()
	if !ok {
		return ""
	}
	if rgb.MatchString(s) {
		return strings.ToLower(s)
	}
	if n, err := strconv.Atoi(s); err == nil && n >= 0 && n <= 255 && strconv.Itoa(n) == s {
		return s
	}
	v.Fail("%q is no colour; %s", s, form)
	return ""
}

// frameCorners names the parts of Glyphs.Frame.
const frameCorners = "top-left, top, top-right, side, bottom-left, bottom-right"

func readGlyphs(v strictyaml.Value) (set []func(*Glyphs)) {
	keys := map[string]func(strictyaml.Value){
		"set": func(v strictyaml.Value) {
			sets := map[string]Glyphs{"unicode": Unicode, "ascii": ASCII}
			name, ok := v.Text()
			g, known := sets[name]
			if ok && !known {
				v.Unknown(name, []string{"unicode", "ascii"})
			}
			// First of all, wherever it stands: the others are put into it.
			set = append([]func(*Glyphs){func(to *Glyphs) { *to = g }}, set...)
		},
		"frame": func(v strictyaml.Value) {
			var frame []string
			v.List(func(v strictyaml.Value) { frame = append(frame, readGlyph(v, 1)) })
			if len(frame) != 6 {
				v.Fail("needs six glyphs: %s", frameCorners)
				return
			}
			set = append(set, func(to *Glyphs) { to.Frame = [6]string(frame) })
		},
	}
	for k, field := range fields(Glyphs{}, "") {
		cells := 1
		if field == "Link" {
			cells = 2
		}
		keys[k] = func(v strictyaml.Value) {
			glyph := readGlyph(v, cells)
			set = append(set, func(to *Glyphs) { reflect.ValueOf(to).Elem().FieldByName(field).SetString(glyph) })
		}
	}
	v.Map(keys)
	return set
}

func readGlyph(v strictyaml.Value, cells int) string {
	s, ok := v.Text()
	if !ok {
		return ""
	}
	if utf8.RuneCountInString(s) != cells {
		signs := "one sign"
		if cells > 1 {
			signs = strconv.Itoa(cells) + " signs"
		}
		v.Fail("%q is not %s of one cell", s, signs)
		return ""
	}
	for _, r := range s {
		if why := unfit(r); why != "" {
			v.Fail("%q cannot be a glyph: %s", s, why)
			return ""
		}
	}
	return s
}
