package text

import (
	"fmt"
	"strings"
	"time"
)

// What nodes are left with, where it takes no figures.
const (
	CameTooLate = "found after the last phase began"
)

// Refused is an action that was refused for good, and why.
func Refused(action, why string) string { return action + ": " + why }

func BackInService(stage string) string { return "was " + stage + ": returned to service" }

func StillTerminating(node string) string { return node + " is still terminating" }

// NotTerminated is a machine whose end was refused for as long as the run could ask for it.
func NotTerminated(node string) string { return node + " was to be terminated and is not" }

// MayTerminate is a machine of which nobody knows whether its end was asked for.
func MayTerminate(node string) string {
	return node + " may be terminating: the request was not answered"
}

func HooksNotRun(node string) string {
	return "hooks after " + node + " did not finish"
}

// Unrestored is what is left changed, and the command that restores it, or "".
func Unrestored(what, command string) string {
	return Because(what, command)
}

func SomeFailed(n int) string { return Plural(n, "node") + " failed, the others succeeded" }

func SurplusSkipped(n int) string { return Plural(n, "surplus node") + " skipped" }

func NodesSkipped(n int, why string) string { return Plural(n, "node") + " skipped: " + why }

// RunFinished is how a run has ended, why (or ""), how many nodes of how many it has dealt with,
// in a word what it did with them, and how long it took.
func RunFinished(result, why string, done, total int, did string, took time.Duration) string {
	return ended(result, why) + fmt.Sprintf(" (%d of %d nodes %s in %s)", done, total, did, Seconds(took))
}

// RetireFinished is the same of a run that retires surplus nodes; empty is by how much it has
// lowered the desired capacity where no instance stood for it: it has retired no node there.
func RetireFinished(result, why string, done, total, empty int, took time.Duration) string {
	did := Plural(total, "surplus node") + " retired"
	switch {
	case empty == 0:
		did = fmt.Sprintf("%d of %s", done, did)
	case total == 0:
		did = fmt.Sprintf("no surplus node, desired capacity lowered by %d that had no instance,", empty)
	default:
		did = fmt.Sprintf("%d of %s, desired capacity lowered by %d more that had no instance,", done, did, empty)
	}
	return ended(result, why) + fmt.Sprintf(" (%s in %s)", did, Seconds(took))
}

// ended is a result with the reason for it, or "".
func ended(result, why string) string {
	switch {
	case why == "":
		return result
	case !strings.HasPrefix(why, result):
		return result + ": " + why
	}
	return why
}

// What a run has done with nodes.
const (
	DidReplace     = "replaced"
	DidUpdate      = "updated"
	DidUpdateOrEnd = "updated or ended"
)

// CouldNotEndBy is why a node is skipped that would be late.
func CouldNotEndBy(until time.Time) string {
	return "could not finish by " + until.Format("Mon 15:04 MST")
}

func PhaseTook(phase string, took time.Duration) string {
	return fmt.Sprintf("%s took %s", phase, Seconds(took))
}

// UnderWay tells what came of the changes that were under way when a run was taken over: those
// that were made, those that were not, and how many nobody can tell of.
func UnderWay(done, not []string, unknown int) string {
	var parts []string
	if len(done) > 0 {
		parts = append(parts, "made: "+Some(done))
	}
	if len(not) > 0 {
		parts = append(parts, "not seen: "+Some(not)+", recomputed")
	}
	if unknown > 0 {
		parts = append(parts, Plural(unknown, "change")+" unknown")
	}
	return "pending changes looked up: " + strings.Join(parts, "; ")
}

// What an abort would do with so many nodes.

func AbortDraining(n int) string {
	return does(n, "draining node", "stop") + ": no further eviction, terminating pods finish, returned to service"
}

func AbortSettling(n int) string { return does(n, "settling node", "return") + " to service" }

func AbortTerminating(n int) string {
	return does(n, "terminating node", "finish") + ": already terminating"
}

func AbortSelected(n int, controller string) string {
	them := "them"
	if n == 1 {
		them = "it"
	}
	return does(n, "selected node", "continue") + ": " + controller + " finishes " + them
}

func AbortOutdated(n int) string { return does(n, "outdated node", "stay") + " unchanged" }

func AbortTainted(n int) string {
	return does(n, "outdated node", "stay") + " unchanged, our taints are removed"
}

func AbortDetached(n int) string {
	return does(n, "detached instance", "stay") + " in service outside the group; the commands that terminate or reattach them are listed"
}

// RetiringStopped is why surplus nodes are not retired any more.
func RetiringStopped(why string) string { return "surplus nodes no longer retired: " + why }

func AbortSurge(n int) string {
	return fmt.Sprintf("up to %s without pods to evict are terminated; the others stay", Plural(n, "surge node"))
}

// AbortKeepsTemplate is what an abort does once nodes run the new template.
const AbortKeepsTemplate = "the group keeps the new launch template: nodes run it"

func AbortRollback(back string) string { return "to roll them back afterwards: " + back }

func AbortTemplate(version string) string {
	return "launch template restored to version " + version
}

func AbortResumes(processes []string) string { return strings.Join(processes, ", ") + " resumed" }
