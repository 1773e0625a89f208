package text

import (
	"fmt"
	"time"
)

// Why a command is not possible now, where it takes no figures.
const (
	LastPhaseBegun   = "last phase has begun: start another run for the remaining nodes"
	NothingToReturn  = "no node was skipped or failed"
	RunHasEnded      = "the run has ended"
	RunIsEnding      = "the run is ending"
	NothingToApprove = "nothing waits for approval"
	RunIsPaused      = "the run is paused"
	AlreadyPaused    = "already paused"
	NotPaused        = "not paused"
	TooOldToForce    = "cluster data too old to force pods"
	NothingDrains    = "no node is draining"
	NothingToSkip    = "no node can be skipped"
	NoDeadlineRuns   = "no node is draining towards a deadline"
	// DrainsWithoutDeadline is why no deadline can be moved.
	DrainsWithoutDeadline = "drains have no deadline (--on-drain-timeout=wait)"
	NotOffered            = "not supported by this strategy"
	PoolTooOldToOrder     = "pool data too old to change the order"
	NothingLeftToGo       = "no outdated node left"
	// WholeGroup and OneBatch are why max-unavailable cannot be more.
	WholeGroup = "the group has no more nodes"
	OneBatch   = "the surge was worked out for that"
)

const (
	// Aborting is what an abort does.
	Aborting = "nothing new starts; work in flight finishes or is undone"
	Resumed  = "resumed"
)

func NotPossible(command, why string) string { return command + " not possible now: " + why }

// AskedForBy is why a run pauses or a node is skipped by a command.
func AskedForBy(who string) string { return "requested by " + who }

func AbortedBy(who string) string { return "aborted by " + who }

func Paused(why string) string { return "paused: " + why }

func ResumedBecause(why string) string { return "resumed: " + why }

func ApprovalRefused(batch int) string {
	return fmt.Sprintf("approval of batch %d refused: the batch has changed, review it again", batch)
}

func ForceRefused(node string) string {
	return node + " is not draining: only draining nodes can be forced"
}

func ForcedPodGone(node string) string { return "pod to force is no longer on " + node }

func SkipRefused(node string) string {
	return node + " cannot be skipped: it is not waiting to be replaced"
}

func ExtendRefused(node string) string {
	return node + " has no drain deadline that runs: it cannot be extended"
}

// Extended tells of a drain deadline that a command moved.
func Extended(by time.Duration, who string) string {
	return "drain deadline extended by " + by.String() + " by " + who
}

// MaxUnavailableRefused is why max-unavailable does not become n: it is from least to most, which why explains.
func MaxUnavailableRefused(n, least, most int, why string) string {
	if n < least {
		return fmt.Sprintf("max-unavailable %d refused: at least %d", n, least)
	}
	return fmt.Sprintf("max-unavailable %d refused: at most %d: %s", n, most, why)
}

// AsBefore is why a max-unavailable that holds already is not set.
func AsBefore(n int) string { return fmt.Sprintf("max-unavailable is %d already", n) }

// MaxUnavailableChanged tells of a max-unavailable that a command changed: so many nodes go at once.
func MaxUnavailableChanged(from string, to, limit int, who string) string {
	return fmt.Sprintf("max-unavailable %s → %d by %s: at most %s out of service at once", from, to, who, Plural(limit, "node"))
}

// ChangedBy is where a setting came from that a command changed.
func ChangedBy(who string) string { return "changed by " + who }

// SurgeLaunched is why max-unavailable cannot be more than the nodes that were launched for it.
func SurgeLaunched(n int) string { return "the run launched " + Plural(n, "node") + " more" }

func ReturnRefused(node string) string {
	return node + " cannot be returned: it is no outdated node that was skipped or failed"
}

func ReturnInStandby(node string) string {
	return node + " is in Standby: return it to service first"
}

func Returned(by string) string { return "returned to the end of the order by " + by }

// unnamed is a command's kind or a run's id, which may be missing.
func unnamed(name, without string) string {
	if name == "" {
		return without
	}
	return name
}

func NotTakenRemotely(command string) string {
	return unnamed(command, "a command without a name") + " is not accepted from another process"
}

func ForAnotherRun(command, run, is string) string {
	return command + " is for run " + unnamed(run, "without a name") + ", this one is " + is
}

func CommandExpired(command string, age time.Duration) string {
	return command + " expired: given " + Seconds(age) + " ago"
}

func TooManyCommands(command string) string {
	return command + " refused: too many commands from other processes in a short time"
}

// Sender is who gave a command from elsewhere: by is a user of the API, or no more than what
// the sender says (claimed); client is the user and host that its process names, or empty.
func Sender(by, client string, claimed bool) string {
	who := unnamed(by, "an unnamed user")
	if claimed && by != "" {
		who = "a user who says it is " + by
	}
	if client != "" && client != by {
		who += ", client " + client
	}
	return who
}

// ByCommand is an event's message and the command that it came of.
func ByCommand(message, command, who string) string {
	return message + " (" + command + " by " + who + ")"
}
