// Package lines is the dashboard without a screen, for a screen reader, a terminal that
// cannot move its cursor, or a pipe: it writes lines that are only ever added to, and asks
// numbered questions that are answered by lines of the input.
//
// It has no actions and no rules of its own. It holds the board's model, which draws
// nothing: what can be done, what a dialog asks and what it answers are the board's.
//
//	lines.go      Run, and the loop over snapshots, lines of the input and the clock
//	tell.go       what is new: events, notes, blockers, what is not valid; each told once
//	watch.go      what only a watcher is told: the group, its run, the next one
//	questions.go  what is asked, and the answers
//	targets.go    choosing a node or a pod for an action
//	input.go      lines of the input, each with the time at which it came
package lines
