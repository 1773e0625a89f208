package term

import (
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"github.com/drainboard/drainboard/themes"
)

// TerminalOf is what an environment tells of its terminal, before it is asked.
func TerminalOf(environ []string) themes.Terminal {
	t := themes.Terminal{Colours: 1 << 24, Dark: true}
	for _, kv := range environ {
		switch name, value, _ := strings.Cut(kv, "="); name {
		case "TERM":
			t.Term = value
		case "COLORFGBG":
			t.Dark = darkByHint(value)
		}
	}
	if t.Term == "dumb" || noColour(environ) {
		t.Colours = 0
	}
	return t
}

// darkByHint reads COLORFGBG, which some terminals (rxvt, Konsole, iTerm2) set to
// the numbers of their text and background colours, as "15;0" or "0;default;15".
// What says nothing is taken for dark, as most terminals are.
func darkByHint(hint string) bool {
	n, err := strconv.Atoi(hint[strings.LastIndex(hint, ";")+1:])
	return err != nil || n != 7 && (n < 9 || n > 15)
}

// coloursOf is how many colours a profile has.
func coloursOf(p colorprofile.Profile) int {
	switch p {
	case colorprofile.ANSI:
		return 16
	case colorprofile.ANSI256:
		return 256
	case colorprofile.TrueColor:
		return 1 << 24
	}
	return 0
}

// noColour reports whether NO_COLOR has any value but the empty one
// (https://no-color.org).
func noColour(environ []string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool {
		value, ok := strings.CutPrefix(kv, "NO_COLOR=")
		return ok && value != ""
	})
}

// WithoutColours is an environment in the words of Bubble Tea, which takes no
// value of NO_COLOR but those that strconv reads as true.
func WithoutColours(environ []string) []string {
	if !noColour(environ) {
		return environ
	}
	return append(slices.Clip(environ), "NO_COLOR=1")
}
