package engine

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
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
	Rules Strategy

	// unwritten: the run's record cannot be written (see Inputs).
	unwritten bool

	wake      time.Time
	first     bool                       // see FirstLook
	looks     map[string]record.Outcome  // answers of LookAtPods, by machine
	deferrals map[string]record.Deferral // what nodeMovers has found, for the run; nil before it

	// Worked out when they are first asked for; nil until then and after a change.
	evicted map[string]map[string][]string // see evictedFrom
	theirs  map[string]string              // see takenNodes
	judged  *verdict                       // see invalid

	kept *facts // see there; nil until they are first asked for
}
