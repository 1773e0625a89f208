package report

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/sim/script"
	"github.com/drainboard/drainboard/providers/journal"
)

// witness keeps the journal of a simulated run, as cmd/drainboard does that of a real
// one. It implements drive.Witness.
type witness struct {
	t       *testing.T
	options journal.Options
	scribe  *journal.RunWriter
	asked   map[string]int // by key
}

func (w *witness) Heard(list []record.Command)                  { w.scribe.Heard(list) }
func (w *witness) Decided(before record.Run, d engine.Decision) { w.scribe.Decided(before, d) }
func (w *witness) Events(list []record.Event)                   { w.scribe.Events(list) }
func (w *witness) Answered(a record.Action, o record.Outcome)   { w.scribe.Answer(w.asked[a.Key], o) }

func (w *witness) Asked(a record.Action) {
	seq, err := w.scribe.Ask(a)
	if err != nil {
		w.t.Error(err)
	}
	w.asked[a.Key] = seq
}

// Resumed continues after a crash, in the same file.
func (w *witness) Resumed(run record.Run) {
	w.options.Run, w.options.Resumed, w.options.Plan, w.options.By = run, true, nil, "bea@desk"
	w.scribe = journal.Begin(w.options)
}

// story is a simulated run with its journal.
type story struct {
	*script.Script
	*witness
}

// tell plays lines of a script up to its start and begins to keep the journal.
func tell(t *testing.T, lines string) *story {
	t.Helper()
	s := &story{Script: script.New(), witness: &witness{t: t, asked: map[string]int{}}}
	s.do(lines)
	run := s.Driver.Run
	run.Cluster = "prod-eu-1"
	s.Driver.Run = run
	dir := t.TempDir()
	s.options = journal.Options{
		Dir: func() (string, error) { return dir, nil }, Drainboard: "1.0.0", By: run.By, Args: []string{"upgrade", "ng-web", "--max-unavailable", "3"},
		Run: run, Plan: &s.Planned, Now: s.Sim.Now,
	}
	s.scribe = journal.Begin(s.options)
	s.Driver.Witness = s.witness
	s.Events([]record.Event{{Time: s.Sim.Now(), Run: run.ID, Group: run.Group, Type: record.RunStarted, Message: "started by " + run.By}})
	return s
}

func (s *story) do(lines string) {
	s.t.Helper()
	if _, err := s.Script.Do(lines); err != nil {
		s.t.Fatal(err)
	}
}

// blocked is the node that was blocked last.
func (s *story) blocked() string {
	for i := len(s.Driver.Events) - 1; i >= 0; i-- {
		if e := s.Driver.Events[i]; e.Type == record.NodeBlocked {
			return e.Node
		}
	}
	s.t.Fatal("no node was blocked")
	return ""
}

// report is what the journal says now. A closed journal is over.
func (s *story) report(closed bool) *Report {
	s.t.Helper()
	if closed {
		s.scribe.Close(s.Driver.Run, nil)
	} else if _, err := s.scribe.Ask(record.Action{Kind: record.LookAtPods, Key: "look", Node: "none"}); err != nil { // all before it is written
		s.t.Fatal(err)
	}
	r, err := Load(s.scribe.Path())
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range r.Drivers {
		r.Drivers[i].PID = 4711 + i
	}
	r.Path = filepath.Join("/home/ann/.local/state/drainboard/prod-eu-1", filepath.Base(r.Path))
	return r
}

// cluster is a group of a size with pods that budgets hold.
func cluster(nodes, atOnce int) string {
	return fmt.Sprintf(`
cluster name=ng-web zones=eu-west-1a,eu-west-1b,eu-west-1c nodes=%d slots=9 min=3
timing boot=35s
workload logs kind=daemonset
workload web replicas=%d ready=20s stop=6s
workload payments replicas=7 ready=80s stop=5s
workload checkout replicas=3 ready=10s
budget web max=25%%
budget payments max=1
budget checkout min=3
settings max-unavailable=%d approve=batch
start
`, nodes, nodes, atOnce)
}

// night is a roll of 12 nodes with everything in it: approvals, blockers, a pause, a
// force by hand, a crash, and a colleague who continues.
func night(t *testing.T) *story {
	s := tell(t, cluster(12, 3))
	s.do("run until=waiting\noperator approve\nrun until=blocked\nrun for=3m")
	s.do("operator pause\nrun for=90s\noperator resume\noperator force node=" + s.blocked())
	for i := 0; s.Driver.Run.State != record.Finished && i < 40; i++ {
		s.do("run for=2m")
		if _, waiting := s.Driver.Run.Waiting(); waiting {
			s.do("operator approve")
		}
		switch i {
		case 2:
			s.do("operator force node=" + s.blocked() + " why=checkout-may-be-down-at-night")
		case 4:
			s.do("crash for=4m\nrun for=5m")
		case 6:
			s.do("user scale checkout=4")
		}
	}
	return s
}
