package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// Inputs are what happened since the last decision.
type Inputs struct {
	Outcomes []record.Outcome
	Commands []record.Command
	// Unwritten: the run record cannot be written. Nothing is asked for then, because every
	// change is in the record first; outcomes are taken, the world is observed, and no
	// deadline counts.
	Unwritten bool
	// Pause is why the run pauses itself, "" if it does not.
	Pause string
}

// Decision is what Decide returns.
type Decision struct {
	Run     record.Run
	Actions []record.Action
	Events  []record.Event
	// Acks answer the commands from elsewhere among the inputs. They are given once
	// the run is saved.
	Acks []record.Ack
	// Wake is when to decide again at the latest.
	Wake time.Time
	// ReadCloud: the cloud is to be read now, because a look at it is due and what is known
	// of it is older.
	ReadCloud bool
	// Changed: the run differs in more than the time it was last seen.
	Changed bool
	// Touched are the machines whose nodes may differ or are new or gone, sorted.
	Touched []string

	voids bool // what was seen of a node does not count any more
}

// SavesFirst reports whether a decision is in the record before anything else happens, though no action
// depends on it: it tells the end of a machine, which no other process is to tell again, or what was seen
// of a node does not count any more, which a process that resumes could not know.
func (d *Decision) SavesFirst() bool {
	return d.voids || slices.ContainsFunc(d.Events, func(e record.Event) bool { return e.Type == record.NodeTerminating })
}

// Heartbeat is the longest a running run goes without a decision; a pause
// several times as long counts as time in which it could not act.
const Heartbeat = 5 * time.Second

// Decide takes a run one step further. It does not change r.
func Decide(rules Strategy, now time.Time, w *world.World, r record.Run, in Inputs) Decision {
	s := newStep(rules, now, w, r)
	s.unwritten = in.Unwritten
	s.countTime(s.blind())
	takeOutcomes(s, in.Outcomes)
	known := s.Known()
	if known {
		driveOf(s.Rules).observe(s)
		dropNames(s)
	}
	noteUncordoned(s)
	forgetHandled(s)
	for _, c := range in.Commands {
		if c.ID != "" {
			handleRemote(s, c)
		} else {
			handle(s, c)
		}
	}
	if known && r.State == record.Paused && s.Run.State == record.Running {
		observeCanary(s) // what has paused it may be so yet
	}
	blindness(s, r.State, nil)
	if in.Pause != "" && s.Run.State == record.Running {
		s.Pause(in.Pause)
		s.changed = true
	}
	if known && !s.unwritten {
		driveOf(s.Rules).advance(s)
		previewBatch(s)
	}
	reportFound(s)
	s.Run.Seen = now
	s.Run.Blind = s.blind()
	s.changed = s.changed || boundsChanged(&r, &s.Run) || !s.unwritten && !slices.Equal(s.Run.Blind, r.Blind) || len(s.events) > 0 || len(s.actions) > 0 || len(in.Outcomes) > 0
	slices.Sort(s.touched)
	return Decision{Run: s.Run, Actions: s.actions, Events: s.events, Acks: s.acks, Wake: s.Wake(), ReadCloud: s.readsNow, Changed: s.changed, Touched: slices.Compact(s.touched), voids: s.voids}
}

// boundsChanged reports whether how many nodes may go, or join, at once is another number now: a setup that waits
// for approval determines it in each decision, and a user may scale the group meanwhile.
func boundsChanged(was, is *record.Run) bool {
	return was.Limit != is.Limit || was.Raise != is.Raise || !maps.Equal(was.Zones, is.Zones)
}

// advance does what the run's state asks for, in a run that rolls its group.
func (s *Step) advance() {
	if s.Run.State == record.Running || s.Run.State == record.Paused {
		s.watchExternalMovers()
	}
	switch s.Run.State {
	case record.Running:
		runGoneHooks(s)
		if s.Run.Retires() {
			retirement{s}.retireSurge()
		} else {
			s.strategy.Step(s)
		}
		s.advanceNodes() // none of these continues once something has ended the run
		moveSingles(s)
		evict(s)
	case record.Paused:
		lookAtUpdates(s)
		s.advanceNodes()
		runGoneHooks(s)
	case record.Ending:
		s.end()
	}
	checkPending(s)
}

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

// Step is one decision in the making, handed to the strategy. Its methods ask
// for actions, start waits, report events and move nodes between stages. What only reads
// is the Reader's, which it embeds.
type Step struct {
	assess.Reader
	strategy Strategy

	unwritten bool                      // see Inputs
	looks     map[string]record.Outcome // answers of LookAtPods, by machine

	routes    map[string]record.Outcome // answers of LookAtRoutes, by machine
	balancers map[string]record.Outcome // answers of LookAtBalancers, likewise

	actions  []record.Action
	failed   bool   // this decision has ended the run
	overdue  string // a launch that is overdue, "" if none is: no drain starts
	events   []record.Event
	acks     []record.Ack
	declined bool // the command that is being obeyed was refused
	changed  bool
	readsNow bool            // see Decision.ReadCloud
	voids    bool            // see Decision.SavesFirst
	made     *world.Template // answer of CreateTemplate

	nodes           shards.Editor[record.Node] // changes Run.Nodes
	pods            shards.Editor[record.Pod]  // changes Run.Pods
	copiedMarks     bool                       // Run.Marks are this step's own
	copiedWorkloads bool                       // Run.Workloads and Run.Leaving are
	touched         []string                   // machines whose nodes were set or dropped
}

