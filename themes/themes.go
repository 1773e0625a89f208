// Package themes holds the looks of the dashboard as plain values: colours for
// the roles that things on the screen play, and the glyphs that stand beside
// them. Meaning never rests on a colour: every role that matters has a glyph or
// a word too, so None loses nothing but looks.
package themes

import "strings"

// Style is how text of one role looks. The zero value is the terminal's own
// text. Colours are "#rrggbb", a number of the 256-colour palette, or "" for the
// terminal's own; a terminal with fewer colours gets the nearest.
type Style struct {
	FG, BG                         string
	Bold, Faint, Underline, Invert bool
}

// Theme is a complete look. The zero value stands for Auto.
type Theme struct {
	Name string
	// OnLight is the form for a light background, where one form cannot serve both;
	// nil means that this one does, or that it is for one background only.
	OnLight *Theme

	// Text, Dim and Off are what is read, what is read second, and what is not
	// possible now.
	Text, Dim, Off Style
	// Title heads panes; Key is a key to press; Border and Focus frame a pane
	// without and with the keyboard.
	Title, Key, Border, Focus Style
	// Cursor is the row under the cursor.
	Cursor Style
	// Good, Active, Warn and Bad colour states.
	Good, Active, Warn, Bad Style
	// Brand is the program's name; Mark says where one is, as "PRODUCTION"; Ask is the
	// line that asks for an approval; Alarm a line that must be seen; Calm one that
	// may be.
	Brand, Mark, Ask, Alarm, Calm Style
	// Selected is the button of a dialog that enter presses; Input what is typed, and
	// InputCursor the cell where the next letter goes.
	Selected, Input, InputCursor Style
	// Full and Rest are the two parts of a bar.
	Full, Rest Style

	Glyphs Glyphs
}

// Glyphs are the signs the dashboard draws itself, each one cell wide.
type Glyphs struct {
	Done, Running, Todo, Failed, Paused, Ended string
	Ask, Warning, Blocked, Cursor, Arrow       string
	Outdated, Queued, Draining, Settling       string
	Terminating, Launching, Ready, Surplus     string
	Unknown, Skipped                           string
	BarFull, BarRest, TimeFull, TimeRest       string
	Link, More, Less, Ellipsis, Times, Dot     string
	// Mark is beside a node that a command is to be given for.
	Mark string
	// Frame is top-left, top, top-right, side, bottom-left, bottom-right.
	Frame [6]string
}

// Unicode are the glyphs for every terminal of the last twenty years. None is
// wide or has an emoji form, because terminals disagree on the width of those.
var Unicode = Glyphs{
	Done: "✓", Running: "●", Todo: "○", Failed: "✗", Paused: "‖", Ended: "■",
	Ask: "◆", Warning: "▲", Blocked: "⚑", Cursor: "›", Arrow: "→",
	Outdated: "○", Queued: "◇", Draining: "▼", Settling: "▽",
	Terminating: "×", Launching: "△", Ready: "●", Surplus: "◦",
	Unknown: "?", Skipped: "–",
	BarFull: "━", BarRest: "╌", TimeFull: "▓", TimeRest: "░",
	Link: "──", More: "↓", Less: "↑", Ellipsis: "…", Times: "×", Dot: "·", Mark: "•",
	Frame: [6]string{"╭", "─", "╮", "│", "╰", "╯"},
}

// ASCII are the glyphs for terminals that know no others.
var ASCII = Glyphs{
	Done: "v", Running: "*", Todo: "o", Failed: "x", Paused: "=", Ended: "#",
	Ask: "?", Warning: "!", Blocked: "P", Cursor: ">", Arrow: ">",
	Outdated: "o", Queued: "q", Draining: "d", Settling: "s",
	Terminating: "t", Launching: "l", Ready: "*", Surplus: ".",
	Unknown: "?", Skipped: "-",
	BarFull: "=", BarRest: "-", TimeFull: "#", TimeRest: ".",
	Link: "--", More: "v", Less: "^", Ellipsis: "~", Times: "x", Dot: "-", Mark: "*",
	Frame: [6]string{"+", "-", "+", "|", "+", "+"},
}

// Terminal is what a theme has to fit.
type Terminal struct {
	Term    string // the environment's TERM
	Colours int    // how many it shows: 0, 16, 256 or 1<<24
	Dark    bool   // whether its background is
}

// On is the theme's form for a terminal. Without colours every theme is None,
// since one that marks by colour alone would mark nothing; with sixteen Auto is
// Sixteen, whose colours need not be guessed from others. Terminals that draw few
// signs get those of ASCII.
func (t Theme) On(term Terminal) Theme {
	switch {
	case t.Name == "":
		return Auto.On(term)
	case term.Colours == 0:
		none := None
		none.Glyphs = t.Glyphs
		t = none
	case term.Colours == 16 && t.Name == Auto.Name:
		return Sixteen.On(term)
	case !term.Dark && t.OnLight != nil:
		t = *t.OnLight
	}
	t.OnLight = nil
	if term.Term == "dumb" || term.Term == "linux" || strings.HasPrefix(term.Term, "vt1") {
		t.Glyphs = ASCII
	}
	return t
}
