package exitcode

import (
	"errors"

	"github.com/drainboard/drainboard/engine/live"
)

// Exit codes, as `drainboard --help` lists them.
const (
	Failed      = 1
	WrongUse    = 2
	Aborted     = 3
	Held        = 6
	NodesLeft   = 8 // also plan --detailed-exitcode with something to do
	Paused      = 9
	Unreachable = 10
	Denied      = 11
)

// Error is an error with the exit code that it stands for.
type Error struct {
	Code int
	Err  error
	// Told: what was written for programs ends with the code already.
	Told bool
}

// With returns an error that ends the process with a code.
func With(code int, err error) error { return &Error{Code: code, Err: err} }

// Told is With for an end that was told to programs already.
func Told(code int, err error) error { return &Error{code, err, true} }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Usage marks an error as wrong use or configuration, unless it has a code already, or is of those
// kinds that no other use mends: not reachable, credentials or rights missing, refused.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return With(kind(err, WrongUse), err)
}

// Of is the exit code of an error, 0 of none. What carries no code and is of no kind has
// failed: only what is marked as wrong use is called so.
func Of(err error) int {
	if err == nil {
		return 0
	}
	return kind(err, Failed)
}

// kind is the exit code that an error carries or that its kind has, else another one.
func kind(err error, other int) int {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, live.ErrRefused):
		return Failed
	case errors.Is(err, live.ErrUnreachable):
		return Unreachable
	case errors.Is(err, live.ErrDenied):
		return Denied
	}
	return other
}
