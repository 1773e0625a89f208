package text

import (
	"fmt"
	"strings"
	"time"
)

// ItsController is who rolls a group of which only the record is known.
const ItsController = "its controller"

// PauseNote is what a pause does not stop, in words that follow why.
func PauseNote(controller string) string { return "; what " + controller + " has begun goes on" }

// Turn says when a machine with a priority goes.
func Turn(earlier bool, among, mark string, priority int) string {
	when := "after"
	if earlier {
		when = "before"
	}
	return fmt.Sprintf("goes %s %s (%s %d)", when, among, mark, priority)
}

// LetGoOn tells that another user lets the parts of a group go on.
func LetGoOn(part string) string { return "whoever had paused the " + part + "s lets them go on" }

// MoreLeftThanPaused tells that what others have paused stops nothing.
func MoreLeftThanPaused(by []string) string {
	return "more is left than what somebody has paused (" + strings.Join(by, ", ") + ")"
}

// OnlyKnownTo is why a controller cannot be told anything; flags name where it could.
func OnlyKnownTo(where string, flags []string) string {
	why := "only " + where + " knows of it"
	if len(flags) > 0 {
		why += " (" + strings.Join(flags, ", ") + ")"
	}
	return why
}

func TurnRefused(node string) string {
	return "the order is for nodes that are still to go; " + node + " is not"
}

func TurnAlready(node, turn string) string { return node + " " + turn + " already" }

func TurnJustGiven(node string) string {
	return node + " was just given another turn: look at it again"
}

// PausedByRun is why a run cannot resume that has paused parts of a group.
func PausedByRun(parts []string, why string) string {
	return "the run has paused " + strings.Join(parts, ", ") + ", and " + why
}

func PartStaysPaused(part, name, where string) string {
	return part + " " + name + " stays paused, so that no further node goes; in " + where + " it goes on with"
}

func PartCannotGoOn(part, name, where string) string {
	return part + " " + name + " was paused by the run, and stays so: only " + where + " can let it go on, and it was not given; there it goes on with"
}

func PartMayGoOn(part, name, where string) string {
	return part + " " + name + " is not known to be paused, and further nodes may go; in " + where + " this pauses it"
}

func TurnStays(machine, turn, where string) string {
	return "machine " + machine + " keeps the " + turn + " that it was given; in " + where + ", as it was before"
}

func Names(nodes []string) string { return strings.Join(nodes, ", ") }

func BegunBy(nodes, controller string) string {
	return nodes + ": begun by " + controller + ", which finishes it"
}

func GoesOn(controller, where string) string {
	return controller + " goes on with the nodes that are left: nothing stops it without " + where
}

func ToGoBack(back string) string { return "to go back, " + back }

// What an abort would do in a group that its own controller rolls.

func AbortBegun(n int, controller string) string {
	return controller + " finishes " + Plural(n, "node") + " that it has begun with"
}

func AbortUnknown(part, controller, where string) string {
	return "where the run was given " + where + " the " + part + "s are paused and stay so, and the command that lets them go on is said at the end; without it " + controller + " goes on with the others"
}

// AbortGoesOn names the flag that would stop it, or "".
func AbortGoesOn(controller, where, flag string) string {
	why := controller + " goes on with the others: nothing stops it without " + where
	if flag != "" {
		why += " (" + flag + ")"
	}
	return why
}

func AbortPauses(part string) string {
	return "the " + part + "s are paused and stay so: no further node goes until somebody lets them go on; the command for it is said at the end"
}

func PausedByAnother(parts []string) string {
	return "somebody has paused " + strings.Join(parts, ", ") + ": resume lets it go on"
}

// Updates in place.

const (
	UpdateGoesOn    = "its update goes on"
	UpdateFailed    = "its update failed"
	BecameCandidate = "became a candidate for an update in place since the run began: it goes at the end of the order"
	DrainedUpdating = "drained: it is updated"
)

func UpdatesFailed(nodes []string, controller string) string {
	return "the update in place of " + strings.Join(nodes, ", ") + " failed, and " + controller + " waits for it: repair the node, and its agent tries again"
}

func SelectedForUpdate(pods int, controller string) string {
	return "selected for its update: " + Plural(pods, "pod") + " to move, " + controller + " drains it"
}

func SaysNotWhy(controller string) string { return controller + " does not say why" }

// DidNotEnd tells of a wait that took too long.
func DidNotEnd(what string, limit time.Duration) string {
	return fmt.Sprintf("its %s did not end within %s", what, seconds(limit))
}

func UpdateFailedWhy(why string) string { return UpdateFailed + ": " + why }

func FailedPostponed(limit time.Duration, while string) string {
	return fmt.Sprintf("its update failed, and it was not healthy for more than %s; its end is postponed while %s", limit, while)
}

func FailedGivenUp(limit time.Duration) string {
	return fmt.Sprintf("given up: its update failed, and it was not healthy for %s; it is ended, and another one comes", limit)
}

func UpdatedInPlace(version string, took time.Duration) string {
	return fmt.Sprintf("updated in place, %s, after %s", version, seconds(took))
}

func RepairOrSkip(node, controller string) string {
	return "the update of " + node + " has failed: repair it, and " + controller + " tries again; or skip it"
}

func KeptByBudget(pod, budget string) string { return pod + " is kept by budget " + budget }

func SelectedBefore(node, controller string) string {
	return node + " was selected for its update before the run ended: " + controller + " finishes it"
}
