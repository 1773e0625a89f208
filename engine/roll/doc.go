// Package roll decides the order of several runs: which group of a cluster starts next,
// and whether the rest continues after one has ended badly.
//
//	Decide(rules, now, roll, news) → Decision{roll', groups to start, events, over}
//
// A Roll is a plain value with a Group for each run. Rules are those of a provider: steps
// by the role of a group, how many at a time, and the results that stop the rest
// (strategy.RollRules). News are what ended and what the operator said. Like the engine it
// has no clock and does no I/O; the runs themselves are driven elsewhere and know nothing
// of the roll but its id.
//
// It imports record, text and world. The strategies, the dashboard and the commands import it.
package roll