func newStep(rules Strategy, now time.Time, w *world.World, r record.Run) *Step {
	if r.Nodes.IsNil() {
		r.Nodes = shards.Of(map[string]record.Node{})
	}
	if r.Marks == nil {
		r.Marks = map[string][]record.Mark{}
	}
	s := &Step{Reader: assess.NewReader(rules, now, w, r), strategy: rules, looks: map[string]record.Outcome{}, routes: map[string]record.Outcome{}, balancers: map[string]record.Outcome{}}
	s.WakeAt(now.Add(Heartbeat))
	c := &s.Run
	c.Pending = cloneMap(r.Pending)
	c.Retries = cloneMap(r.Retries)
	c.Singles = cloneMap(r.Singles)
	c.Phases = slices.Clone(r.Phases)
	c.Order = slices.Clip(r.Order)
	c.Batches = slices.Clone(r.Batches)
	c.Orders = slices.Clone(r.Orders)
	c.BlockingPods = slices.Clip(r.BlockingPods)
	c.Unrestored = slices.Clip(r.Unrestored)
	c.Notes = slices.Clip(r.Notes)
	c.Suspended = slices.Clone(r.Suspended)
	c.AskedZones = slices.Clone(r.AskedZones)
	c.PendingHooks = slices.Clip(r.PendingHooks)
	c.HandledCommands = slices.Clone(r.HandledCommands)
	c.Target.Templates = slices.Clip(r.Target.Templates)
	c.PausedDeployments = slices.Clip(r.PausedDeployments)
	return s
}

// fewEntries is up to how many entries a map is filled again instead of cloned.
const fewEntries = 128

// cloneMap copies a map, never to nil. A clone is as large as the map ever was: thousands of actions
// of a setup would be cleared memory in every decision after it, so a map of few entries is filled
// again.
func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	if len(m) > fewEntries {
		return maps.Clone(m)
	}
	out := make(map[K]V, len(m))
	maps.Copy(out, m)
	return out
}

// Start turns a planned run into a running one.
func Start(r record.Run, now time.Time, by string) record.Run {
	r.State, r.Started, r.By = record.Running, now, by
	return r
}

// Report adds an event; the step fills in what all events of a run share.
func (s *Step) Report(e record.Event) {
	e.Time, e.Run, e.Group = s.Now, s.Run.ID, s.Run.Group
	if e.Phase == "" {
		e.Phase = s.Phase()
	}
	if e.Zone == "" && e.Node != "" {
		if n := s.W.Node(e.Node); n != nil {
			e.Zone = n.Zone
		}
	}
	s.events = append(s.events, e)
}

// NoteChange has the run count as changed (Decision.Changed), where no event, action or outcome
// shows that it did.
func (s *Step) NoteChange() { s.changed = true }

// ReadCloud has the cloud read now (Decision.ReadCloud).
func (s *Step) ReadCloud() { s.readsNow = true }

// Enter ends the current phase and begins the named one; entering the current
// phase again does nothing. An empty name only ends.
func (s *Step) Enter(name string) {
	if name != "" && (s.Phase() == name || s.Run.State != record.Running) {
		return
	}
	for i, p := range s.Run.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			s.Run.Phases[i].End = s.Now
			if w := s.Run.PhaseWait; name == "" || w == nil || w.For != record.WaitReplacements { // that one continues in the next phase
				s.Run.PhaseWait = nil
			}
			s.Report(record.Event{Type: record.PhaseFinished, Phase: p.Name, Message: text.PhaseTook(p.Name, s.Now.Sub(p.Start))})
		}
	}
	for i, p := range s.Run.Phases {
		if p.Name == name {
			s.Run.Phases[i].Start = s.Now
			s.Report(record.Event{Type: record.PhaseStarted, Phase: name, Message: name})
		}
	}
}

// Strategy is the rules of one system, and what it does. Everything that all systems share is done
// by the Step that it is given.
type Strategy interface {
	assess.Rules
	// Step asks for what the current phase needs. It is called at every decision
	// of a running run.
	Step(s *Step)
	// End restores what the strategy changed on the group, after an abort or a
	// failure. It reports whether all is done.
	End(s *Step) bool
}

// Validating is a strategy that has the cluster validated after each machine that the run has ended.
type Validating interface {
	// Proved takes that on, and reports whether no proof is owed.
	Proved(s *Step) bool
}
