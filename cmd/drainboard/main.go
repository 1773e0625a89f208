// Drainboard rolls the nodes of a Kubernetes cluster from a terminal.
package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/drainboard/drainboard/cmd/drainboard/internal/console"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/exitcode"
	"github.com/drainboard/drainboard/cmd/drainboard/internal/present"
)

// gcPercent collects garbage earlier than Go's default: over hours the memory of a cluster's
// pods costs more than the extra collections at the start.
const gcPercent = 50

func main() {
	collects := os.Getenv("GOGC") == ""
	if collects {
		debug.SetGCPercent(-1) // until a command begins: a collection reads all data of all libraries in
	}
	root := newRoot(os.Stdin, os.Stdout, os.Stderr)
	prepare := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if collects && cmd.Name() != "version" {
			debug.SetGCPercent(gcPercent)
		}
		return prepare(cmd, args)
	}
	os.Exit(execute(context.Background(), root, os.Args[1:]))
}

// execute runs a command line, tells how it ended, and returns the exit code.
func execute(ctx context.Context, root *cobra.Command, args []string) int {
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	err = withLost(cmd, err)
	code := console.Report(root.ErrOrStderr(), err)
	var said *exitcode.Error
	if format := formatAsked(args); code != 0 && format != "" && !(errors.As(err, &said) && said.Told) {
		_ = present.WriteExit(programOutput(root, format), code, err.Error()) // the reader may be gone
	}
	return code
}
