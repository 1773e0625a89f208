package assess

import (
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/shards"
	"github.com/drainboard/drainboard/engine/world"
)

// Reader reads the world and the run at one moment: what is blocked, what may begin, what
// is to be told. Nothing that it has changes either (reader_test.go holds that), so plans,
// snapshots and rehearsals use it as a decision does. What it works out once it keeps, and
// it notes when an answer may become another one by itself (WakeAt).
type Reader struct {
	Now time.Time
	W   *world.World
	// Run is the run as it stands. A Step changes it: its nodes by SetNode, its other maps in
	// place; values that are pointers (waits) or lists of marks are replaced, never changed.
	Run   record.Run
	Rules Rules
	// First: the run looks at its machines for the first time (see FirstLook).
	First bool

	wake time.Time

	// Worked out when they are first asked for; nil until then and after a change.
	evicted map[string]map[string][]string // see evictedFrom
	theirs  map[string]string              // see takenNodes
	judged  *verdict                       // see invalid

	kept *facts // see there; nil until they are first asked for
}

// NewReader reads a run, with the facts that are kept with its world.
func NewReader(rules Rules, now time.Time, w *world.World, r record.Run) Reader {
	s := Reader{Now: now, W: w, Run: r, Rules: rules}
	if w != nil {
		s.kept = s.keptFacts()
	}
	return s
}

// WakeAt asks for a decision at t, if t is to come.
func (s *Reader) WakeAt(t time.Time) {
	if t.After(s.Now) && (s.wake.IsZero() || t.Before(s.wake)) {
		s.wake = t
	}
}

// Soon asks for another decision right after this one.
func (s *Reader) Soon() { s.wake = s.Now }

// Wake is when the next decision was asked for.
func (s *Reader) Wake() time.Time { return s.wake }

// NewRun makes a planned run of a group as the world shows it now.
func NewRun(rules Rules, id string, seed uint64, w *world.World, settings record.Settings, target record.Target) record.Run {
	r := record.Run{
		Version: record.RecordVersion, ID: id, Group: w.Group.Name, Alias: w.Group.Alias(), GroupID: w.Group.ID, Provider: w.Group.Provider, Strategy: rules.Name(),
		Seed: seed, Settings: settings, State: record.Planned, Target: target,
		Base: w.Group.Sizes, BaseTemplate: w.Group.Template, BaseTemplateSpec: w.Group.TemplateSpec, Mixed: w.Group.Mixed,
		Nodes: shards.Of(map[string]record.Node{}),
	}
	for _, name := range rules.Phases() {
		r.Phases = append(r.Phases, record.Phase{Name: name})
	}
	return r
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

// Consents are what the user allowed for this run.
func (s *Reader) Consents() drain.Consents { return s.Run.Consents() }
