// Package driver drives runs and rolls in this process: Upgrade is one call of `drainboard
// upgrade`, Demo one of `drainboard demo`.
//
// Upgrade.Run connects a session, and then there is a group or a roll of several:
//
//	upgrade.go       signals until a run is under way, the session, the group's lock
//	driver.go        one run: planned, asked about, started, driven, concluded
//	resume.go        or gone on with, as another process left it
//	record.go        or refused, because its record does not fit the group (--record)
//
// Driving is the loop of engine/live with what goes along with it:
//
//	operator.go      who drives: a dashboard, questions in lines, or a script that sends signals
//	executor.go      each action to the provider that knows how
//	journal.go       the audit trail on disk, and the run announced in the cluster
//	runhooks.go      the user's hooks around the run and its nodes
//	metrics.go       the run in numbers, served to Prometheus
//	notices.go       what these have to say, in the log of the run
//
// A roll starts an Upgrade for each of its groups, as engine/roll decides:
//
//	roll.go          the groups in order, and what each ends in
//	member.go        what a group's Upgrade has of the roll
//	rollscreen.go    one dashboard for all of them
//	sharedscreen.go  which run it shows, and where commands go
//
// Signals mean the same everywhere: the first aborts and puts back, the second stops at once, and
// before anything is under way nothing is changed.
package driver
