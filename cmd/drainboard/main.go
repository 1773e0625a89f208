// Drainboard rolls the nodes of a Kubernetes cluster from a terminal.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
)

// gcPercent collects sooner than Go does by itself: what a cluster's pods take in
// memory weighs more, over hours, than the collections at the start.
const gcPercent = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	err := newRoot(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(context.Background())
	os.Exit(console.Report(err))
}
