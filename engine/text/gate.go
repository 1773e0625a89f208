package text

import (
	"fmt"
	"strings"
	"time"
)

// TooOldToDrain is why no drain starts while the sources are stale.
const TooOldToDrain = "cluster or cloud data too old to start a drain"

// TooFewServe is why no drain starts: so many nodes serve, and so many must; idle names those
// that do not, or is "".
func TooFewServe(serving, floor int, idle string) string {
	return and(fmt.Sprintf("%s in service, %d required", Plural(serving, "node"), floor), idle)
}

// FitWaits is why no drain starts with a surge that fits while a launch is awaited.
func FitWaits(launch string) string {
	return "--max-surge fit: the next drain waits for a replacement: " + launch
}

// GateAwaits is why no drain starts, with the launch that would change that, or "".
func GateAwaits(why, launch string) string {
	if strings.Contains(why, launch) {
		return why
	}
	return why + "; awaited: " + launch
}

// CordonedByAnother and IdleNotReady name a node that does not serve, with the way out;
// approvable: to approve its batch is another.
func CordonedByAnother(node string, approvable bool) string {
	return orApprove(node+" is cordoned: uncordon it", approvable)
}

func IdleNotReady(node string, approvable bool) string {
	return orApprove(node+" is not Ready: check it, or terminate its instance", approvable)
}

func orApprove(wayOut string, approvable bool) string {
	if approvable {
		return wayOut + ", or approve its batch"
	}
	return wayOut
}

func NothingToSelect(node string) string { return node + " has no node to select" }

// HeldBack is why the strategy holds a node back; idle names nodes that do not serve, or is "".
func HeldBack(why, idle string) string { return and(why, idle) }

// ReplacementPending tells of a pod that has been Pending for so long; why is what the
// scheduler says, wayOut what makes room, or "".
func ReplacementPending(pod string, pending time.Duration, why, wayOut string) string {
	says := Because(fmt.Sprintf("%s, replacement of an evicted pod, Pending for %s", pod, Steady(pending)), why)
	if wayOut != "" {
		return strings.TrimSuffix(says, ".") + "; " + wayOut
	}
	return says
}

// UncordonForRoom is the way out where only our cordon keeps pods from a node.
func UncordonForRoom(node string) string { return "uncordon " + node + " to make room" }

// RaiseForRoom is the way out where our taint keeps pods from every node of the group.
const RaiseForRoom = "the run has tainted every node of the group: raise its desired capacity by 1 to make room"

func NoDrainStarts(why string) string { return "no new drain starts: " + why }

// NoDrainStarted is why a run pauses whose gate was shut for so long.
func NoDrainStarted(limit time.Duration, why string) string {
	return "no drain could start for " + limit.String() + ": " + why
}
