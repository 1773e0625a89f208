// Package selfdriven is what the engine asks of systems that move the nodes of a group by
// themselves: Gardener's machine-controller-manager, EKS for its managed node groups, Cluster
// API. A run in such a group follows what the system does and helps where it offers something.
//
// A Controller is one such system. It is pure: it reads the world, does no I/O and keeps
// nothing. It answers, for a node:
//
//   - who moves it, beyond what the marks on the node say (Told), and how it stands: its stage
//     is read from the moves by the engine, Next adds what comes next, why, and by when;
//   - which limits the system has, so that deadlines are its own and not ours (Limits);
//   - what becomes of a pod that its budgets keep (Kept);
//   - the object that commands change (Object).
//
// For the group it answers what the system has not done for the current generation of what was
// asked for (Unfinished: nothing means that it is through; before the first node it is what a
// run waits for), how many nodes it takes at a time (AtOnce), and which parts of the group can be
// paused (Parts). A command becomes a Request to change one of the system's objects. Where it
// offers nothing, Refuses says why.
//
// Package engine asks a controller in these places only: the marks of others are read
// (assess/movers), a followed run is decided (follow.go, to which decide.go hands over in
// one place, decide.go), and an update in place that we select nodes for is watched (inplace.go).
// Waits, approvals, pauses, the record and the journal are the engine's and the same for all.
//
// A new system is: a package beside mcm that implements Controller and registers it, a strategy
// that embeds strategy.Follow, a line each in world/mover.go and in the list of strategies, and
// the part of providers that fills the world and carries out its requests. engine/sim has an example,
// the controller of toy_test.go. Runs that follow it have a forecast once engine/sim plays what it does
// (drivesitself.go).
package selfdriven

