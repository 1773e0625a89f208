package record

import (
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// CommandKind is something an operator can say.
type CommandKind string

// The commands.
const (
	CmdApprove        CommandKind = "approve" // Batch with its Hash
	CmdPause          CommandKind = "pause"
	CmdResume         CommandKind = "resume"
	CmdAccept         CommandKind = "accept"          // the canary's Trouble, for which the run is paused
	CmdForce          CommandKind = "force"           // Node, or one Pod (by UID) on it
	CmdSkip           CommandKind = "skip"            // Node
	CmdReturn         CommandKind = "return"          // a skipped or failed Node goes back into the order
	CmdExtend         CommandKind = "extend"          // Node: its drain deadline moves by another drain timeout
	CmdMaxUnavailable CommandKind = "max-unavailable" // Nodes may be out of service from now on, within the strategy's Bounds
	CmdAbort          CommandKind = "abort"
)

// WithoutLock is why a command is refused while the lock of the run is lost.
const WithoutLock = text.WithoutLock

// NeedsLock reports whether a command is only taken while the lock is held: it is about
// what the run does at that moment.
func (k CommandKind) NeedsLock() bool {
	switch k {
	case CmdApprove, CmdAccept, CmdForce, CmdSkip, CmdReturn, CmdExtend, CmdMaxUnavailable:
		return true
	}
	return false
}

// WithoutRecord is why a command is refused while the run record cannot be written.
const WithoutRecord = text.WithoutRecord

// NeedsRecord reports whether a command is only taken while the run record can be written:
// it has the run do more. A pause and an abort only have it do less.
func (k CommandKind) NeedsRecord() bool { return k != CmdPause && k != CmdAbort }

// Command is what an operator says to a run.
type Command struct {
	Kind CommandKind `json:"kind"`
	// ID is set for a command from elsewhere, that is from another process than the
	// one that drives the run: it is obeyed at most once. Run is the id of the run it
	// is for, and Expires when it is over.
	ID      string    `json:"id,omitempty"`
	Run     string    `json:"run,omitempty"`
	Expires time.Time `json:"expires,omitzero"`
	// By says who: user and host, or for a command from elsewhere the user of the API.
	By string `json:"by"`
	// Claimed says of a command from elsewhere that nothing holds By to its sender.
	Claimed bool `json:"claimed,omitempty"`
	// Client is the user and host that the sender's process names, for a command from
	// elsewhere. Nothing holds it.
	Client string    `json:"client,omitempty"`
	At     time.Time `json:"at"`
	// Reason is the operator's own words, kept for the audit.
	Reason string `json:"reason,omitempty"`
	// Batch and Hash name what is approved. An approval of something that has
	// changed since is refused.
	Batch int    `json:"batch,omitempty"`
	Hash  string `json:"hash,omitempty"`
	// Node, by name, for force, skip, return and extend.
	Node string `json:"node,omitempty"`
	// Nodes is the new max-unavailable.
	Nodes int `json:"nodes,omitempty"`
	// Retire: the surplus nodes of the run that is aborted are drained and ended.
	Retire bool `json:"retire,omitempty"`
	// UID narrows a force to one pod of Node.
	UID string `json:"uid,omitempty"`
	// Trouble is the canary's, in the words in which it was shown to who accepts it. Another
	// one is not accepted.
	Trouble string `json:"trouble,omitempty"`
}

// Answer says how far a strategy can do what an operator may want.
type Answer string

// Answers in a strategy's table.
const (
	Yes        Answer = "yes"
	Substitute Answer = "substitute"
	No         Answer = "no"
)

// Ability is one row of a strategy's table of what an operator can do.
type Ability struct {
	Kind   CommandKind
	Answer Answer
	// How says what is done, what is done instead, or why it cannot be.
	How string
}

// CommandLife is the longest time after it was given in which a command from
// elsewhere is obeyed, whatever it says itself.
const CommandLife = 10 * time.Minute

// Ack is the answer to a command from elsewhere.
type Ack struct {
	ID string `json:"id"`
	// At is when it was decided, Given when the command was given.
	At    time.Time `json:"at"`
	Given time.Time `json:"given"`
	// Accepted, or refused.
	Accepted bool `json:"obeyed"`
	// Answer say what was done, or why not: those of the events.
	Answer string `json:"words"`
}

// Remote reports whether a command is taken from another process than the one that
// drives the run. What breaks a promise, or leaves a node out, is only said by who
// sees what the driver sees.
func (k CommandKind) Remote() bool {
	switch k {
	case CmdApprove, CmdPause, CmdResume, CmdAbort:
		return true
	}
	return false
}

// Stops reports whether a command only keeps a run from doing more: that is never one
// too many.
func (k CommandKind) Stops() bool { return k == CmdPause || k == CmdAbort }

// Sender is who gave a command, as far as that is known.
func (c Command) Sender() string {
	if c.ID == "" {
		return c.By
	}
	return text.Sender(c.By, c.Client, c.Claimed)
}

// Who is who gave a command, and why if he said so.
func (c Command) Who() string {
	if c.Reason == "" {
		return c.Sender()
	}
	return c.Sender() + ": " + c.Reason
}
