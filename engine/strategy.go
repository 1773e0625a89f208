package engine

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/world"
)

// Strategy is the rules of one system, and what it does. Everything that all systems share is done
// by the Step that it is given.
type Strategy interface {
	Rules
	// Step asks for what the current phase needs. It is called at every decision
	// of a running run.
	Step(s *Step)
	// End puts back what the strategy changed on the group, after an abort or a
	// failure. It reports whether all is done.
	End(s *Step) bool
}

// Rules are the rules of one system, which only read. A strategy embeds Base, which has the
// answers of those that need no other.
type Rules interface {
	// Name is the strategy's name, as in --strategy.
	Name() string
	// Defaults are the system's own numbers, with their origin.
	Defaults() record.Settings
	// Phases names the run's phases in order.
	Phases() []string
	// Progress is how far a phase is, in steps; 0, 0 when it is not counted.
	Progress(phase string, w *world.World, r *record.Run) (done, total int)
	// Abilities is the table of what an operator can do.
	Abilities() []record.Ability

	// Follows is the group's own controller, if that rolls the group and the run follows what it
	// does by the marks that it leaves (follow.go); nil where the run rolls it.
	Follows() selfdriven.Controller
	// Updates is the group's own controller, if the run selects nodes and that drains and updates
	// them in place (inplace.go); nil where nodes are drained and their machines ended.
	Updates() selfdriven.Controller
	// Capabilities are what the strategy does in another way than the shared parts.
	Capabilities() Capabilities
	// Suspends names the processes of the group that are suspended while nodes are replaced.
	Suspends() []string
	// Selects says in a few words why a machine is to be replaced that was launched from a
	// target template, "" if it is not.
	Selects(s *Reader, m *world.Machine) string

	// Limit is how many nodes may be out of service at once, given the run's own limit; AtOnce
	// how many for now.
	Limit(w *world.World, r *record.Run) int
	AtOnce(r *record.Run) int
	// Extra is how many machines more than the group has the strategy runs for a while, in a
	// run whose nodes and limit are known.
	Extra(w *world.World, r *record.Run) int
	// Holds says why a node that serves may not begin to drain now, "" if it may; those of
	// about are about to.
	Holds(s *Reader, machine string, about []string) string
	// Decrements reports whether the termination of an outdated node takes the group's size
	// down, while nobody else has changed that.
	Decrements(s *Reader, machine string) bool
	// Ends reports whether an outdated node is drained and ended now, by a strategy that
	// updates others in place.
	Ends(s *Reader, machine string) bool

	// Warnings are what to say before a run.
	Warnings(w *world.World, r *record.Run) []string
	// Does says what a phase will do, for whoever is to approve it.
	Does(phase string, w *world.World, r *record.Run) string
	// Estimate is how long left nodes take that are still to be replaced, before anything
	// was measured.
	Estimate(w *world.World, r *record.Run, left int) time.Duration
	// Awaited is what shows that the group's own controller is not done with it, nothing if it
	// is or if there is none: the run does not end before.
	Awaited(w *world.World, r *record.Run) []world.Unfinished
}

// Base has the answers of a strategy that leaves something to the shared parts.
type Base struct{}

// Follows nobody.
func (Base) Follows() selfdriven.Controller { return nil }

// Updates nothing in place.
func (Base) Updates() selfdriven.Controller { return nil }

// Capabilities are none.
func (Base) Capabilities() Capabilities { return Capabilities{} }

// Suspends names no process.
func (Base) Suspends() []string { return nil }

// Selects finds no reason but the template.
func (Base) Selects(*Reader, *world.Machine) string { return "" }

// Limit is the run's own.
func (Base) Limit(_ *world.World, r *record.Run) int { return r.Limit }

// AtOnce is the limit.
func (Base) AtOnce(r *record.Run) int { return r.Limit }

// Extra is none.
func (Base) Extra(*world.World, *record.Run) int { return 0 }

// Holds holds no node.
func (Base) Holds(*Reader, string, []string) string { return "" }

// Decrements is true of the last nodes, as many as the size was raised by (zones.go).
func (Base) Decrements(s *Reader, machine string) bool { return s.lastOnes(machine) }

// Ends ends no node.
func (Base) Ends(*Reader, string) bool { return false }

// Warnings are none.
func (Base) Warnings(*world.World, *record.Run) []string { return nil }

// Does says nothing.
func (Base) Does(string, *world.World, *record.Run) string { return "" }

// Estimate counts a drain and the time to settle for each round of nodes.
func (Base) Estimate(_ *world.World, r *record.Run, left int) time.Duration {
	limit := max(1, r.Limit)
	rounds := (left + limit - 1) / limit
	return time.Duration(rounds) * (r.Settings.Settle + DrainGuess)
}

// Awaited waits for nobody.
func (Base) Awaited(*world.World, *record.Run) []world.Unfinished { return nil }
