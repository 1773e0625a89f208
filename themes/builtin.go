package themes

// Dark is for light text on a dark background. Good and Bad differ in
// brightness as well as in hue.
var Dark = Theme{
	Name:   "dark",
	Dim:    Style{FG: "#9aa5b1"},
	Off:    Style{FG: "#6b7683"},
	Title:  Style{FG: "#dfe7ef", Bold: true},
	Key:    Style{FG: "#7cc7ff", Bold: true},
	Border: Style{FG: "#465261"},
	Focus:  Style{FG: "#7cc7ff"},
	Cursor: Style{FG: "#ffffff", BG: "#2b4a68", Bold: true},
	Good:   Style{FG: "#8ccf7e"},
	Active: Style{FG: "#7cc7ff"},
	Warn:   Style{FG: "#f2b45c", Bold: true},
	Bad:    Style{FG: "#ff7a73", Bold: true},
	Brand:  Style{FG: "#9aa5b1"},
	Ask:    Style{FG: "#161b22", BG: "#f2c14e", Bold: true},
	Alarm:  Style{FG: "#ffffff", BG: "#a3352c", Bold: true},
	Calm:   Style{FG: "#dfe7ef", BG: "#2d3742"},
	Full:   Style{FG: "#7cc7ff"},
	Rest:   Style{FG: "#465261"},
	Glyphs: Unicode,
}

// Light is for dark text on a light background.
var Light = Theme{
	Name:   "light",
	Dim:    Style{FG: "#57606a"},
	Off:    Style{FG: "#8b949e"},
	Title:  Style{FG: "#1f2328", Bold: true},
	Key:    Style{FG: "#0550ae", Bold: true},
	Border: Style{FG: "#b6bfc9"},
	Focus:  Style{FG: "#0550ae"},
	Cursor: Style{FG: "#0a1930", BG: "#c5defb", Bold: true},
	Good:   Style{FG: "#116329"},
	Active: Style{FG: "#0550ae"},
	Warn:   Style{FG: "#8a4600", Bold: true},
	Bad:    Style{FG: "#b3121d", Bold: true},
	Brand:  Style{FG: "#57606a"},
	Ask:    Style{FG: "#1f2328", BG: "#ffd24a", Bold: true},
	Alarm:  Style{FG: "#ffffff", BG: "#b3121d", Bold: true},
	Calm:   Style{FG: "#1f2328", BG: "#e3e8ee"},
	Full:   Style{FG: "#0550ae"},
	Rest:   Style{FG: "#b6bfc9"},
	Glyphs: Unicode,
}

// None uses no colour at all, for NO_COLOR and terminals without: only bold,
// underline and inverted text, which such terminals keep.
var None = Theme{
	Name:   "none",
	Off:    Style{Faint: true},
	Title:  Style{Bold: true},
	Key:    Style{Bold: true},
	Border: Style{Faint: true},
	Focus:  Style{Bold: true},
	Cursor: Style{Invert: true},
	Active: Style{Bold: true},
	Warn:   Style{Bold: true},
	Bad:    Style{Bold: true, Underline: true},
	Ask:    Style{Invert: true, Bold: true},
	Alarm:  Style{Invert: true, Bold: true},
	Calm:   Style{Bold: true},
	Rest:   Style{Faint: true},
	Glyphs: Unicode,
}
