// Package engine decides how the nodes of a group are rolled. It does no I/O,
// reads no clock, starts no goroutine:
//
//	Decide(rules, now, world, run, inputs) → run', actions, events, next wake-up
//
// A Run is a plain value that says what cannot be read from the world. Decide
// looks at the world as it is, takes what came of earlier actions and what the
// operator said, and returns the next run together with the actions that bring
// the world closer to the run's end. The caller saves run' first and acts then.
//
// The rules of one system (phases, limits, order, the next step of a node) are a
// Strategy, in package strategy. What all of them share is here, a file each:
// time.go (waits and usable time), ensure.go (actions, nothing twice), observe.go
// (stages from the world), facts.go (what is kept of the machines), batch.go (approvals), gate.go (when a drain may
// start), externalmover.go (who else moves nodes), hook.go (the user's own commands around a node), node.go
// (one node from drain to termination), evict.go (evictions under budgets), command.go, commands.go and remotecommands.go (the operator), end.go (abort and failure),
// view.go (snapshots).
package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// Inputs are what happened since the last decision.
type Inputs struct {
	Outcomes []Outcome
	Commands []Command
	// Unwritten: the run record cannot be written. Nothing is asked for then, because every
	// change is in the record first; outcomes are taken, the world is observed, and no
	// deadline counts.
	Unwritten bool
	// Pause is why the run pauses itself, "" if it does not.
	Pause string
}

// Decision is what Decide returns.
type Decision struct {
	Run     Run
	Actions []Action
	Events  []Event
	// Acks answer the commands from elsewhere among the inputs. They are given once
	// the run is saved.
	Acks []Ack
	// Wake is when to decide again at the latest.
	Wake time.Time
	// Changed: the run differs in more than the time it was last seen.
	Changed bool
	// Touched are the machines whose nodes may differ or are new or gone, sorted.
	Touched []string
}

// Heartbeat is the longest a running run goes without a decision; a pause
// several times as long counts as time in which it could not act.
const Heartbeat = 5 * time.Second

// Decide takes a run one step further. It does not change r.
func Decide(rules Strategy, now time.Time, w *world.World, r Run, in Inputs) Decision {
	s := newStep(rules, now, w, r)
	s.unwritten = in.Unwritten
	s.countTime(s.blind())
	s.takeOutcomes(in.Outcomes)
	known := s.known()
	if known {
		s.conduct().observe(s)
		s.dropNames()
	}
	s.forgetHandled()
	for _, c := range in.Commands {
		if c.ID != "" {
			s.handleRemote(c)
		} else {
			s.handle(c)
		}
	}
	if in.Pause != "" && s.Run.State == Running {
		s.Pause(in.Pause)
		s.changed = true
	}
	if known && !s.unwritten {
		s.conduct().advance(s)
		s.previewBatch()
	}
	s.reportFound()
	s.Run.Seen = now
	s.Run.Blind = s.blind()
	s.changed = s.changed || !s.unwritten && !slices.Equal(s.Run.Blind, r.Blind) || len(s.events) > 0 || len(s.actions) > 0 || len(in.Outcomes) > 0
	slices.Sort(s.touched)
	return Decision{Run: s.Run, Actions: s.actions, Events: s.events, Acks: s.acks, Wake: s.wake, Changed: s.changed, Touched: slices.Compact(s.touched)}
}

// known reports whether every source has been read once. Before that, what is not
// in the world may only be unknown.
func (s *Reader) known() bool {
	return !slices.ContainsFunc(s.Run.Sources(), func(src world.Source) bool { return s.W.Health[src].Fresh.IsZero() })
}

// advance does what the run's state asks for, in a run that rolls its group.
func (s *Step) advance() {
	if s.Run.State == Running || s.Run.State == Paused {
		s.watchExternalMovers()
	}
	switch s.Run.State {
	case Running:
		s.runGoneHooks()
		s.Rules.Step(s)
		s.advanceNodes() // none of these goes on once something has ended the run
		s.evict()
	case Paused:
		s.lookAtUpdates()
		s.advanceNodes()
		s.runGoneHooks()
	case Ending:
		s.end()
	}
	s.checkPending()
}

