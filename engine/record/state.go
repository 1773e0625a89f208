package record

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Awaits is what a run waits for that nothing but its group's own controller can do. The
// countdown is the run's PhaseWait.
type Awaits struct {
	// Kinds are what is not done, Why the same as a sentence.
	Kinds []world.UnfinishedKind `json:"kinds"`
	Why   string                 `json:"why"`
	// Told is when that was last reported.
	Told time.Time `json:"told"`
	// Expired: the time for it is up, or waiting cannot help, and the run has paused itself. Such a
	// pause holds nothing: nobody asked for it, and the controller is free to start.
	Expired bool `json:"expired,omitempty"`
}

// Unseen reports whether the wait is for what may be due without any sign of it.
func (a *Awaits) Unseen() bool { return slices.Contains(a.Kinds, world.UnfinishedUnseen) }

// Begins reports whether the controller is seen to begin with the group's current state, all of it.
func (a *Awaits) Begins() bool {
	return slices.Contains(a.Kinds, world.UnfinishedGeneration) || slices.Contains(a.Kinds, world.UnfinishedOperation)
}

// Canary is the watch over the new nodes once the first batch, of one node, is
// replaced.
type Canary struct {
	// Wait is how long they must still be well; it begins again when they are not.
	Wait *Wait `json:"wait"`
	// Trouble is what is wrong with them, "" when all is well, and Since since when.
	Trouble string    `json:"trouble,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Open: new nodes are still on their way, and the watch begins when they are there.
	Open bool `json:"open,omitempty"`
	// Stands: the trouble has lasted as long as the watch. It holds the run until it is over, or
	// is accepted.
	Stands bool `json:"stands,omitempty"`
	// Well is since when nothing is wrong any more, while a trouble still stands.
	Well time.Time `json:"well,omitzero"`
	// Passed: the other nodes may follow. By is who said so in spite of a trouble.
	Passed bool   `json:"passed,omitempty"`
	By     string `json:"by,omitempty"`
}

// Holds reports whether the canary's trouble holds the run until it is accepted.
func (c *Canary) Holds() bool { return c != nil && c.Stands && !c.Passed }

// Deferral is what a run keeps of a node that another controller or a user takes out of service.
type Deferral struct {
	// Wait is for how long the node is left to them.
	Wait *Wait `json:"wait"`
	// Lull runs while no pod leaves a node that is drained by hand: at its end nobody
	// drains it any more. Nil as long as pods leave, and for those who leave a mark.
	Lull *Wait `json:"lull,omitempty"`
}

// Takeover is what a process that continues with a run still has to find out: what
// became of the changes that were under way when the one before it stopped.
type Takeover struct {
	// Open are the changes that are still looked up, by key; Done and Not, in words,
	// those that are known to have happened, and not to have.
	Open []string `json:"open,omitempty"`
	Done []string `json:"done,omitempty"`
	Not  []string `json:"not,omitempty"`
}

// Blindness counts the time in which the cluster was not seen after the run's own end of a
// machine, and in which the process was awake. Told is what it was when that was last reported.
type Blindness struct {
	For  time.Duration `json:"for"`
	Told time.Duration `json:"told,omitempty"`
}
