package assess

import (
	"slices"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Conduct is who rolls the group of a run: the run by its own actions (acting), the group's own
// controller with those nodes that the run selects (selecting), or that controller by itself, which
// the run follows and helps (following). Plans and snapshots ask it what differs, and drive is what
// a decision does; waits, approvals, pauses, the record and its checks are the same for all.
type Conduct interface {
	// PauseNote says what a pause does not stop, "" where it stops all.
	PauseNote(s *Reader) string
	// unable says why a command is not possible now, "" if it is; settled: nothing else has to be
	// asked. takes says which a node takes.
	unable(s *Reader, kind record.CommandKind) (why string, settled bool)
	Takes(n record.Node) NodeCommands
	// InPlace reports whether a node that is about to be emptied is selected for an update in
	// place, and not drained by us; HoldsIdle, whether the strategy may hold also one that does
	// not serve; partner, whether what a mover does with the nodes is our own business.
	InPlace(s *Reader, id string) bool
	HoldsIdle() bool
	Partner(m world.Mover) bool
	// RollsBack reports whether a run that fails offers the way back; did is what it has done
	// with nodes.
	RollsBack() bool
	Did(s *Reader) string
	// abortPlan says what an abort would do now.
	AbortPlan(s *Reader) []string
}

// Conduct is the run's.
func (s *Reader) Conduct() Conduct {
	if c := s.Rules.Follows(); c != nil {
		return following{by: c}
	}
	if c := s.Rules.Updates(); c != nil {
		return selecting{by: c}
	}
	return acting{}
}

// Controller is what drives the group by itself, nil for none.
func (s *Reader) Controller() selfdriven.Controller { return selfdriven.Of(&s.W.Group) }

// DrivenBy is the name of what drives the group by itself.
func (s *Reader) DrivenBy() string {
	for _, c := range []selfdriven.Controller{s.Rules.Follows(), s.Rules.Updates(), s.Controller()} { // a record does not tell of the group
		if c != nil {
			return string(c.Mover())
		}
	}
	return systems.ItsController
}

// WaitOf is a controller's deadline as a wait: it runs by itself.
func WaitOf(d *selfdriven.Deadline) *record.Wait {
	if d == nil {
		return nil
	}
	return &record.Wait{For: d.For, Start: d.Start, End: d.End, Basis: d.Basis, Guess: d.Guess}
}

// acting is a run that rolls its group.
type acting struct{}

func (acting) PauseNote(*Reader) string { return "" }

func (acting) unable(*Reader, record.CommandKind) (string, bool) { return "", false }

func (acting) AbortPlan(s *Reader) []string { return abortRolling(s) }

func (acting) InPlace(*Reader, string) bool { return false }

func (acting) HoldsIdle() bool { return false }

func (acting) Partner(world.Mover) bool { return false }

func (acting) RollsBack() bool { return true }

func (acting) Did(*Reader) string { return text.DidReplace }

func (acting) Takes(n record.Node) NodeCommands {
	return NodeCommands{Force: IsDraining(n), Skip: Skippable(n), Return: Returnable(n), Extend: Extendable(n)}
}

// selecting is a run that selects nodes for their update in place by the group's controller.
type selecting struct {
	acting
	by selfdriven.Controller
}

func (selecting) HoldsIdle() bool { return true }

func (c selecting) Partner(m world.Mover) bool { return m == c.by.Mover() }

func (selecting) RollsBack() bool { return false }

// InPlace: some may be ended all the same, which the strategy says.
func (selecting) InPlace(s *Reader, id string) bool {
	stage := s.Run.Nodes.Peek(id).Stage
	return (stage == record.Outdated || stage == record.Queued) && !s.Rules.Ends(s, id)
}

func (selecting) Did(s *Reader) string {
	if endedSome(s) {
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

func (f following) AbortPlan(s *Reader) []string { return f.abortFollowing(s) }

func (f following) PauseNote(*Reader) string { return systems.PauseNote(f.name()) }

func (f following) unable(s *Reader, kind record.CommandKind) (string, bool) {
	why := f.unableFollowing(s, kind)
	return why, why != "" || kind == record.CmdSkip || kind == record.CmdReturn
}

// Takes: skip and return change the order, which only those still to go have.
func (f following) Takes(n record.Node) NodeCommands {
	return NodeCommands{Force: IsDraining(n), Skip: n.Stage == record.Outdated, Return: n.Stage == record.Outdated}
}

// name is the controller's, for people.
func (f following) name() string { return string(f.by.Mover()) }

// endedSome reports whether the machine of a node that was to be updated in place is gone.
func endedSome(s *Reader) bool {
	return slices.ContainsFunc(s.In(record.Replaced), func(id string) bool { return s.W.Machine(id) == nil })
}