import (
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Controller is a system that moves the nodes of its groups by itself.
type Controller interface {
	// ID names it in records. machine-controller-manager's is empty: its records are older
	// than the name.
	ID() string
	// Mover is its name for people, and whose the moves of nodes are that its marks tell.
	Mover() world.Mover
	// Words are what its sentences are made of.
	Words() Words
	// Drives reports whether a group is driven by it.
	Drives(g *world.Group) bool

	// Told are the moves that its own objects tell of a machine, and marks on its node (nil
	// without one) beside those that package world reads on any.
	Told(m *world.Machine, node *world.Node) []world.Move
	// Next adds to a sight of a node what the controller does next with it, and when.
	Next(s Sight) Sight
	// Limits are its limits for a machine; for nil those of the group.
	Limits(g *world.Group, m *world.Machine) Limits
	// Kept is what becomes of a pod that budgets keep on a node that the controller drains.
	Kept(k Kept) Outlook
	// InTurn lists the pods of a node that the controller takes off one after the other, and says
	// how long that takes.
	InTurn(w *world.World, node string) (pods []*world.Pod, takes string)
	// Passes is from when on it removes a pod that budgets keep past these.
	Passes(k Kept) Passing
	// Object is what commands change of a machine, false where none is known.
	Object(m *world.Machine) (Object, bool)

	// Unfinished lists what shows that it is not through with the group for the current
	// generation, nothing where nothing does.
	Unfinished(g *world.Group) []world.Unfinished
	// Unproven says what could be due in a group where nothing is outdated and nothing shows that
	// it is unfinished: what is read cannot prove that it is done. Nothing where that is proved.
	Unproven(g *world.Group) []world.Unfinished
	// Proof says what proves that the group is done where a sign that usually does is missing, ""
	// where none is missing.
	Proof(g *world.Group) string
	// Unstarted reports whether what is unfinished shows that it may not have come to the
	// group's nodes yet.
	Unstarted(left []world.Unfinished) bool
	// AtOnce is how many nodes it takes out of service at once, 0 where it is not known.
	AtOnce(g *world.Group) int
	// Controls reports whether its own objects are read and can be changed.
	Controls(g *world.Group) bool
	// Namespace is where its objects are, "" where they are not known or in none.
	Namespace(g *world.Group) string
	// Parts are what can be paused of a group, none without its objects.
	Parts(g *world.Group) []Part

	// Refuses says why no request of a kind is possible in a group whose objects can be
	// changed, "" if one is.
	Refuses(g *world.Group, kind Kind) string
	// Turns are the priorities by which its machines go.
	Turns() Turns
	// Describe says a request in a few words, and as the command that does the same.
	Describe(r Request) (what, command string)
}

// Paced is a Controller whose pace the owner of a group sets, in an object beside the
// controller's own: how many nodes it replaces at once. It takes a change of that while it is at
// work.
type Paced interface {
	Controller
	// PaceGiven reports whether that object is asked for; Pace is what it says now, false where it
	// cannot be read.
	PaceGiven(g *world.Group) bool
	Pace(g *world.Group) (world.Pace, bool)
	// PaceIn is where the pace of a group is: namespace and name of the object, and the name of the
	// group in it.
	PaceIn(g *world.Group) (namespace, object, group string)
	// PaceRefused says why the controller would not take another pace now, "" if it would.
	PaceRefused(g *world.Group) string
}

// Words are what the sentences about a controller are made of.
type Words struct {
	// Part is what can be paused: "machine deployment".
	Part string
	// Where its objects are, "the control cluster", and the Flags by which they are reached.
	Where string
	Flags []string
	// Back says how to go back to what was before.
	Back string
}

// Stage is how a node stands. The values are the engine's stages; others mean nothing here.
type Stage string

// Stages that a controller tells apart.
const (
	Outdated    Stage = "outdated"
	Draining    Stage = "draining"
	Settling    Stage = "settling"
	Terminating Stage = "terminating"
	Replaced    Stage = "replaced"
	Launching   Stage = "launching"
	Updating    Stage = "updating"
	Failed      Stage = "failed"
	Skipped     Stage = "skipped"
)

// Sight is how a node is seen to stand.
type Sight struct {
	Now     time.Time
	World   *world.World
	Machine *world.Machine
	Node    *world.Node // nil before it joins and after it has left
	// Name of the node, "" as long as none is known; Moves are who moves it, what has come
	// furthest first.
	Name  string
	Moves []world.Move

	// Was is the stage in which the node was seen before, "" at first, and since when; Pods is how many pods
	// that have to leave were seen on it at most since it takes no new ones, 0 before.
	Was      Stage
	WasSince time.Time
	Pods     int

	// Among is how many nodes the controller was inferred to be at one of, if this is one of them;
	// 0 if it is none. Where it is known to be at others, it may be at up to More of them. Guessed: Was is
	// what followed from that alone.
	Among   int
	More    int
	Guessed bool

	// New: it is no node to be replaced, as far as templates and marks tell.
	New bool
	// Stage, Reason and Deadline (nil for none) are what Next works out further, with New, and since when
	// the node is in a new stage; the zero time is now.
	Stage    Stage
	Since    time.Time
	Reason   string
	Deadline *Deadline
}

// Deadline is a countdown of the controller's own: it runs whether or not anybody looks.
type Deadline struct {
	// For says in a word or two what it ends with.
	For        string
	Start, End time.Time
	// Basis says in a sentence what it rests on; Guess: it is an estimate.
	Basis string
	Guess bool
}

// Limits are how long a controller lets things take; 0 where that is not known.
type Limits struct {
	Drain, Update time.Duration
	// Slow is for how long pods are kept on a node before that is told.
	Slow time.Duration
	// Guess: they are taken for granted, and were not read.
	Guess bool
}

// Kept is a pod that budgets keep on a node that a controller drains.
type Kept struct {
	Now     time.Time
	World   *world.World
	Machine *world.Machine
	Node    *world.Node
	// Since is when the drain began, as far as is known.
	Since time.Time
	// Budget is the first of its budgets; Several: more than one covers it; Closed: it is the
	// budget alone that keeps it.
	Budget  *world.Budget
	Several bool
	Closed  bool
}

// Passing is when a controller removes pods that budgets keep on a machine's node, past these.
type Passing struct {
	// At is from when on a pod that vanishes there was removed so, the zero time while it is not
	// due. It is a little before a deadline, as clocks differ.
	At time.Time
	// By is the program that removes it. Guess: the controller's own objects are not read.
	By    string
	Guess bool
}

// Outlook is what becomes of a pod that is kept.
type Outlook struct {
	// Forces: it goes in the end, past its budgets.
	Forces bool
	// Adds continues after the way out of those who drain by themselves.
	Adds string
	// Deadline is when the pod is deleted past its budget, nil where it is not by itself.
	Deadline *Deadline
}

// Part is what can be paused of a group by itself.
type Part struct {
	Name   string
	Paused bool
	// Complete: it has nothing left to do.
	Complete bool
}

// Object is a machine among the controller's objects.
type Object struct {
	Name string
	// Ends: its end was asked for; Forced: by force.
	Ends, Forced bool
	// Priority decides which machine goes first, the lowest.
	Priority int
}

// Turns are the priorities that machines are given.
type Turns struct {
	// First goes before the others, Usual is what they have, Last goes after them.
	First, Usual, Last int
	// Name is what a priority is called, Mark where it is seen, Among whom it decides.
	Name, Mark, Among string
}

// Kind is what is asked of a controller.
type Kind string

// Requests. Each is an action of the engine's, of the same name.
const (
	Pause  Kind = "hold-roll"
	Resume Kind = "let-roll"
	Force  Kind = "force-machine"
	Turn   Kind = "prioritize"
	// SetPace is for a Paced controller only.
	SetPace Kind = "set-pace"
)

// Request is a change of one of the controller's objects.
type Request struct {
	Kind Kind
	// Object is a Part's name for Pause and Resume, else that of a machine's Object.
	Namespace, Object string
	// Priority is that of a Turn.
	Priority int
	// Group and Pace are those of a SetPace, which takes the place of From.
	Group      string
	Pace, From world.Pace
}

// Seen reports whether the world shows a request done; for Force and Turn m is the machine. What
// has gone is done.
func Seen(c Controller, g *world.Group, m *world.Machine, r Request) bool {
	switch r.Kind {
	case Pause, Resume:
		for _, p := range c.Parts(g) {
			if p.Name == r.Object {
				return p.Paused == (r.Kind == Pause)
			}
		}
		return true
	case SetPace:
		paced, is := c.(Paced)
		if !is {
			return false
		}
		now, known := paced.Pace(g)
		return known && now == r.Pace
	}
	if m == nil {
		return true
	}
	o, known := c.Object(m)
	if !known || o.Name != r.Object {
		return true
	}
	return r.Kind == Force && o.Forced || r.Kind == Turn && o.Priority == r.Priority
}
