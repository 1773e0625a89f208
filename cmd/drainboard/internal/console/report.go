package console

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
)

// TellRetry says why what a command reads at its start is tried again. A dashboard has it in its
// log.
func (c *Console) TellRetry(why error, until time.Time) {
	fmt.Fprintf(c.Err, "drainboard: %s; trying again until %s\n", why, until.Local().Format("15:04:05"))
}

// Report writes an error and returns its exit code.
func Report(to io.Writer, err error) int {
	if err == nil {
		return 0
	}
	code := exitcode.Of(err)
	var e *exitcode.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintln(to, "drainboard: "+err.Error())
	}
	var crash *live.Crash
	if errors.As(err, &crash) {
		fmt.Fprintf(to, "This is a bug in drainboard. Stack trace:\n%s", crash.Stack)
	}
	return code
}
