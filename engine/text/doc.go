// Package text has the words of what an operator reads: plans, events, blockers, waits,
// reasons, commands that are refused. It knows nothing of runs, and imports nothing of the
// engine: deciding code hands over names and figures.
//
// A sentence is a function with what varies as its arguments, or a constant where nothing
// does, in a file by subject: nodemark.go (marks on nodes), eviction.go, validation.go,
// record.go, action.go, loop.go, and so on. What one system alone gives rise to is in package
// systems; what is said before a run, in package plans.
// Plural, IsAre and Times word a number (list.go); Some, AndMore and FirstOf shorten a list;
// Span is a duration for people (span.go).
//
// Tables stay where they are: the rows of record.Kinds, and those of a strategy's defaults
// and abilities (engine/strategy/words.go). So do the errors that developers read.
// sentences_test.go holds that the other packages build no sentences.
package text
