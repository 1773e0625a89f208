package themes

import "slices"

// Auto fits any terminal: Dark or Light by its background, Sixteen where it has
// no more colours.
var Auto = dark("auto", &Light)

// Dark is for light text on a dark background. Good and Bad differ in
// brightness as well as in hue.
var Dark = dark("dark", nil)

func dark(name string, onLight *Theme) Theme {
	return Theme{
		Name:        name,
		OnLight:     onLight,
		Dim:         Style{FG: "#9ba6b2"},
		Off:         Style{FG: "#737e89"},
		Title:       Style{FG: "#dfe7ef", Bold: true},
		Key:         Style{FG: "#7cc7ff", Bold: true},
		Border:      Style{FG: "#5d6c7e"},
		Focus:       Style{FG: "#7cc7ff"},
		Cursor:      Style{FG: "#ffffff", BG: "#2b4a68", Bold: true},
		Good:        Style{FG: "#8ccf7e"},
		Active:      Style{FG: "#7cc7ff"},
		Warn:        Style{FG: "#f2b45c", Bold: true},
		Bad:         Style{FG: "#ff7a73", Bold: true},
		Brand:       Style{FG: "#9ba6b2"},
		Mark:        Style{FG: "#1b0b24", BG: "#ff86cf", Bold: true},
		Ask:         Style{FG: "#161b22", BG: "#f2c14e", Bold: true},
		Alarm:       Style{FG: "#ffffff", BG: "#a3352c", Bold: true},
		Calm:        Style{FG: "#dfe7ef", BG: "#303a44"},
		Selected:    Style{FG: "#0d1117", BG: "#7cc7ff", Bold: true},
		Input:       Style{FG: "#ffffff", BG: "#303a44"},
		InputCursor: Style{FG: "#0d1117", BG: "#dfe7ef"},
		Full:        Style{FG: "#7cc7ff"},
		Rest:        Style{FG: "#5d6c7e"},
		Glyphs:      Unicode,
	}
}

// Light is for dark text on a light background.
var Light = Theme{
	Name:        "light",
	Dim:         Style{FG: "#57606a"},
	Off:         Style{FG: "#7d8690"},
	Title:       Style{FG: "#1f2328", Bold: true},
	Key:         Style{FG: "#0550ae", Bold: true},
	Border:      Style{FG: "#848d97"},
	Focus:       Style{FG: "#0550ae"},
	Cursor:      Style{FG: "#0a1930", BG: "#c5defb", Bold: true},
	Good:        Style{FG: "#116329"},
	Active:      Style{FG: "#0550ae"},
	Warn:        Style{FG: "#8a4600", Bold: true},
	Bad:         Style{FG: "#b3121d", Bold: true},
	Brand:       Style{FG: "#57606a"},
	Mark:        Style{FG: "#ffffff", BG: "#99127f", Bold: true},
	Ask:         Style{FG: "#1f2328", BG: "#ffd24a", Bold: true},
	Alarm:       Style{FG: "#ffffff", BG: "#b3121d", Bold: true},
	Calm:        Style{FG: "#1f2328", BG: "#e4e6e8"},
	Selected:    Style{FG: "#ffffff", BG: "#0550ae", Bold: true},
	Input:       Style{FG: "#1f2328", BG: "#e4e6e8"},
	InputCursor: Style{FG: "#ffffff", BG: "#1f2328"},
	Full:        Style{FG: "#0550ae"},
	Rest:        Style{FG: "#848d97"},
	Glyphs:      Unicode,
}

// None uses no colour at all, for NO_COLOR and terminals without: only bold,
// underline and inverted text, which such terminals keep.
var None = Theme{
	Name:        "none",
	Off:         Style{Faint: true},
	Title:       Style{Bold: true},
	Key:         Style{Bold: true},
	Border:      Style{Faint: true},
	Focus:       Style{Bold: true},
	Cursor:      Style{Invert: true},
	Active:      Style{Bold: true},
	Warn:        Style{Bold: true},
	Bad:         Style{Bold: true, Underline: true},
	Mark:        Style{Invert: true, Bold: true},
	Ask:         Style{Invert: true, Bold: true},
	Alarm:       Style{Invert: true, Bold: true},
	Calm:        Style{Bold: true},
	Selected:    Style{Invert: true, Bold: true},
	Input:       Style{Underline: true},
	InputCursor: Style{Invert: true},
	Rest:        Style{Faint: true},
	Glyphs:      Unicode,
}

// Sixteen has the sixteen colours that every terminal lets its user choose, so it
// looks as the rest of the terminal does. It has no text in 8 to 14: some palettes,
// Solarized among them, have the background's shades there.
var Sixteen = sixteen("3", "6", &sixteenOnLight)

// On a light background yellow and cyan are hardly to be seen in most palettes,
// on a dark one blue.
var sixteenOnLight = sixteen("5", "4", nil)

func sixteen(warn, active string, onLight *Theme) Theme {
	return Theme{
		Name:        "16",
		OnLight:     onLight,
		Off:         Style{Faint: true},
		Title:       Style{Bold: true},
		Key:         Style{FG: active, Bold: true},
		Border:      Style{Faint: true},
		Focus:       Style{FG: active},
		Cursor:      Style{Invert: true, Bold: true},
		Good:        Style{FG: "2"},
		Active:      Style{FG: active},
		Warn:        Style{FG: warn, Bold: true},
		Bad:         Style{FG: "1", Bold: true},
		Brand:       Style{Bold: true},
		Mark:        Style{FG: "15", BG: "5", Bold: true},
		Ask:         Style{FG: "0", BG: "3"},
		Alarm:       Style{FG: "15", BG: "1", Bold: true},
		Calm:        Style{Bold: true},
		Selected:    Style{Invert: true, Bold: true},
		Input:       Style{Underline: true},
		InputCursor: Style{Invert: true},
		Full:        Style{FG: active},
		Rest:        Style{Faint: true},
		Glyphs:      Unicode,
	}
}

var builtin = []Theme{Auto, Dark, Light, HighContrast, ColourBlind, Sixteen, None}

// Named is a built-in theme.
func Named(name string) (t Theme, ok bool) {
	i := slices.IndexFunc(builtin, func(t Theme) bool { return t.Name == name })
	if i < 0 {
		return Theme{}, false
	}
	return builtin[i], true
}

// Names are those of the built-in themes; "auto" comes first.
func Names() []string {
	var names []string
	for _, t := range builtin {
		names = append(names, t.Name)
	}
	return names
}
