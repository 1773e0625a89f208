package live

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/record/check"
	"github.com/drainboard/drainboard/engine/world"
)

// Stored is a record as it was found among others: the run, or why it cannot be read.
type Stored struct {
	// Name is where it is: a ConfigMap's name, or a file.
	Name string
	Run  record.Run
	Err  error
	// Kept is when the record of an earlier run was put aside, and Discarded why, if
	// the run had not ended.
	Kept      time.Time
	Discarded string
}

// ReadRun reads a run as a Store has written it, as JSON, with its strings clean: who
// may write records may have written anything. What Drainboard itself wrote passes
// unchanged, since it was clean before. record and look are for the error, which is a
// DamagedError or a NewerError.
func ReadRun(text []byte, rec, look string) (record.Run, error) {
	damaged := func(err error) (record.Run, error) { return record.Run{}, &DamagedError{rec, look, err} }
	// The version first: what else there is depends on it.
	var form struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &form); err != nil {
		return damaged(err)
	}
	switch {
	case form.Version > record.RecordVersion:
		return record.Run{}, &NewerError{rec, form.Version, record.RecordVersion}
	case form.Version < 1:
		return damaged(errors.New("it has no version"))
	}
	var run record.Run
	if err := json.Unmarshal(text, &run); err != nil {
		return damaged(err)
	}
	if err := check.Run(&run); err != nil {
		return damaged(err)
	}
	world.CleanAll(&run)
	return run, nil
}
