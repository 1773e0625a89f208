package engine

import (
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
)

// drive is what a decision does in a run: it rolls the group by actions of its own (rolling), or
// follows the group's own controller and helps it (helping).
type drive interface {
	// observe brings the run's nodes up to date with the world; advance does what the run's
	// state asks for.
	observe(s *Step)
	advance(s *Step)
	// reorder obeys a skip or a return.
	reorder(s *Step, c record.Command)
	// plan takes the group's machines in, and returns those to be replaced.
	plan(s *Step) (outdated []string)
}

// driveOf is the drive of a run with these rules.
func driveOf(rules assess.Rules) drive {
	if c := rules.Follows(); c != nil {
		return helping{by: c}
	}
	return rolling{}
}

// rolling is a run that rolls its group, also where it selects nodes for an update in place.
type rolling struct{}

func (rolling) observe(s *Step) {
	observer{s}.observe()
	observeCanary(s)
	observeWorkloads(s)
	if s.Rules.Updates() != nil {
		observePassed(s)
	}
}

func (rolling) advance(s *Step) { s.advance() }

func (rolling) reorder(s *Step, c record.Command) {
	if c.Kind == record.CmdSkip {
		handleSkip(s, c)
	} else {
		handleReturn(s, c)
	}
}

func (rolling) plan(s *Step) (outdated []string) {
	for _, m := range s.W.Machines() {
		if m.Leaving() {
			continue
		}
		s.SetNode(m.ID, observer{s}.takeIn(m))
		if s.Run.Nodes.Peek(m.ID).Stage == record.Outdated {
			outdated = append(outdated, m.ID)
		}
	}
	return outdated
}

// helping is a run that follows its group's controller.
type helping struct{ by selfdriven.Controller }

func (helping) observe(s *Step) {
	observeController(s)
	observePassed(s)
	observeWorkloads(s)
}

func (h helping) advance(s *Step) { followController(s, h) }

func (h helping) reorder(s *Step, c record.Command) { h.lateOrSooner(s, c) }

func (helping) plan(s *Step) []string {
	observeController(s)
	return s.In(record.Outdated, record.Draining, record.Updating, record.Settling)
}

// name is the controller's, for people.
func (h helping) name() string { return string(h.by.Mover()) }
