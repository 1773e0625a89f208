// Package words holds a driver to its words: what a decision tells is what it does.
//
//	event.go    each event by itself: a sentence, a time to come, a reason that
//	            docs/reference/events.md has
//	words.go    the check, and what an event names, with numbers that are so
//	command.go  why a command is not possible
//	run.go      what becomes of the run, its phases and its batches is told, and nothing else
//	node.go     the same of the nodes
//	request.go  the same of what was asked of the APIs
//	mover.go    who else moves nodes, by marks that are there
//	record.go   what a record has that does not fit its group
package words
