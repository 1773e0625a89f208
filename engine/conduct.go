package engine

import (
	"github.com/drainboard/drainboard/engine/selfdriven"
)

// conduct is who rolls the group of a run: the run by its own actions (acting), or the group's
// own controller, which the run follows and helps (following). Decide, plans and snapshots hand
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
	reorder(s *Step, c Command)
	unable(s *Reader, kind CommandKind) (why string, settled bool)
	takes(n Node) NodeCommands
	// plan takes the group's machines in, and returns those to be replaced; movers are who
	// else moves nodes, as a plan has them.
	plan(s *Step) (outdated []string)
	movers(s *Reader) []ExternalMover
	// external is what others do with the group, nil in a run that rolls it by itself; abortPlan
	// says what an abort would do now.
	external(s *Reader) *ExternalActivity
	abortPlan(s *Reader) []string
}

// conduct is the run's.
func (s *Reader) conduct() conduct {
	if c := s.Rules.Follows(); c != nil {
		return following{c}
	}
	return acting{}
}

// controller is what drives the group by itself, nil for none.
func (s *Reader) controller() selfdriven.Controller { return selfdriven.Of(&s.W.Group) }

// drivenBy is the name of what drives the group by itself.
func (s *Reader) drivenBy() string {
	if c := s.controller(); c != nil {
		return string(c.Mover())
	}
	return "its controller"
}

// waitOf is a controller's deadline as a wait: it runs by itself.
func waitOf(d *selfdriven.Deadline) *Wait {
	if d == nil {
		return nil
	}
	return &Wait{For: d.For, Start: d.Start, End: d.End, Basis: d.Basis, Guess: d.Guess}
}

// acting is a run that rolls its group.
type acting struct{}

func (acting) observe(s *Step)                            { s.observe() }
func (acting) advance(s *Step)                            { s.advance() }
func (acting) pauseNote(*Reader) string                   { return "" }
func (acting) unable(*Reader, CommandKind) (string, bool) { return "", false }
func (acting) movers(s *Reader) []ExternalMover           { return s.externalMovers() }
func (acting) external(s *Reader) *ExternalActivity       { return s.Run.External }
func (acting) abortPlan(s *Reader) []string               { return s.abortPlan() }

func (acting) reorder(s *Step, c Command) {
	if c.Kind == CmdSkip {
		s.handleSkip(c)
	} else {
		s.handleReturn(c)
	}
}

func (acting) takes(n Node) NodeCommands {
	return NodeCommands{Force: isDraining(n), Skip: skippable(n), Return: returnable(n)}
}

func (acting) plan(s *Step) (outdated []string) {
	for _, m := range s.W.Machines() {
		if m.Leaving() {
			continue
		}
		s.SetNode(m.ID, s.takeIn(m))
		if s.Run.Nodes[m.ID].Stage == Outdated {
			outdated = append(outdated, m.ID)
		}
	}
	return outdated
}

// following is a run that follows its group's controller.
type following struct{ by selfdriven.Controller }

func (f following) observe(s *Step)                { s.observeController() }
func (f following) advance(s *Step)                { s.followController(f) }
func (f following) reorder(s *Step, c Command)     { f.lateOrSooner(s, c) }
func (f following) movers(*Reader) []ExternalMover { return nil }
func (f following) abortPlan(s *Reader) []string   { return f.abortFollowing(s) }
func (f following) pauseNote(*Reader) string       { return "; what " + f.name() + " has begun goes on" }

func (f following) unable(s *Reader, kind CommandKind) (string, bool) {
	why := f.unableFollowing(s, kind)
	return why, why != "" || kind == CmdSkip || kind == CmdReturn
}

// takes: skip and return change the order, which only those still to go have.
func (f following) takes(n Node) NodeCommands {
	return NodeCommands{Force: isDraining(n), Skip: n.Stage == Outdated, Return: n.Stage == Outdated}
}

func (f following) plan(s *Step) []string {
	s.observeController()
	return s.In(Outdated, Draining, Updating, Settling)
}

// external is read anew where the run comes from a record, which does not have it.
func (f following) external(s *Reader) *ExternalActivity {
	if s.Run.External != nil {
		return s.Run.External
	}
	return newExternalActivity(s.Now, s.W, nil, nil)
}

// name is the controller's, for people.
func (f following) name() string { return string(f.by.Mover()) }
