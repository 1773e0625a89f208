package text

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Blind says for how long the cluster has not been seen since the run ended machines, what the
// cloud shows of their replacements, and what is next.
func Blind(d time.Duration, ended []string, shown, next string) string {
	return fmt.Sprintf("no view of the cluster for %s since the run ended %s: %s; %s", d.Round(time.Second), strings.Join(FirstOf(ended), ", "), shown, next)
}

// BlindTooLong is why a run pauses itself.
func BlindTooLong(limit time.Duration, ended []string, shown string) string {
	return fmt.Sprintf("no view of the cluster for %s (--validation-timeout) since the run ended %s: %s", limit, strings.Join(FirstOf(ended), ", "), shown)
}

// BlindFor is why a run is left that ends.
func BlindFor(d time.Duration) string {
	return "no view of the cluster for " + d.Round(time.Second).String()
}

// BlindPauses and BlindEnds say what becomes of the run in left.
func BlindPauses(left time.Duration) string {
	return fmt.Sprintf("the run pauses in %s", left.Round(time.Second))
}

func BlindEnds(left time.Duration) string {
	return fmt.Sprintf("nothing is restored until the cluster is visible, and this process exits in %s", left.Round(time.Second))
}

const (
	CloudBlind    = "the cloud is not visible either"
	NoReplacement = "the cloud shows no new machine"
)

// AbortBlind says what becomes of an abort while the cluster is not seen.
func AbortBlind(left time.Duration) string {
	return fmt.Sprintf("the abort waits until the cluster is visible; without it this process exits in %s and restores nothing", left.Round(time.Second))
}

// NodeAndMachine names a node with its machine, or the machine where there is no node.
func NodeAndMachine(name, machine string) string {
	if name == machine {
		return machine
	}
	return name + " (" + machine + ")"
}

// MachineShown is what the cloud shows of a machine: detail is its own word for the state, ""
// where it has none.
func MachineShown(machine, zone, detail, state string, unhealthy bool) string {
	words := cmp.Or(detail, state)
	if unhealthy {
		words += ", unhealthy"
	}
	return fmt.Sprintf("%s (zone %s, %s)", machine, zone, words)
}

func ReplacementsShown(machines []string) string {
	return "the cloud shows " + strings.Join(FirstOf(machines), ", ")
}

// LockStillLost and SourceStillLost are told again while it lasts.
func LockStillLost(d time.Duration, why string) string {
	return fmt.Sprintf("%s for %s: %s", WithoutLock, d.Round(time.Second), why)
}

func SourceStillLost(source string, d time.Duration, why string) string {
	return fmt.Sprintf("no view of the %s for %s: %s", source, d.Round(time.Second), why)
}
