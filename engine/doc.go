// Package engine decides how the nodes of a group are rolled. It does no I/O, reads no
// clock and starts no goroutine.
//
//	Decide(rules, now, world, run, inputs) → run', actions, events, next wake-up
//
// # One decision
//
//	      world                 run                  inputs
//	(nodes, pods, budgets,   (what cannot be      (outcomes of actions,
//	 machines, freshness)    seen in the world)    commands)
//	        │                    │                     │
//	        └────────────┬───────┴─────────────────────┘
//	                     ▼
//	  countTime    time in which nothing could be seen or done moves deadlines   time.go
//	  takeOutcomes what was asked for was done, refused, or nobody knows         ensure.go
//	  observe      stages of nodes from machines, nodes and pods                 observe.go
//	  handle       commands of the operator, here and from elsewhere             commands.go
//	  advance      running: hooks, the strategy's step, nodes, evictions         node.go, evict.go
//	               paused:  what is in flight continues, nothing starts
//	               ending:  what is in flight finishes or is undone              end.go
//	  checkPending what the world shows is done; what expired is looked up       ensure.go
//	                     │
//	        ┌────────────┼───────────────┬──────────────┐
//	        ▼            ▼               ▼              ▼
//	      run'        actions          events        next wake-up
//	   saved first   carried out     log, journal,   at the latest
//	                 after that      dashboard
//
// The caller (package live, or sim in tests and rehearsals) saves run' and then carries out
// the actions. Their outcomes are inputs of a later decision. A decision that is lost before
// run' is saved has not happened; one that is lost afterwards is found in the record as
// pending actions, each of which is looked up by a direct read (takeover.go).
//
// # Level-triggered
//
// Decide looks at the world as it is, and never at what changed since. What the world cannot
// tell is in the run: tries, approvals, values to restore, which marks are ours. That is why
// the same function serves a new run, one that is resumed on another machine, a simulator
// that reads late and loses answers, and a rehearsal of what the run would do from here.
// Random choices are a hash of the run's seed and the machine (assess.Chance), so a plan's order
// is the run's.
//
// # Reading and changing
//
// An assess.Reader has the world and the run at one moment and changes neither; plans and
// snapshots (package snapshot) are made by one. A Step embeds it and is one decision in the
// making. What only one step asks stands beside it, as a function of the Reader. Step.Ensure asks for an action until its effect is seen, and never
// has two with one key under way; Step.Mark, Step.SuspendProcess and Step.EnsureRaise write
// what has to be undone into the run before they ask.
//
// # Rules of one system
//
// A Strategy has the phases, the limits and the next step of a node; the package strategy
// has one for each system. What it only answers are its assess.Rules. What it does in another
// way than the shared parts it says in its assess.Capabilities. Draining, approvals, limits, pausing, aborting and
// waiting are written once:
//
//	batch.go                   which nodes are approved together, and the canary
//	gate.go                    when a drain may start
//	node.go                    one node from its drain to its termination
//	evict.go                   evictions under budgets
//	capacity.go, retire.go     sizes of the group, machines outside of it
//	hook.go                    the user's own commands around a node
//	decide.go, follow.go       groups that their own controller rolls (package selfdriven)
//	end.go                     abort, failure, success
//
// # Packages
//
//	live sim strategy     drives a run; simulates the world; the rules of each system
//	validationwait        waits until the cluster is valid, for strategies
//	snapshot              what a screen or a program sees: snapshots, plans, rehearsals
//	engine
//	assess                what only reads; movers, blockers, preflight are above it
//	roll validation       several groups in order; is the cluster valid
//	record                the run and what goes in and out of a decision
//	selfdriven            controllers that roll groups by themselves
//	drain world text      one node's pods; what is known; how it is worded
//
// Imports point down this list (cmd/drainboard/layout_test.go holds that).
package engine
