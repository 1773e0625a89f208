package present

import (
	"fmt"
	"io"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/snapshot"
)

// Undrained is what a run without Kubernetes means, for whoever is to say yes to it.
func Undrained(run record.Run) []string {
	if !run.Settings.CloudOnly {
		return nil
	}
	return []string{
		"NOTHING IS DRAINED: there is no Kubernetes here (--cloudonly). Pods die with their machines, whatever their budgets say.",
		"NOTHING IS VALIDATED: whether a new machine joins the cluster is not looked at before the next one goes.",
		"Whether somebody rolls this group with Kubernetes at the same time cannot be seen from here.",
	}
}

// writeUndrained says it before anything else of a plan.
func writeUndrained(w io.Writer, p snapshot.Plan) {
	for _, line := range Undrained(p.Run) {
		fmt.Fprintln(w, line)
	}
}
