// Package report tells a run from its journal, for those who were not there: as
// Markdown, and as one HTML page that needs nothing else. It reads nothing but the
// journal.
package report

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/providers/journal"
)

// Report is what a journal says of its run.
type Report struct {
	// Path is the journal's.
	Path                                    string
	Run, Group, Cluster, Provider, Strategy string
	Roll                                    string // the roll that the run belongs to, "" for none
	From, To                                string // versions, "" where they are not known
	StartedBy                               string
	Started                                 time.Time
	// Ended is the last that the journal knows of. Finished: nothing more will happen.
	Ended    time.Time
	Finished bool
	State    record.State
	Result   record.Result
	ExitCode int
	Why      string

	Limit  int
	Phases []Span
	// Paused are the stretches in which the run was paused, Alone those in which nobody
	// drove it.
	Paused, Alone []Span
	Nodes         []*Node // those that something happened to, in the order in which it did
	// Untouched is how many nodes the run did not change, Planned how many it was to
	// replace, Replaced how many it did.
	Untouched, Planned, Replaced int
	Evicted                      int // pods

	Blocks   []*Block
	Forced   []*Change      // forced acts, in order
	Passed   []record.Event // pods that the group's own controller has deleted past their PDBs
	Unused   []record.ForceOrder
	Batches  []record.Batch
	Commands []Command
	Changes  []*Change
	Warnings []record.Event
	Drivers  []Driver
	Chosen   []Choice
	Foreseen []string
	// Forecasts are how the run was foreseen to end, each time that became something else.
	Forecasts []record.Event
	Missing   []string // what of the run is not in this journal
	Culprits  []string
	Left      []string
	Notes     []string
	Unread    journal.Unread

	// Validations are how each wait for the cluster, or the canary, to be well ended.
	Validations []record.Event

	onNode map[string][]*Block // see blocksOn
}

// Span is a stretch of time with a name; one without an end was not over when the
// journal ended.
type Span struct {
	Name     string
	From, To time.Time
}

// Node is what happened to one node.
type Node struct {
	Machine, Name, Zone, Old string
	New                      bool
	Pods                     int // that had to leave
	Evicted, Forced          int
	Reason                   string // why it was skipped or failed
	Stages                   []StageSpan
	Changes                  []*Change
}

// StageSpan is a stretch of time in a stage.
type StageSpan struct {
	Stage    record.Stage
	From, To time.Time
}

// Label is the name people know a node by.
func (n *Node) Label() string {
	if n.Name != "" {
		return n.Name
	}
	return n.Machine
}

// Last is the stage that it is in.
func (n *Node) Last() record.Stage {
	if len(n.Stages) == 0 {
		return ""
	}
	return n.Stages[len(n.Stages)-1].Stage
}

// In is how long it was in some stages altogether.
func (n *Node) In(stages ...record.Stage) time.Duration {
	var sum time.Duration
	for _, s := range n.Stages {
		for _, want := range stages {
			if s.Stage == want {
				sum += s.To.Sub(s.From)
			}
		}
	}
	return sum
}

// Block is a pod that was kept on its node.
type Block struct {
	Pod, Node, Budget, Kind, Detail string
	From, To                        time.Time
	// End says how it ended, "" while it had not.
	End string
}

// Lasted is for how long.
func (b *Block) Lasted() time.Duration { return b.To.Sub(b.From) }

// Change is something that was asked for, and what came of it.
type Change struct {
	At     time.Time
	What   string
	Action record.Action
	Twin   string // the command that does the same
	// Tries is how often it was asked for: an eviction that was refused is the same again.
	Tries  int
	Forced *journal.Forced
	// Answered is when its outcome was known, zero if it never was.
	Answered time.Time
	Outcome  record.Outcome
	// Found is the result of a later check, where the answer was lost.
	Found string
}

// Came says what came of a change.
func (c *Change) Came() string {
	if c.Tries > 1 && (c.Answered.IsZero() || c.Outcome.Verdict != record.Refused) {
		return "refused " + times(c.Tries-1) + ", then " + c.last()
	}
	if c.Tries > 1 {
		return times(c.Tries) + " " + c.last()
	}
	return c.last()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// last says what came of the last try.
func (c *Change) last() string {
	switch {
	case c.Found != "":
		return c.Found
	case c.Answered.IsZero():
		return "no answer in this journal"
	case c.Outcome.Verdict == record.Done && c.Outcome.Update != "":
		return "done: EKS update " + c.Outcome.Update
	case c.Outcome.Verdict == record.Done:
		return "done"
	case c.Outcome.Verdict == record.Unknown:
		return join("the answer was lost", c.Outcome.Message)
	}
	return join("refused ("+string(c.Outcome.Refusal)+")", c.Outcome.Message)
}

// OK reports whether it is known to have happened.
func (c *Change) OK() bool {
	return c.Found == foundDone || c.Found == "" && !c.Answered.IsZero() && c.Outcome.Verdict == record.Done
}

func join(what, message string) string {
	if message == "" {
		return what
	}
	return what + ": " + message
}

// Command is an operator's command.
type Command struct {
	At       time.Time
	By, What string
	Reason   string
	// Refused says why nothing came of it, "" if it was obeyed.
	Refused string
}

// Driver is a process that drove the run.
type Driver struct {
	From, To time.Time
	By       string
	PID      int
	Version  string
	Args     []string
	Resumed  bool
	// End says how it left the run.
	End string
}

// Choice is a setting other than the default.
type Choice struct{ Name, Origin string }
