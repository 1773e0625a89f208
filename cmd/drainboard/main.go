// Drainboard rolls the nodes of a Kubernetes cluster from a terminal.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/engine/live"
)

// version is set when a release is built.
var version = "dev"

// gcPercent collects sooner than Go does by itself: what a cluster's pods take in
// memory weighs more, over hours, than the collections at the start.
const gcPercent = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	err := newRoot(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(context.Background())
	os.Exit(report(err))
}

// report says what went wrong and returns the exit code.
func report(err error) int {
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
		fmt.Fprintln(console.Stderr(), "drainboard: "+err.Error())
	}
	var crash *live.Crash
	if errors.As(err, &crash) {
		fmt.Fprintf(console.Stderr(), "This is a fault of drainboard's own. What it was doing:\n%s", crash.Stack)
	}
	return code
}
