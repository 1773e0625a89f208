package exitcode

// Exit codes, as `drainboard --help` lists them.
const (
	Failed   = 1
	WrongUse = 2
	Aborted  = 3
	Held     = 6
	Paused   = 9
)

// Error is an error with the exit code that it stands for.
type Error struct {
	Code int
	Err  error
}

// With returns an error that ends the process with a code.
func With(code int, err error) error { return &Error{code, err} }

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Usage marks an error as wrong use or configuration.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return With(WrongUse, err)
}
