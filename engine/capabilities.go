package engine

import (
	"slices"
	"time"

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
	// WholeBatches: a batch begins when all of the one before it is through.
	WholeBatches bool
	// RequiresValidation: a node that went holds its slot until the whole cluster has proved valid, and
	// no drain starts while it is not. Without the cluster (CloudOnly) the time after its
	// end has to do.
	RequiresValidation bool
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
	// TakesOverFrom is whose roll the strategy takes over: what that one has marked, and not begun
	// with, keeps no run from starting.
	TakesOverFrom world.Mover
}

// capabilities are the strategy's.
func (s *Reader) capabilities() Capabilities { return s.Rules.Capabilities() }

// selects is why the strategy replaces a machine, whatever it was launched from.
func (s *Reader) selects(m *world.Machine) string { return s.Rules.Selects(s, m) }

const (
	olderSpec = "older spec" // why most machines are replaced
	// AskedFor is why a machine is replaced that is up to date.
	AskedFor = "asked for"
)

// whySelected says in a few words why a machine is replaced, "" where its strategy has
// one reason only.
func (s *Reader) whySelected(m *world.Machine) string {
	if why := s.selects(m); why != "" || !s.capabilities().SeveralReasons {
		return why
	}
	if s.Run.Target.All && s.launchedBefore(m) && s.Run.Current(m) {
		return AskedFor
	}
	return olderSpec
}

// FirstLook reports whether the run looks at its machines for the first time: those that
// it sees now were there before.
func (s *Reader) FirstLook() bool { return s.First }

// atOnce is how many nodes may be out of service now.
func (s *Reader) atOnce() int { return min(s.Run.Limit, s.Rules.AtOnce(&s.Run)) }

// held is why the strategy holds a node back.
func (s *Reader) held(machine string, about []string) string {
	return s.Rules.Holds(s, machine, about)
}

// estimate is how long the nodes that are left take, before anything was measured.
func (s *Reader) estimate(left int) time.Duration { return s.Rules.Estimate(s.W, &s.Run, left) }

// rolls reports whether a phase is the one in which nodes are replaced.
func rolls(phase string) bool { return phase == "upgrade" || phase == "roll" }

// whyOutdated says why a machine is to be replaced.
func (s *Reader) whyOutdated(m *world.Machine) string {
	if why := s.selects(m); why != "" {
		return why
	}
	return text.Runs(m.Template.String())
}

// SomeCurrent reports whether the group has a machine of the target's template that is
// not to be replaced for another reason, but for being asked for: the template has
// brought one before.
func (s *Reader) SomeCurrent() bool {
	return slices.ContainsFunc(s.W.Machines(), func(m *world.Machine) bool {
		why := s.selects(m)
		return s.Run.Current(m) && !m.Leaving() && (why == "" || why == AskedFor)
	})
}
