// Package journal is the audit trail of runs on the local disk: an append-only file of
// JSON lines for each run, that says who ordered what, what was decided, every change
// before it is carried out, and what came of it. docs/reference/journal.md is its contract.
//
// A Writer owns one file. A Scribe writes what happens in a run: it is told by
// live.Loop, and stands between the loop and its executor, where it keeps anything
// forced from happening that is not on the disk yet. Read and Find are for reports.
package journal

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
	"github.com/drainboard/drainboard/engine/world"
)

// Version is the version of the lines' form.
const Version = 1

// Kind says what a line is.
type Kind string

// The kinds; each is also the name of the field that holds what it says.
const (
	KindOpened   Kind = "opened"   // a process starts to drive the run, or resumes it
	KindCommand  Kind = "command"  // the operator's command
	KindDecision Kind = "decision" // the run changed
	KindAction   Kind = "action"   // something is about to be done
	KindOutcome  Kind = "outcome"  // its result
	KindEvent    Kind = "event"    // as in docs/reference/events.md
	KindGap      Kind = "gap"      // lines are missing here
	KindClosed   Kind = "closed"   // the process has stopped driving the run
)

// Line is one line of a journal.
type Line struct {
	Version int `json:"v"`
	// Writer is the process that wrote the line, by an id of its own: one that slept may
	// wake and write when another has taken over the run.
	Writer string `json:"writer,omitempty"`
	// Seq counts the lines of a file from 1. A writer counts on from the last line that
	// it found, so that a number is sure to be the only one among its own lines.
	Seq int `json:"seq"`
	// At is the cluster's time.
	At   time.Time `json:"at"`
	Run  string    `json:"run"`
	Kind Kind      `json:"kind"`

	Opened   *Opened         `json:"opened,omitempty"`
	Command  *record.Command `json:"command,omitempty"`
	Decision *Decision       `json:"decision,omitempty"`
	Action   *Action         `json:"action,omitempty"`
	Outcome  *Outcome        `json:"outcome,omitempty"`
	Event    *record.Event   `json:"event,omitempty"`
	Gap      *Gap            `json:"gap,omitempty"`
	Closed   *Closed         `json:"closed,omitempty"`
}

// Opened says who drives what, from which state on.
type Opened struct {
	// Drainboard is the program's version, By the user and host that run it, Args its
	// command line without its name.
	Drainboard string   `json:"drainboard"`
	By         string   `json:"by"`
	PID        int      `json:"pid"`
	Args       []string `json:"args"`
	// Resumed: the run was begun by another process.
	Resumed bool `json:"resumed,omitempty"`
	// Elsewhere: this file begins in the middle of the run, which resumes from its
	// record; what was before is in the journal of the process that drove it until Seen.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Torn: the file ended in the middle of a line, as a crash leaves it.
	Torn bool `json:"torn,omitempty"`

	Cluster string `json:"cluster"`
	Group   string `json:"group"`
	// GroupID tells the group from another one of its name (AWS: the ARN).
	GroupID string `json:"groupID,omitempty"`
	// Alias is what people call the group, "" where that is its name.
	Alias    string `json:"alias,omitempty"`
	Provider string `json:"provider"`
	Strategy string `json:"strategy"`
	// Roll is the id of the roll that the run belongs to, "" for none.
	Roll string `json:"roll,omitempty"`
	// From and To are versions for people; only known when the run is planned.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Started and StartedBy are those of the run; Seen is when it was decided on last.
	Started   time.Time `json:"started"`
	StartedBy string    `json:"startedBy"`
	Seen      time.Time `json:"seen,omitzero"`

	State    record.State        `json:"state"`
	Why      string              `json:"why,omitempty"`
	Seed     uint64              `json:"seed"`
	Limit    int                 `json:"limit"`
	Settings record.Settings     `json:"settings"`
	Target   record.Target       `json:"target"`
	Base     world.Sizes         `json:"base"`
	Template world.Template      `json:"baseTemplate"`
	Phases   []record.Phase      `json:"phases,omitempty"`
	Batches  []record.Batch      `json:"batches,omitempty"`
	Orders   []record.ForceOrder `json:"orders,omitempty"`
	Nodes    []Stage             `json:"nodes,omitempty"`
	// Plan is what the run was going to do; nil for a resumed run.
	Plan *snapshot.Plan `json:"plan,omitempty"`
}

// Stage is a node that has come to another stage.
type Stage struct {
	Machine string `json:"machine"`
	Node    string `json:"node,omitempty"`
	Zone    string `json:"zone,omitempty"`
	// From is "" for a machine that the run had no opinion on before.
	From   record.Stage `json:"from,omitempty"`
	To     record.Stage `json:"to"`
	Since  time.Time    `json:"since"`
	Reason string       `json:"reason,omitempty"`
	// New machines are of the target's template; Old is the kubelet's version of others.
	New bool   `json:"new,omitempty"`
	Old string `json:"old,omitempty"`
	// Pods is how many pods had to leave when its drain began.
	Pods  int `json:"pods,omitempty"`
	Batch int `json:"batch,omitempty"`
	// Lost: the policy for unreachable nodes lets its machine go with the pods on it.
	Lost bool `json:"lost,omitempty"`
}

// Decision is what a decision changed on the run, as far as it is set.
type Decision struct {
	State    *State              `json:"state,omitempty"`
	Stages   []Stage             `json:"stages,omitempty"`
	Gone     []string            `json:"gone,omitempty"` // machines that are no longer in the run
	Batches  []record.Batch      `json:"batches,omitempty"`
	Orders   []record.ForceOrder `json:"orders,omitempty"`
	Gate     *string             `json:"gate,omitempty"` // why no drain starts; "" when it is open again
	Culprits []string            `json:"culprits,omitempty"`
	Left     []string            `json:"left,omitempty"`
	Notes    []string            `json:"notes,omitempty"`
}

// State is how the run stands after a decision.
type State struct {
	From   record.State  `json:"from"`
	To     record.State  `json:"to"`
	Result record.Result `json:"result,omitempty"`
	Why    string        `json:"why,omitempty"`
}

// Action is a change (or direct read) that is about to be carried out.
type Action struct {
	record.Action
	// Twin is the kubectl or aws command that does the same, "" where none does. That of
	// an eviction is in its event.
	Twin string `json:"command,omitempty"`
	// Forced says by whose order it may break a promise; nil for all others.
	Forced *Forced `json:"forced,omitempty"`
}

// Forced is the order behind a forced act: who, when and why. What is the action.
type Forced struct {
	// Order is the force order's id, "" where a setting of the run is the order.
	Order string    `json:"order,omitempty"`
	By    string    `json:"by"`
	At    time.Time `json:"at"`
	Why   string    `json:"why"`
}

// Outcome is what came of an action.
type Outcome struct {
	// Of is the action's Seq, a line of the same writer.
	Of int `json:"of"`
	record.Outcome
	// There is how many pods a read found.
	There int `json:"podsThere,omitempty"`
}

// Gap says that lines are missing: they could not be written.
type Gap struct {
	Lines int       `json:"lines"`
	Since time.Time `json:"since"`
	Why   string    `json:"why"`
}

// Closed says how the process left the run.
type Closed struct {
	State  record.State  `json:"state"`
	Result record.Result `json:"result,omitempty"`
	Why    string        `json:"why,omitempty"`
	// Error is why it stopped, if something failed.
	Error string `json:"error,omitempty"`
	// Outstanding is what the run has changed and not restored.
	Outstanding []string `json:"outstanding,omitempty"`
}
