// Drainboard rolls the nodes of a Kubernetes cluster from a terminal.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
)

// version is set when a release is built.
var version = "dev"

// gcPercent collects garbage earlier than Go's default: over hours the memory of a cluster's
// pods costs more than the extra collections at the start.
const gcPercent = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	err := newRoot(os.Stdin, os.Stdout, os.Stderr).ExecuteContext(context.Background())
	os.Exit(console.Report(err))
}
