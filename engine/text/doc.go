// Package text words what the engine says of counts, lists and times: "3 nodes",
// "a1, a2 and 4 more", "2m 30s". It knows nothing of runs.
//
// Plural, IsAre and Times word a number (list.go); Some, AndMore and FirstOf shorten a
// list; Span is a duration for people (span.go). Every other package of the engine, the
// dashboard and the commands may import it; it imports none of them.
package text
