package engine

import (
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// conduct is who rolls the group of a run: the run by its own actions (acting), the group's own
// controller with those nodes that the run selects (selecting), or that controller by itself, which
// the run follows and helps (following). Decide, plans and snapshots hand
// over here; waits, approvals, pauses, the record and its checks are the same for both.
type conduct interface {
	// observe brings the run's nodes up to date with the world; advance does what the run's
	// state asks for.
	observe(s *Step)
	advance(s *Step)
	// pauseNote says what a pause does not stop, "" where it stops all.
	pauseNote(s *Reader) string
	// reorder obeys a skip or a return. unable says why a command is not possible now, "" if it
	// is; settled: nothing else has to be asked. takes says which a node takes.
	reorder(s *Step, c record.Command)
	unable(s *Reader, kind record.CommandKind) (why string, settled bool)
	takes(n record.Node) NodeCommands
	// plan takes the group's machines in, and returns those to be replaced; movers are who
	// else moves nodes, as a plan has them.
	plan(s *Step) (outdated []string)
	movers(s *Reader) []record.ExternalMover
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
	// external is what others do with the group, nil in a run that rolls it by itself; abortPlan
	// says what an abort would do now.
	external(s *Reader) *record.ExternalActivity
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

func (acting) observe(s *Step) { s.observe() }

func (acting) advance(s *Step) { s.advance() }

func (acting) pauseNote(*Reader) string { return "" }

func (acting) unable(*Reader, record.CommandKind) (string, bool) { return "", false }

func (acting) movers(s *Reader) []record.ExternalMover { return s.externalMovers() }

func (acting) external(s *Reader) *record.ExternalActivity { return s.Run.External }

func (acting) abortPlan(s *Reader) []string { return s.abortPlan() }

func (acting) inPlace(*Reader, string) bool { return false }

func (acting) holdsIdle() bool { return false }

func (acting) partner(world.Mover) bool { return false }

func (acting) rollsBack() bool { return true }

func (acting) did(*Reader) string { return text.DidReplace }

func (acting) reorder(s *Step, c record.Command) {
	if c.Kind == record.CmdSkip {
		s.handleSkip(c)
	} else {
		s.handleReturn(c)
	}
}

func (acting) takes(n record.Node) NodeCommands {
	return NodeCommands{Force: isDraining(n), Skip: skippable(n), Return: returnable(n)}
}

func (acting) plan(s *Step) (outdated []string) {
	for _, m := range s.W.Machines() {
		if m.Leaving() {
			continue
		}
		s.SetNode(m.ID, s.takeIn(m))
		if s.Run.Nodes[m.ID].Stage == record.Outdated {
			outdated = append(outdated, m.ID)
		}
	}
	return outdated
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

func (f following) observe(s *Step) { s.observeController() }

func (f following) advance(s *Step) { s.followController(f) }

func (f following) reorder(s *Step, c record.Command) { f.lateOrSooner(s, c) }

func (f following) movers(*Reader) []record.ExternalMover { return nil }

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

func (f following) plan(s *Step) []string {
	s.observeController()
	return s.In(record.Outdated, record.Draining, record.Updating, record.Settling)
}

// external is read anew where the run comes from a record, which does not have it.
func (f following) external(s *Reader) *record.ExternalActivity {
	if s.Run.External != nil {
		return s.Run.External
	}
	return newExternalActivity(s.Now, s.W, nil, nil)
}

// name is the controller's, for people.
func (f following) name() string { return string(f.by.Mover()) }
