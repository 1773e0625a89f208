// Package assess reads the world and a run at one moment: which nodes are where, what may
// start and why not, what a command would meet. Nothing in it changes either.
//
//	r := assess.NewReader(rules, now, world, run)
//	r.GateReason()   why no drain starts now
//	r.In(stages...)  the machines at these stages
//
// A Reader keeps what it has worked out, and notes when an answer may become another one by
// itself (WakeAt). A decision embeds one and changes its Run; it says so with Invalidate,
// CopiedNodes, CopiedMarks, CopiedPods and ForgetMovers. Plans and snapshots make one of their own.
//
// Rules are what a system answers (package strategy has one for each): phases, limits, which
// machines are outdated, what it does in another way than the shared parts (Capabilities).
//
//	facts.go       what each machine is, kept with the world and renewed by what changed
//	gate.go        who serves, who is out of service, why no drain starts
//	movers.go      what others take out of service counts as well
//	capacity.go    the group's sizes, machines outside of it, zones.go where they are
//	conduct.go     who rolls the group: the run, or the group's own controller (follow.go)
//	validation.go  whether the cluster is valid, and waits for that
//	commands.go    what an operator can do now, and what an abort would do
//
// What stands by itself is in packages above, as functions of a Reader: movers (who else
// moves nodes), blockers (what keeps a pod on its node), preflight (what is to be expected).
package assess
