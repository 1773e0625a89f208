package text

import (
	"fmt"
	"time"
)

// Assumption is how long a rehearsal takes something to last, and why.
type Assumption struct {
	What  string
	Takes time.Duration
	Basis string
	Of    int
	Note  string
}

// String is the assumption in a line: "node joins: 1m2s (median of 6 in this run)".
func (a Assumption) String() string {
	what := map[string]string{
		"node-joins": "instance launched until its node joins", "node-ready": "node joined until it is Ready",
		"in-service":    "node Ready until its instance is in service",
		"end-noticed":   "termination requested until the group launches another instance",
		"instance-ends": "termination requested until the instance is gone", "pod-stops": "pod evicted until it is gone",
		"pod-ready": "pod placed until it is Ready", "hook-completed": "lifecycle hook until it is completed",
		"deregistered": "instance until it has left its load balancers", "node-hook": "hooks before a node",
		"node-updated": "node drained until its update in place is over",
	}[a.What]
	how := map[string]string{
		"guess": "a guess", "nodes": "the group's nodes", "cluster": "the cluster's nodes", "pods": "pods of the same owners",
		"launches": "launch times of its instances", "activities": "its scaling activities", "run": "this run", "earlier-runs": "earlier runs",
	}[a.Basis]
	switch {
	case a.Of == 1:
		how = "seen once: " + how
	case a.Of > 1:
		how = fmt.Sprintf("median of %d: %s", a.Of, how)
	}
	took := a.Note
	if a.Takes > 0 {
		if took = a.Takes.Round(time.Second).String(); a.Takes < 10*time.Second {
			took = a.Takes.Round(100 * time.Millisecond).String()
		}
		if a.Note != "" {
			how += "; " + a.Note
		}
	}
	return fmt.Sprintf("%s: %s (%s)", what, took, how)
}

// ThirdOfGrace is how long a pod takes to stop of which nothing is known.
const ThirdOfGrace = "a third of its grace period"

// OtherOwners says that the owners of some pods tell nothing.
func OtherOwners(pods int) string { return Plural(pods, "other pod") + " assumed alike" }
