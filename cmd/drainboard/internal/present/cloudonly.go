package present

import (
	"fmt"
	"io"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Undrained returns what a run without Kubernetes means, for the user who confirms it.
func Undrained(run record.Run) []string {
	if !run.Settings.CloudOnly {
		return nil
	}
	return []string{
		"NO NODE IS DRAINED: there is no Kubernetes here (--cloudonly). Pods end with their instances, past their PDBs.",
		"NOTHING IS VALIDATED: the next instance is terminated whether or not the new one has joined the cluster.",
		"A run with Kubernetes in the same group at the same time cannot be detected.",
	}
}

// writeUndrained writes it ahead of a plan.
func writeUndrained(w io.Writer, p snapshot.Plan) {
	for _, line := range Undrained(p.Run) {
		fmt.Fprintln(w, line)
	}
}
