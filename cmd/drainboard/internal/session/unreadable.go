package session

import (
	"errors"
	"fmt"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
)

// Unreadable is the error for a record that cannot be read, with what can be done. again
// goes on with its run.
func Unreadable(err error, again string) error {
	var newer *live.NewerError
	var damaged *live.DamagedError
	var elsewhere *ElsewhereError
	if errors.As(err, &elsewhere) {
		err = fmt.Errorf("%w\nNothing was changed. Go on with it there, or, if that machine is gone for good, choose:\n  %s", err, DiscardChoice(again))
	}
	if errors.As(err, &newer) || errors.As(err, &damaged) {
		err = fmt.Errorf("%w\nNothing was changed. Repair it (a newer one: use the newer drainboard), or choose:\n  %s", err, DiscardChoice(again))
	}
	return exitcode.Usage(err)
}

// DiscardChoice is the command that puts a record aside, and what it does; again goes on with its
// run.
func DiscardChoice(again string) string {
	return again + " --record discard   puts it aside, starts anew, and lists what it may have left behind"
}
