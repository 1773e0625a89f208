package report

import (
	"fmt"
	"html"
	"strings"
)

// markup is text that is HTML already: made by a page, or a constant of this package.
type markup string

// page is HTML or SVG in the making. add is the only way to write into it.
type page struct{ text strings.Builder }

// add writes a format, which is markup of this package, with its arguments, each for a %s.
// Every argument that is not markup is escaped, so it stays text between tags and in quoted
// attributes.
func (p *page) add(format string, args ...any) {
	safe := make([]any, len(args))
	for i, arg := range args {
		safe[i] = escaped(arg)
	}
	fmt.Fprintf(&p.text, format, safe...)
}

// markup is what was written so far.
func (p *page) markup() markup { return markup(p.text.String()) }

// escaped is a value as it may stand in markup.
func escaped(value any) string {
	if m, is := value.(markup); is {
		return string(m)
	}
	return html.EscapeString(fmt.Sprint(value))
}
