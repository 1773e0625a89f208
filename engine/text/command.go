package text

import (
	"fmt"
	"time"
)

// Why a command is not possible now, where it takes no figures.
const (
	LastPhaseBegun    = "the last phase has begun: start another run for what was left"
	NothingToReturn   = "no node was skipped or has failed"
	RunHasEnded       = "the run has ended"
	RunIsEnding       = "the run is ending"
	NothingToApprove  = "nothing waits for approval"
	RunIsPaused       = "the run is paused"
	AlreadyPaused     = "it is paused already"
	NotPaused         = "it is not paused"
	TooOldToForce     = "what is known of the cluster is too old to force anything"
	NothingDrains     = "no node is draining"
	NothingToSkip     = "no node can be skipped now"
	NotOffered        = "not offered by this strategy"
	PoolTooOldToOrder = "what is known of the pool is too old to change the order"
	NothingLeftToGo   = "no node is still to go"
)

const (
	// Aborting is what an abort does.
	Aborting = "nothing new starts; what is in flight finishes or is put back"
	Resumed  = "resumed"
)

func NotPossible(command, why string) string { return command + " is not possible now: " + why }

// AskedForBy is why a run pauses or a node is skipped by a command.
func AskedForBy(who string) string { return "asked for by " + who }

func AbortedBy(who string) string { return "aborted by " + who }

func Paused(why string) string { return "paused: " + why }

func ResumedBecause(why string) string { return "resumed: " + why }

func ApprovalRefused(batch int) string {
	return fmt.Sprintf("approval of batch %d refused: it has changed, look at it again", batch)
}

func ForceRefused(node string) string {
	return "force is for a node that is draining; " + node + " is not"
}

func ForcedPodGone(node string) string { return "the pod to force is no longer on " + node }

func SkipRefused(node string) string {
	return "skip is for a node that is still to be replaced; " + node + " is not"
}

func ReturnRefused(node string) string {
	return "return is for an outdated node that was skipped or has failed; " + node + " is not"
}

func ReturnInStandby(node string) string {
	return node + " is in Standby: put it back into service first"
}

func Returned(by string) string { return "back in the order, at its end, as asked for by " + by }

// unnamed is a command's kind or a run's id, which may be missing.
func unnamed(name, without string) string {
	if name == "" {
		return without
	}
	return name
}

func NotTakenRemotely(command string) string {
	return unnamed(command, "a command without a name") + " is not taken from elsewhere"
}

func ForAnotherRun(command, run, is string) string {
	return command + " is for the run " + unnamed(run, "without a name") + ", and this one is " + is
}

func CommandExpired(command string, age time.Duration) string {
	return command + " has expired: it was given " + seconds(age) + " ago"
}

func TooManyCommands(command string) string {
	return "too many commands from elsewhere in a short time: " + command + " is not taken"
}

// ByCommand is an event's message and the command that it came of.
func ByCommand(message, command, who string) string {
	return message + " (" + command + " by " + who + ")"
}
