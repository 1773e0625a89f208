package systems

import (
	"fmt"
	"github.com/drainboard/drainboard/engine/text"
	"strings"
	"time"
)

// ItsController is who rolls a group of which only the record is known.
const ItsController = "its controller"

// PauseNote is what a pause does not stop, in words that follow why.
func PauseNote(controller string) string { return "; " + controller + " continues what it has begun" }

// Candidate says of a node that a controller may be at it, and why that cannot be told; of is
// how many such nodes there are.
func Candidate(controller string, of int) string {
	if of == 1 {
		return "probably drained by " + controller + ": it must be at a node, and PDBs keep all pods of this one"
	}
	return fmt.Sprintf("one of %d nodes of which %s drains at least one: PDBs keep all their pods", of, controller)
}

// Turn says when a machine with a priority goes.
func Turn(earlier bool, among, mark string, priority int) string {
	when := "after"
	if earlier {
		when = "before"
	}
	return fmt.Sprintf("goes %s %s (%s %d)", when, among, mark, priority)
}

// PartsResumed tells that the parts of a group are no longer paused.
func PartsResumed(part string) string { return "another user has resumed the " + part + "s" }

// MoreLeftThanPaused tells that what others have paused stops nothing.
func MoreLeftThanPaused(by []string) string {
	return "nodes are left beside what another user has paused (" + strings.Join(by, ", ") + ")"
}

// Needs is why a controller cannot be told anything; flags give it.
func Needs(where string, flags []string) string {
	why := "it needs " + where
	if len(flags) > 0 {
		why += " (" + strings.Join(flags, ", ") + ")"
	}
	return why
}

func TurnRefused(node string) string {
	return node + " cannot be reordered: it is not waiting to be replaced"
}

func TurnAlready(node, turn string) string { return node + " already " + turn }

func TurnJustGiven(node string) string {
	return node + " was just reordered: check it again"
}

// PausedByRun is why a run cannot resume that has paused parts of a group.
func PausedByRun(parts []string, why string) string {
	return "the run has paused " + strings.Join(parts, ", ") + ": to resume, " + why
}

func PartStaysPaused(part, name, where string) string {
	return part + " " + name + " stays paused: no further node starts; to resume it in " + where
}

func PartCannotResume(part, name, where string) string {
	return part + " " + name + " was paused by the run and stays paused: " + where + " was not given; to resume it there"
}

func PartMayContinue(part, name, where string) string {
	return part + " " + name + " may not be paused: further nodes may start; to pause it in " + where
}

func TurnStays(machine, turn, where string) string {
	return "machine " + machine + " keeps the " + turn + " of this run; to restore it in " + where
}

func Names(nodes []string) string { return strings.Join(nodes, ", ") }

func BegunBy(nodes, controller string) string {
	return nodes + ": begun by " + controller + ", which finishes them"
}

func Continues(controller, where string) string {
	return controller + " continues with the remaining nodes: nothing stops it without " + where
}

func ToGoBack(back string) string { return "to roll back, " + back }

// What an abort would do in a group that its own controller rolls.

func AbortBegun(n int, controller string) string {
	return controller + " finishes " + text.Plural(n, "node") + " that it has begun"
}

func AbortUnknown(part, controller, where string) string {
	return "given " + where + ", the " + part + "s are paused and stay paused, and the command that resumes them is shown at the end; without it " + controller + " continues with the others"
}

// AbortContinues names the flag that would stop it, or "".
func AbortContinues(controller, where, flag string) string {
	why := controller + " continues with the others: nothing stops it without " + where
	if flag != "" {
		why += " (" + flag + ")"
	}
	return why
}

func AbortPauses(part string) string {
	return "the " + part + "s are paused and stay paused: no further node starts until they are resumed; the command is shown at the end"
}

func PausedByAnother(parts []string) string {
	return "another user has paused " + strings.Join(parts, ", ") + ": resume continues it"
}

// Updates in place.

const (
	UpdateRetried   = "update retried"
	UpdateFailed    = "update failed"
	BecameCandidate = "became a candidate for an in-place update during the run: added to the end of the order"
	DrainedUpdating = "drained, update started"
)

func UpdatesFailed(nodes []string, controller string) string {
	return "in-place update of " + strings.Join(nodes, ", ") + " failed, " + controller + " waits for it: repair the node, its agent retries"
}

func SelectedForUpdate(pods int, controller string) string {
	return "selected for update: " + text.PodsToMove(pods) + ", " + controller + " drains it"
}

func SaysNotWhy(controller string) string { return controller + " gives no reason" }

// DidNotEnd tells of a wait that took too long.
func DidNotEnd(what string, limit time.Duration) string {
	return fmt.Sprintf("%s not finished within %s", what, text.Seconds(limit))
}

func UpdateFailedWhy(why string) string { return UpdateFailed + ": " + why }

func FailedPostponed(limit time.Duration, while string) string {
	return fmt.Sprintf("update failed, unhealthy for more than %s; termination postponed while %s", limit, while)
}

func FailedGivenUp(limit time.Duration) string {
	return fmt.Sprintf("given up: update failed, unhealthy for %s; terminated and replaced", limit)
}

func UpdatedInPlace(version string, took time.Duration) string {
	return fmt.Sprintf("updated in place, %s, after %s", version, text.Seconds(took))
}

func UpdatedBeforeItsTurn(version string) string {
	return fmt.Sprintf("updated in place before its turn, %s", version)
}

func RepairOrSkip(node, controller string) string {
	return "update of " + node + " failed: repair it and " + controller + " retries, or skip it"
}

func KeptByBudget(pod, budget string) string { return pod + " is blocked by PDB " + budget }

func SelectedBefore(node, controller string) string {
	return node + " was selected for update before the run ended: " + controller + " finishes it"
}

// Follows says what an update that is followed does, and since when it is under way.
func Follows(update string, since time.Duration) string {
	return fmt.Sprintf("%s; it began %s ago and is followed, read-only", update, text.Span(since))
}
