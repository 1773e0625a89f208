// Package words holds a driver to its words: what a decision tells is what it does.
//
//	words.go    the check, and each event by itself: it names what there is, in the fields that
//	            docs/reference/events.md gives it, with numbers that are so
//	run.go      what becomes of the run, its phases and its batches is told, and nothing else
//	node.go     the same of the nodes
//	request.go  the same of what was asked of the APIs
package words
