// Package console is where a command meets its user: Console has the streams of the process,
// cleaned of control characters, asks questions and knows what a dashboard looks like; Face
// says whether there is a dashboard, lines, or nobody who is asked.
package console
