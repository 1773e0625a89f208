// Package check holds a driver to the rules that docs/design.md numbers, a file each or two:
//
//	1         service (how many nodes serve, and that it is as planned), kops and valid, gardener, inplace (what systems promise)
//	2         pods, passed (what a controller deletes past budgets)
//	3         terminate
//	4, 5      end, retire, sizes (those of the group), own (its own controller)
//	8, 9      look, detail
//	10        time, blind (no wait without an end)
//	promises  hook, gate (when drains begin), launch (what is overdue), mover (who else moves nodes)
//	words     package words: what is told is so
//	texts     command (whose commands count), changed (what counts as a change), again (a decision
//	          depends on nothing else, and nothing waits that could be done at once)
//
// Rule 6 is that a run with crashes has to pass all of them; rule 7 is checked on engine/live's loop.
//
// A Checker looks at what is asked, at what arrives, at the Truth of the Sim and at its Ledger,
// never at the engine's word where there is another way to know. It reads what drive.Driver and
// sim.Sim export, and shares no code with either. A message begins with the rule that it speaks of.
package check
