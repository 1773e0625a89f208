package console

import (
	"errors"
	"fmt"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
)

// Report says what went wrong and returns the exit code.
func Report(err error) int {
	if err == nil {
		return 0
	}
	code := exitcode.WrongUse // what cobra itself refuses is wrong use
	var e *exitcode.Error
	if errors.As(err, &e) {
		code = e.Code
		err = e.Err
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintln(Stderr(), "drainboard: "+err.Error())
	}
	var crash *live.Crash
	if errors.As(err, &crash) {
		fmt.Fprintf(Stderr(), "This is a fault of drainboard's own. What it was doing:\n%s", crash.Stack)
	}
	return code
}
