package console

import (
	"errors"
	"fmt"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
)

// Report writes an error and returns its exit code.
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
		fmt.Fprintf(Stderr(), "This is a bug in drainboard. Stack trace:\n%s", crash.Stack)
	}
	return code
}
