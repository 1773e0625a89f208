package engine

import (
	"slices"
	"time"

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
	// InPlace: nodes are selected, and Gardener drains and updates them. No machine ends but
	// those that the strategy says (ender).
	InPlace bool
	// Follows: the group's own controller rolls it, and the run follows what it does by the
	// marks that it leaves (follow.go). Nothing is drained or ended by us.
	Follows bool
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
	// TakesOverFrom is whose roll the strategy takes over: what that one has marked, and not begun
	// with, keeps no run from starting.
	TakesOverFrom world.Mover
}

// capable is implemented by strategies that have ways of their own.
type capable interface{ Capabilities() Capabilities }

func (s *Reader) capabilities() Capabilities {
	if rules, ok := s.Rules.(capable); ok {
		return rules.Capabilities()
	}
	return Capabilities{}
}

// follows reports whether a strategy follows the group's own controller.
func follows(rules Strategy) bool {
	w, ok := rules.(capable)
	return ok && w.Capabilities().Follows
}

// selector is implemented by strategies that replace machines for more reasons than the
// template that they were launched from.
type selector interface {
	// Selects says in a few words why a machine is to be replaced that was launched from a
	// target template, "" if it is not.
	Selects(s *Reader, m *world.Machine) string
}

// selects is why the strategy replaces a machine, whatever it was launched from.
func (s *Reader) selects(m *world.Machine) string {
	if rules, ok := s.Rules.(selector); ok {
		return rules.Selects(s, m)
	}
	return ""
}

const (
	olderSpec = "older spec" // why most machines are replaced
	// AskedFor is why a machine is replaced that is up to date.
	AskedFor = "asked for"
)

// whySelected says in a few words why a machine is replaced, "" where its strategy has
// one reason only.
func (s *Reader) whySelected(m *world.Machine) string {
	rules, several := s.Rules.(selector)
	if !several {
		return ""
	}
	if why := rules.Selects(s, m); why != "" {
		return why
	}
	if s.Run.Target.All && s.launchedBefore(m) && s.Run.current(m) {
		return AskedFor
	}
	return olderSpec
}

// FirstLook reports whether the run looks at its machines for the first time: those that
// it sees now were there before.
func (s *Reader) FirstLook() bool { return s.first }

// pacer is implemented by strategies that let fewer nodes go at once than the limit for
// a while.
type pacer interface{ AtOnce(r *Run) int }

// atOnce is how many nodes may be out of service now.
func (s *Reader) atOnce() int {
	if rules, ok := s.Rules.(pacer); ok {
		return min(s.Run.Limit, rules.AtOnce(&s.Run))
	}
	return s.Run.Limit
}

// holder is implemented by strategies that hold a node back for reasons of their own.
type holder interface {
	// Holds says why a node that serves may not begin to drain now, "" if it may; those of
	// about are about to.
	Holds(s *Reader, machine string, about []string) string
}

// held is why the strategy holds a node back.
func (s *Reader) held(machine string, about []string) string {
	if rules, ok := s.Rules.(holder); ok {
		return rules.Holds(s, machine, about)
	}
	return ""
}

// decrementer is implemented by strategies that know by themselves which terminations of
// outdated nodes take the group's size down.
type decrementer interface {
	Decrements(s *Reader, machine string) bool
}

// ender is implemented by strategies that update nodes in place and end some of them all the
// same.
type ender interface {
	// Ends reports whether an outdated node is drained and ended now, not updated.
	Ends(s *Reader, machine string) bool
}

// updatesInPlace reports whether a node that is about to be emptied is to be updated in place.
func (s *Reader) updatesInPlace(id string) bool {
	if stage := s.Run.Nodes[id].Stage; !s.capabilities().InPlace || stage != Outdated && stage != Queued {
		return false
	}
	rules, ends := s.Rules.(ender)
	return !ends || !rules.Ends(s, id)
}

// warner is implemented by strategies that have something to say before a run.
type warner interface {
	Warnings(w *world.World, r *Run) []string
}

// limiter is implemented by strategies whose limit is more than MaxUnavailable.
type limiter interface {
	Limit(w *world.World, r *Run) int
}

// estimator is implemented by strategies that wait for more than drains.
type estimator interface {
	// Estimate is how long left nodes take that are still to be replaced.
	Estimate(w *world.World, r *Run, left int) time.Duration
}

// estimate is how long the nodes that are left take, before anything was measured.
func (s *Reader) estimate(left int) time.Duration {
	if rules, ok := s.Rules.(estimator); ok {
		return rules.Estimate(s.W, &s.Run, left)
	}
	limit := max(1, s.Run.Limit)
	rounds := (left + limit - 1) / limit
	return time.Duration(rounds) * (s.Run.Settings.Settle + DrainGuess)
}

// rolls reports whether a phase is the one in which nodes are replaced.
func rolls(phase string) bool { return phase == "upgrade" || phase == "roll" }

// current reports whether a machine was launched from a target template.
func (r *Run) current(m *world.Machine) bool { return slices.Contains(r.Target.Templates, m.Template) }

// whyOutdated says why a machine is to be replaced.
func (s *Reader) whyOutdated(m *world.Machine) string {
	if why := s.selects(m); why != "" {
		return why
	}
	return "runs " + m.Template.String()
}

// SomeCurrent reports whether the group has a machine of the target's template that is
// not to be replaced for another reason, but for being asked for: the template has
// brought one before.
func (s *Reader) SomeCurrent() bool {
	return slices.ContainsFunc(s.W.Machines(), func(m *world.Machine) bool {
		why := s.selects(m)
		return s.Run.current(m) && !m.Leaving() && (why == "" || why == AskedFor)
	})
}
