// Package news decides what of a run wants a person, and whether the terminal tells him of it.
//
//	Of         what wants a person now: a batch that waits, a pause, a blocked node   news.go
//	Attention  who looks, and what was told already                                  attention.go
//
// What is on a screen in focus is not told. How a terminal notifies is in package term.
package news
