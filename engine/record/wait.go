package record

import (
	"time"

	"github.com/drainboard/drainboard/engine/world"
)

// Wait is a wait with a start and an end. Countdowns on the screen and the
// engine's wake-ups read the same value.
type Wait struct {
	// For says what is waited for, in a word or two: "drain deadline", "settling".
	For   string    `json:"for"`
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	// Needs are the sources without which the time does not count: while the run
	// is paused or one of them is stale, End moves along. A wait that needs none
	// (a settling node, a grace period) runs by itself.
	Needs []world.Source `json:"needs,omitempty"`
	// Basis says in a sentence what it rests on, "" where that is plain; Guess: it is an
	// estimate.
	Basis string `json:"basis,omitempty"`
	Guess bool   `json:"guess,omitempty"`
	// Interrupts is the wait that the one for hooks took the place of, nil for none.
	Interrupts *Wait `json:"interrupts,omitempty"`
}

// What waits are for.
const (
	WaitRestoring   = "putting back" // what an aborted or failed run had in flight
	WaitGrace       = "grace period"
	WaitForcedDrain = "forced drain"
	WaitDeregister  = "deregistering" // of a node that leaves its load balancers
	WaitDrain       = "drain deadline"
	WaitOthersDrain = "drain limit"

	WaitJoining      = "joining" // of a new machine, until its node is Ready
	WaitNewNodes     = "new nodes"
	WaitReplacements = "replacements"
	WaitRetiring     = "retiring"

	WaitSecondReplica = "second replica" // of a Deployment of one, until it is Ready
)

// Waits of a new node that is not healthy any more, and of one whose update in place failed;
// the second one's time is up, and others have to settle first.
const (
	WaitUnhealthy = "health timeout"
	WaitPostponed = "postponed"
)

// OfHealth reports whether a wait is that of a node that is not healthy.
func (w *Wait) OfHealth() bool { return w.For == WaitUnhealthy || w.For == WaitPostponed }
