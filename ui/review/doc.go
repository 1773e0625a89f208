// Package review shows a plan before it is started: the forecast first, sections to scroll, what other
// settings would make of it, and the question. The user starts it, leaves, or takes other settings.
package review
