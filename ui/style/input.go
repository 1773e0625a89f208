package style

import (
	"charm.land/bubbles/v2/textinput"
)

// NewInput is a line to type in, of at most n characters.
func NewInput(n int) textinput.Model {
	in := textinput.New()
	in.CharLimit = n
	in.Focus()
	return in
}

// DrawInput draws what is typed in at most w cells; of a text that is too long its
// end, where names differ.
func DrawInput(l *Line, in textinput.Model, w int) {
	value := []rune(Clean(in.Value()))
	at := min(in.Position(), len(value))
	under := " "
	if at < len(value) {
		under = string(value[at])
	}
	from := max(0, at-max(w-2, 1))
	l.Add(l.Styles.Input, string(value[from:at])).Add(l.Styles.inputCursor, under)
	if at+1 < len(value) {
		l.Add(l.Styles.Input, string(value[at+1:]))
	}
}
