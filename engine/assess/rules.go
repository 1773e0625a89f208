package assess

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Capabilities are what a strategy does in another way than the shared parts do by themselves.
// The zero value is theirs.
type Capabilities struct {
	// Direct: machines are ended without asking their group, which then replaces those that
	// are not detached.
	Direct bool
	// IsolatesFirst: a node is cordoned, labelled and taken out of its group's load balancers before
	// its first eviction.
	IsolatesFirst bool
	// CordonsFirst: a node is cordoned before its first eviction.
	CordonsFirst bool
	// SurgeServes: the limit counts what the surge stands in for, so that no drain leaves fewer nodes in
	// service than the group is to have, less MaxUnavailable.
	SurgeServes bool
	// AwaitsRoutes: the wait after a drain ends early once nothing routes to the node any more.
	AwaitsRoutes bool
	// TellsMoves: a run that ends well tells how often pods have moved.
	TellsMoves bool
	// WholeBatches: a batch begins when all of the one before it is through.
	WholeBatches bool
	// RequiresValidation: a node that went holds its slot until the whole cluster has proved valid, and
	// no drain starts while it is not. Without the cluster (CloudOnly) the time after its
	// end has to do.
	RequiresValidation bool
	// ValidatesWhereSet: RequiresValidation holds for a run whose settings have a time for it, as those of a
	// group of kops have.
	ValidatesWhereSet bool
	// Detaches: what there is more of machines for a while comes of taking old ones out of
	// the group.
	Detaches bool
	// DetachTag is put on a machine before it is detached, with its group's name.
	DetachTag string
	// TemplateSetBy is the command that sets the group's template, where that is not ours to do.
	TemplateSetBy string
	// SeveralReasons: machines are replaced for more reasons than their template (Selects).
	SeveralReasons bool
	// Surges: there are more machines than the group has for a while.
	Surges bool
	// EndsWarmAlone: a warm pool that alone is outdated is rolled, too.
	EndsWarmAlone bool
	// TakesOverFrom is whose roll the strategy takes over: what that one has marked, and not begun
	// with, keeps no run from starting.
	TakesOverFrom world.Mover
}

// Capabilities are the strategy's.
func (s *Reader) Capabilities() Capabilities {
	does := s.Rules.Capabilities()
	does.RequiresValidation = does.RequiresValidation || does.ValidatesWhereSet && s.Run.Settings.Validates()
	return does
}

// Selects is why the strategy replaces a machine, whatever it was launched from.
func (s *Reader) Selects(m *world.Machine) string { return s.Rules.Selects(s, m) }

const (
	olderSpec = "older spec" // why most machines are replaced
	// AskedFor is why a machine is replaced that is up to date.
	AskedFor = "asked for"
)

// WhySelected says in a few words why a machine is replaced, "" where its strategy has
// one reason only.
func (s *Reader) WhySelected(m *world.Machine) string {
	if why := s.Selects(m); why != "" || !s.Capabilities().SeveralReasons {
		return why
	}
	if s.Run.Target.All && s.LaunchedBefore(m) && s.Run.Current(m) {
		return AskedFor
	}
	return olderSpec
}

// WarmAlone reports whether the strategy ends outdated machines of the warm pool where no
// node is to be replaced. They are told by what the group launches, which stays; a run of
// named nodes leaves them.
func (s *Reader) WarmAlone() bool {
	t := s.Run.Target
	return s.Capabilities().EndsWarmAlone && len(t.Only) == 0 && len(t.Templates) > 0 && t.Templates[0] == s.W.Group.Template &&
		slices.ContainsFunc(s.W.Group.Warm, func(m world.Machine) bool { return !m.Leaving() && !slices.Contains(t.Templates, m.Template) })
}

// FirstLook reports whether the run looks at its machines for the first time: those that
// it sees now were there before.
func (s *Reader) FirstLook() bool { return s.First }

// AtOnce is how many nodes may be out of service now.
func (s *Reader) AtOnce() int { return min(s.Run.Limit, s.Rules.AtOnce(&s.Run)) }

// Held is why the strategy holds a node back.
func (s *Reader) Held(machine string, about []string) string {
	return s.Rules.Holds(s, machine, about)
}

// Estimate is how long the nodes that are left take, before anything was measured.
func (s *Reader) Estimate(left int) time.Duration { return s.Rules.Estimate(s.W, &s.Run, left) }

// Rolls reports whether a phase is the one in which nodes are replaced.
func Rolls(phase string) bool { return phase == "upgrade" || phase == "roll" }

// SomeCurrent reports whether the group has a machine of the target's template that is
// not to be replaced for another reason, but for being asked for: the template has
// brought one before.
func (s *Reader) SomeCurrent() bool {
	return slices.ContainsFunc(s.W.Machines(), func(m *world.Machine) bool {
		why := s.Selects(m)
		return s.Run.Current(m) && !m.Leaving() && (why == "" || why == AskedFor)
	})
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
	// Bounds are what max-unavailable can be changed to while the run lasts.
	Bounds(w *world.World, r *record.Run) Bounds
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

	// LosesQuorum is why what is asked for would leave no majority of a control plane, "" if it
	// would not.
	LosesQuorum(w *world.World, r *record.Run) string
	// Warnings are what to say before a run.
	Warnings(w *world.World, r *record.Run) []string
	// Does says what a phase will do, for the user who approves it.
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

// Bounds are from one node to the whole group.
func (Base) Bounds(_ *world.World, r *record.Run) Bounds {
	return Bounds{Least: 1, Most: max(1, r.Base.Desired), Why: text.WholeGroup}
}

// Extra is none.
func (Base) Extra(*world.World, *record.Run) int { return 0 }

// Holds holds no node.
func (Base) Holds(*Reader, string, []string) string { return "" }

// Decrements is true of the last nodes, as many as the size was raised by (zones.go).
func (Base) Decrements(s *Reader, machine string) bool { return s.lastOnes(machine) }

// Ends ends no node.
func (Base) Ends(*Reader, string) bool { return false }

// LosesQuorum is nothing: no control plane is rolled.
func (Base) LosesQuorum(*world.World, *record.Run) string { return "" }

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

// DrainGuess is what a node's drain and its machine's end take when nothing
// holds them up, for estimates before anything was measured.
const DrainGuess = 90 * time.Second