// Step is one decision in the making, handed to the strategy. Its methods ask
// for actions, start waits, report events and move nodes between stages. What only reads
// is the Reader's, which it embeds.
type Step struct {
	Reader

	actions  []Action
	failed   bool // this decision has ended the run
	events   []Event
	acks     []Ack
	declined bool // the command that is being obeyed was refused
	changed  bool
	made     *world.Template // answer of CreateTemplate

	copied, copiedMarks bool     // Run.Nodes, Run.Marks are this step's own
	touched             []string // machines whose nodes were set or dropped
}

func newStep(rules Strategy, now time.Time, w *world.World, r Run) *Step {
	s := &Step{Reader: Reader{Now: now, W: w, Run: r, Rules: rules, wake: now.Add(Heartbeat), looks: map[string]Outcome{}}}
	c := &s.Run
	if r.Nodes == nil {
		c.Nodes = map[string]Node{}
	}
	if r.Marks == nil {
		c.Marks = map[string][]Mark{}
	}
	if w != nil {
		s.kept = s.keptFacts()
	}
	c.Pods = cloneMap(r.Pods)
	c.Pending = cloneMap(r.Pending)
	c.Retries = cloneMap(r.Retries)
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

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return maps.Clone(m)
}

// NewRun makes a planned run of a group as the world shows it now.
func NewRun(rules Strategy, id string, seed uint64, w *world.World, settings Settings, target Target) Run {
	r := Run{
		Version: RecordVersion, ID: id, Group: w.Group.Name, Alias: w.Group.Alias(), GroupID: w.Group.ID, Provider: w.Group.Provider, Strategy: rules.Name(),
		Seed: seed, Settings: settings, State: Planned, Target: target,
		Base: w.Group.Sizes, BaseTemplate: w.Group.Template, BaseTemplateSpec: w.Group.TemplateSpec, Mixed: w.Group.Mixed,
		Nodes: map[string]Node{},
	}
	for _, name := range rules.Phases() {
		r.Phases = append(r.Phases, Phase{Name: name})
	}
	return r
}

// Start turns a planned run into a running one.
func Start(r Run, now time.Time, by string) Run {
	r.State, r.Started, r.By = Running, now, by
	return r
}

// Report adds an event; the step fills in what all events of a run share.
func (s *Step) Report(e Event) {
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

// Phase is the name of the phase that has begun and not ended, "" between them.
func (s *Reader) Phase() string {
	for _, p := range s.Run.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			return p.Name
		}
	}
	return ""
}

// Enter ends the current phase and begins the named one; entering the current
// phase again does nothing. An empty name only ends.
func (s *Step) Enter(name string) {
	if name != "" && (s.Phase() == name || s.Run.State != Running) {
		return
	}
	for i, p := range s.Run.Phases {
		if !p.Start.IsZero() && p.End.IsZero() {
			s.Run.Phases[i].End, s.Run.PhaseWait = s.Now, nil
			s.Report(Event{Type: PhaseFinished, Phase: p.Name, Message: fmt.Sprintf("%s took %s", p.Name, s.Now.Sub(p.Start).Round(time.Second))})
		}
	}
	for i, p := range s.Run.Phases {
		if p.Name == name {
			s.Run.Phases[i].Start = s.Now
			s.Report(Event{Type: PhaseStarted, Phase: name, Message: name})
		}
	}
}

// Consents are what the user allowed for this run.
func (s *Reader) Consents() drain.Consents { return s.Run.Consents() }

// Consents are what the user allowed for this run.
func (r *Run) Consents() drain.Consents {
	return drain.Consents{Unmanaged: r.Settings.Unmanaged, EmptyDir: r.Settings.EmptyDir}
}

// WakeAt asks for a decision at t, if t is to come.
func (s *Reader) WakeAt(t time.Time) {
	if t.After(s.Now) && t.Before(s.wake) {
		s.wake = t
	}
}

// Soon asks for another decision right after this one.
func (s *Reader) Soon() { s.wake = s.Now }
