package style

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func Because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + Lower(why)
}

// Width is how many cells a clean text takes.
func Width(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Cut shortens a clean text to w cells, with an ellipsis at the end.
func Cut(s string, w int, ellipsis string) string {
	if Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, ellipsis)
}

// Shorten cuts a name in the middle, because names of one kind differ at the end.
func Shorten(s string, w int, ellipsis string) string {
	s = Clean(s)
	if Width(s) <= w || w < 5 {
		return Cut(s, w, ellipsis)
	}
	tail := w / 2
	end := ansi.TruncateLeft(s, Width(s)-tail, "")
	if Width(end) > tail { // a wide letter lay across the edge
		end = ansi.TruncateLeft(s, Width(s)-tail+1, "")
	}
	return ansi.Truncate(s, w-1-tail, "") + ellipsis + end
}

// Wrap breaks a text into clean lines of at most w cells, at spaces only: a name
// or a flag that is broken at a hyphen can neither be read nor copied. A word
// longer than a line is cut into lines.
func Wrap(s string, w int) []string {
	if w < 1 {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(s, "\n") {
		row := ""
		for word := range strings.FieldsSeq(Clean(part)) {
			if row != "" && Width(row)+1+Width(word) <= w {
				row += " " + word
				continue
			}
			if row != "" {
				out = append(out, row)
			}
			pieces := strings.Split(ansi.Hardwrap(word, max(w, 2), false), "\n")
			out, row = append(out, pieces[:len(pieces)-1]...), pieces[len(pieces)-1]
		}
		out = append(out, row)
	}
	return out
}

// Replacement stands for what must not reach the terminal.
const Replacement = "\uFFFD"

// Clean replaces what a terminal would obey or not show: control characters,
// invalid bytes, and marks without a width of their own (bidirectional
// overrides, joiners, variation selectors, combining marks).
func Clean(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			if harmless(s) {
				return s
			}
			return strings.Map(func(r rune) rune {
				if Shown(r) {
					return r
				}
				return unicode.ReplacementChar
			}, strings.ToValidUTF8(s, Replacement))
		}
	}
	return s
}

func harmless(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !Shown(r) {
			return false
		}
	}
	return true
}

// Shown reports whether a rune is drawn in cells of its own, the same everywhere:
// printable, not a mark, and none of those that join with a neighbour (Hangul
// vowels, regional indicators, skin tones) or look like nothing (fillers).
func Shown(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	case r >= 0x115F && r <= 0x11FF, r >= 0xD7B0 && r <= 0xD7FF, r == 0x3164, r == 0xFFA0,
		r >= 0x1F1E6 && r <= 0x1F1FF, r >= 0x1F3FB && r <= 0x1F3FF:
		return false
	}
	return unicode.IsPrint(r) && !unicode.Is(unicode.M, r)
}

// Upper makes words begin a sentence, unless the first is a URL.
func Upper(s string) string {
	if first, _, _ := strings.Cut(s, " "); strings.Contains(first, "://") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Lower makes a sentence continue after a colon. A first word that is a name, such as
// PodEvictionFailure or LaunchTemplate, stays as it is.
func Lower(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && strings.ToLower(first[1:]) == first[1:] {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// Quoted is what was typed, for a sentence about it.
func Quoted(text string) string { return `"` + Cut(Clean(text), 40, "...") + `"` }

// PlainText is lines for a reader without a screen: without what a terminal would obey,
// without empty lines, and without the spaces that lay out a screen.
func PlainText(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		if l = strings.Join(strings.Fields(Clean(strings.TrimSpace(l))), " "); l != "" {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}
