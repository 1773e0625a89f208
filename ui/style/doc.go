// Package style is how text looks: it knows a theme's colours and glyphs, and how text is
// measured, cut and laid out in cells. It knows nothing of runs but the words of stages and
// states, each of which has a look.
//
//	style.go    Styles: the pens and glyphs of a theme, made once and passed down
//	line.go     Line: one line of the screen, exactly as wide as it should be
//	text.go     width, cutting, wrapping, and Clean
//	format.go   durations, counts, versions and node names in few cells
//	frame.go    frames, paragraphs, facts ("name   value") and lines of keys
//	input.go    a line to type in
//
// All text on the screen goes through Line, and all lines without a screen through
// PlainText. Both clean it: nothing from the cluster moves the cursor, changes a colour or
// hides a letter. No other package of the dashboard writes an escape sequence for a look.
package style
