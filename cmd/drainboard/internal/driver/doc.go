// Package driver drives runs and rolls in this process: Upgrade is one call of `drainboard
// upgrade`, Demo one of `drainboard demo`.
//
// Upgrade.Run connects a session, then drives one group or a roll of several:
//
//	upgrade.go       signals until the run is driven, the session, the group's lock
//	driver.go        one run: plan, prompt, start, drive, conclude
//	resume.go        an unfinished run that another process left
//	record.go        one whose record does not match the group (--record)
//
// Driving is the loop of engine/live and what accompanies it:
//
//	operator.go      the operator: a dashboard, prompts in plain lines, or a script that sends signals
//	executor.go      each action to the provider that carries it out
//	journal.go       the audit trail on disk, and the run announced in the cluster
//	runhooks.go      the user's hooks around the run and its nodes
//	metrics.go       the run in numbers, served to Prometheus
//	lastmetrics.go   and written to a Pushgateway or a file at the end
//	notices.go       messages of these, for the log of the run
//
// A roll starts an Upgrade for each of its groups, as engine/roll decides:
//
//	roll.go          the groups in order, and the result of each
//	member.go        the roll, as the Upgrade of one group sees it
//	rollscreen.go    one dashboard for all of them
//	sharedscreen.go  which run it shows, and which run gets commands
//
// Signals mean the same everywhere: the first aborts and restores, the second stops at once. A
// signal before the run is driven changes nothing.
package driver
