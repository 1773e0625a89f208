package text

import (
	"fmt"
	"strings"
)

// ApprovedBySetting is who has approved a batch that waits for nobody.
func ApprovedBySetting(approve string) string { return "--approve " + approve }

func BatchWaiting(names []string) string {
	return "waiting for approval of " + Plural(len(names), "node") + ": " + strings.Join(names, ", ")
}

func PhaseWaiting(phase string) string { return "waiting for approval of phase " + phase }

func BatchApproved(names []string) string {
	return Plural(len(names), "node") + " approved: " + strings.Join(names, ", ")
}

func PhaseApproved(phase string) string { return phase + " approved" }

func CanaryInTrouble(trouble string) string { return "canary unhealthy: " + trouble }

// CanaryPause is why a run pauses after its canary.
func CanaryPause(trouble string) string {
	return CanaryInTrouble(trouble) + "; accept it, or abort"
}

func CanaryPassed(watched string) string {
	return "canary healthy for " + watched + ": the other nodes follow"
}

func CanaryAccepted(by, trouble string) string {
	return "canary accepted by " + by + " although unhealthy: " + trouble
}

// CrashesHereOnly tells of a pod that crashes on a new node; owner is "" without one.
func CrashesHereOnly(pod, node, owner string) string {
	if owner == "" {
		owner = "it"
	}
	return fmt.Sprintf("%s crash-loops on %s, %s does not on outdated nodes", pod, node, owner)
}

// MachinesMissing counts the machines of a group; failure is why the newest launch failed,
// or "".
func MachinesMissing(have, want int, failure string) string {
	return Because(fmt.Sprintf("group has %d of %s", have, Plural(want, "instance")), failure)
}

// Because is a sentence and its reason, which may be "".
func Because(what, why string) string {
	if why == "" {
		return what
	}
	return what + ": " + why
}

// CanaryRecovered is told when a trouble that has held the run, or was accepted, is over.
func CanaryRecovered(trouble string) string { return "canary healthy again; it was " + trouble }

// CanaryHolds is why a paused run cannot simply be resumed.
func CanaryHolds(trouble string) string {
	return CanaryInTrouble(trouble) + ". The dashboard that drives the run accepts it"
}

// NothingToAccept is why no trouble can be accepted.
const NothingToAccept = "no trouble of a canary holds the run"

// AcceptanceRefused is told to who accepts a trouble that is another one by now.
func AcceptanceRefused(trouble string) string {
	return "not accepted: the trouble is another one now: " + trouble
}

// ApprovalOverCanary is told to who approves from elsewhere while a canary is in trouble.
func ApprovalOverCanary(trouble string) string {
	return "not approved: " + CanaryInTrouble(trouble) + ". Only the dashboard that drives the run approves over it"
}
