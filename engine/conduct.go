package engine

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// conduct is who rolls the group of a run: the run by its own actions (acting), the group's own
// controller with those nodes that the run selects (selecting), or that controller by itself, which
// the run follows and helps (following). Plans and snapshots ask it what differs, and drive is what
// a decision does; waits, approvals, pauses, the record and its checks are the same for all.
type conduct interface {
	// pauseNote says what a pause does not stop, "" where it stops all.
	pauseNote(s *Reader) string
	// unable says why a command is not possible now, "" if it is; settled: nothing else has to be
	// asked. takes says which a node takes.
	unable(s *Reader, kind record.CommandKind) (why string, settled bool)
	takes(n record.Node) NodeCommands
	// inPlace reports whether a node that is about to be emptied is selected for an update in
	// place, and not drained by us; holdsIdle, whether the strategy may hold also one that does
	// not serve; partner, whether what a mover does with the nodes is our own business.
	inPlace(s *Reader, id string) bool
	holdsIdle() bool
	partner(m world.Mover) bool
	// rollsBack reports whether a run that fails offers the way back; did is what it has done
	// with nodes.
	rollsBack() bool
	did(s *Reader) string
	// abortPlan says what an abort would do now.
	abortPlan(s *Reader) []string
}

// conduct is the run's.
func (s *Reader) conduct() conduct {
	if c := s.Rules.Follows(); c != nil {
		return following{by: c}
	}
	if c := s.Rules.Updates(); c != nil {
		return selecting{by: c}
	}
	return acting{}
}

// controller is what drives the group by itself, nil for none.
func (s *Reader) controller() selfdriven.Controller { return selfdriven.Of(&s.W.Group) }

// drivenBy is the name of what drives the group by itself.
func (s *Reader) drivenBy() string {
	for _, c := range []selfdriven.Controller{s.Rules.Follows(), s.Rules.Updates(), s.controller()} { // a record does not tell of the group
		if c != nil {
			return string(c.Mover())
		}
	}
	return text.ItsController
}

// waitOf is a controller's deadline as a wait: it runs by itself.
func waitOf(d *selfdriven.Deadline) *record.Wait {
	if d == nil {
		return nil
	}
	return &record.Wait{For: d.For, Start: d.Start, End: d.End, Basis: d.Basis, Guess: d.Guess}
}

// acting is a run that rolls its group.
type acting struct{}

func (acting) pauseNote(*Reader) string { return "" }

func (acting) unable(*Reader, record.CommandKind) (string, bool) { return "", false }

func (acting) abortPlan(s *Reader) []string { return s.abortPlan() }

func (acting) inPlace(*Reader, string) bool { return false }

func (acting) holdsIdle() bool { return false }

func (acting) partner(world.Mover) bool { return false }

func (acting) rollsBack() bool { return true }

func (acting) did(*Reader) string { return text.DidReplace }

func (acting) takes(n record.Node) NodeCommands {
	return NodeCommands{Force: isDraining(n), Skip: skippable(n), Return: returnable(n)}
}

// selecting is a run that selects nodes for their update in place by the group's controller.
type selecting struct {
	acting
	by selfdriven.Controller
}

func (selecting) holdsIdle() bool { return true }

func (c selecting) partner(m world.Mover) bool { return m == c.by.Mover() }

func (selecting) rollsBack() bool { return false }

// inPlace: some may be ended all the same, which the strategy says.
func (selecting) inPlace(s *Reader, id string) bool {
	stage := s.Run.Nodes[id].Stage
	return (stage == record.Outdated || stage == record.Queued) && !s.Rules.Ends(s, id)
}

func (selecting) did(s *Reader) string {
	if s.endedSome() {
		return text.DidUpdateOrEnd
	}
	return text.DidUpdate
}

// following is a run that follows its group's controller. What only a run that drains nodes is
// asked it has from acting.
type following struct {
	acting
	by selfdriven.Controller
}

func (f following) abortPlan(s *Reader) []string { return f.abortFollowing(s) }

func (f following) pauseNote(*Reader) string { return text.PauseNote(f.name()) }

func (f following) unable(s *Reader, kind record.CommandKind) (string, bool) {
	why := f.unableFollowing(s, kind)
	return why, why != "" || kind == record.CmdSkip || kind == record.CmdReturn
}

// takes: skip and return change the order, which only those still to go have.
func (f following) takes(n record.Node) NodeCommands {
	return NodeCommands{Force: isDraining(n), Skip: n.Stage == record.Outdated, Return: n.Stage == record.Outdated}
}

// name is the controller's, for people.
func (f following) name() string { return string(f.by.Mover()) }
