// Package live ties a run to a real world: it observes, decides, saves and
// acts. It is the only part of the engine with goroutines and a clock.
//
// One loop owns the world and the run. Feeds post changes to it; it asks
// engine.Decide, writes the run to its Store, hands the actions to the Executor
// that carries them out side by side, and feeds the outcomes back. Everything
// that others may see leaves as an engine.Snapshot.
package live

import (
	"context"
	"errors"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// ErrLost means that the run is no longer ours: another process wrote its record,
// or holds its lock.
var ErrLost = errors.New("another process has taken the run over")

// Change is one update of the world. It runs on the loop's goroutine, must be
// quick and must not keep the world.
type Change func(*world.World)

// Feed brings the outside into the world. Run posts changes until ctx ends; it
// returns early only with an error that no waiting can mend. Anything that
// passes (an API away, expired credentials) is posted as the source's Health.
type Feed interface {
	Run(ctx context.Context, post func(Change)) error
}

// Executor carries out actions. Do blocks until the outcome is known or lost
// and never panics on a cancelled context: it answers Unknown.
type Executor interface {
	Do(ctx context.Context, a record.Action) record.Outcome
}

// Store keeps the run's record. Save is conditional: it fails with ErrLost when
// another process has written the record since it was read.
type Store interface {
	Save(ctx context.Context, r record.Run) error
}

// Lock keeps other processes from driving the run.
type Lock interface {
	// Lost is closed when the lock is lost: nothing may be done from then on.
	Lost() <-chan struct{}
	// Sure reports whether the lock is known to be held at this moment: nobody else can
	// have it yet, by the wall clock, which continues while a machine sleeps. It may be
	// false for a moment while the lock is still ours, until it is renewed or lost.
	Sure() bool
	// Regain waits until the lock is held again and reads the record again. It fails
	// with ErrLost when another process holds it, and never because the API is away.
	Regain(ctx context.Context) (record.Run, error)
}

// Clock tells the cluster's time and how far the local clock is from it
// (positive: the local clock is ahead).
type Clock interface {
	Now() time.Time
	Skew() time.Duration
}
