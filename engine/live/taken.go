package live

import (
	"time"

	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// HeldError says that another living process holds the lock of a group.
type HeldError struct {
	Holder string
	// Since and Renewed are by the holder's clock; zero when unknown.
	Since, Renewed time.Time
}

func (e *HeldError) Error() string {
	return text.HeldBy(e.Holder, e.Since)
}

// DamagedError says that a record exists and cannot be read.
type DamagedError struct {
	// Record is where it is, for people, and Look the command that shows it.
	Record, Look string
	Err          error
}

func (e *DamagedError) Error() string {
	return text.RecordDamaged(e.Record, world.Clean(e.Err.Error()), e.Look)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// NewerError says that a record was written by a newer Drainboard.
type NewerError struct {
	// Record is where it is, for people.
	Record string
	// Version is the record's, Known the newest that this Drainboard understands.
	Version, Known int
}

func (e *NewerError) Error() string {
	return text.RecordNewer(e.Record, e.Version, e.Known)
}
