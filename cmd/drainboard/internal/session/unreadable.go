package session

import (
	"errors"
	"fmt"

	"github.com/drainboard/drainboard/engine/live"
)

// Unreadable returns the error for a record that cannot be read, with the choices. again is the
// command that resumes its run. It is wrong use of upgrade, which can discard the record, and a
// failure of commands that cannot.
func Unreadable(err error, again string) error {
	var newer *live.NewerError
	var damaged *live.DamagedError
	var elsewhere *ElsewhereError
	if errors.As(err, &elsewhere) {
		err = fmt.Errorf("%w\nNothing was changed. Resume it there, or, if that machine is permanently gone, run:\n  %s", err, DiscardChoice(again))
	}
	if errors.As(err, &newer) || errors.As(err, &damaged) {
		err = fmt.Errorf("%w\nNothing was changed. Repair it (a newer one: use the newer drainboard), or run:\n  %s", err, DiscardChoice(again))
	}
	return err
}

// DiscardChoice returns the command that discards a record, and what it does; again is the
// command that resumes its run.
func DiscardChoice(again string) string {
	return again + " --record discard   keeps a copy, starts a new run, and lists what the old one may have left changed"
}
