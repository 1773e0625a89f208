package text

import (
	"fmt"
	"strings"
)

// How sentences name what moves nodes, where that is no name of its own.
const (
	EKSManagedUpdate     = "an EKS managed update"
	RollingUpdateHandler = "the rolling update handler"
)

// The and TheAWS name a controller within a sentence.
func The(controller string) string { return "the " + controller }

func TheAWS(controller string) string { return "the AWS " + controller }

// WillReplace and those below say what a mark on a node means.
func WillReplace(who string) string { return who + " will replace it: new pods avoid it" }

func WillReplaceNoPods(who string) string {
	return who + " will replace it: it takes no new pods"
}

func WillReplaceSomeTime(who string) string { return who + " will replace it" }

func WillUpdateOrReplace(who string) string {
	return who + " will update or replace it: new pods avoid it"
}

func CordonedToDrain(who string) string { return who + " has cordoned it and drains it" }

func CordonedToEnd(who string) string {
	return who + " has cordoned it and drains it, then terminates it"
}

func CordonedToEndLater(who string) string {
	return who + " has cordoned it and drains it, then terminates it 60 s later"
}

func ReplacedOnceReady(who string) string {
	return who + " will replace it, and drains it once the replacement is Ready: it takes no new pods"
}

func IsReplacing(who string) string {
	return who + " is replacing it: drained first, then terminated"
}

// IsReplacingUnhealthy is said of a node that its controller has found not healthy.
func IsReplacingUnhealthy(who string) string {
	return who + " is replacing it as unhealthy: drained first, then terminated"
}

func IsRemoving(who string) string {
	return who + " is removing it: drained first, then terminated"
}

func NotNeeded(who string) string {
	return who + " finds it unneeded, and may remove it"
}

const (
	SpotTakenBack        = "its Spot instance is interrupted 2 minutes after the notice"
	MaintenanceScheduled = "AWS has scheduled maintenance of its instance"
	GroupEndsMachine     = "its Auto Scaling group is terminating its instance"
	SpotAtRisk           = "its Spot instance is likely to be interrupted"
)

// HandlerDrains says that a controller drains a node, and why.
func HandlerDrains(why, who string) string { return why + ": " + who + " drains it" }

func MaintenanceDrains(who string) string {
	return who + " drains it, and keeps it cordoned during its maintenance"
}

const (
	OutOfService    = "was declared out of service: its pods are force-deleted, its volumes detached"
	MachineShutDown = "its machine is shut down"
	OutdatedOfRun   = "a run of Drainboard is going to replace it: new pods avoid it"
	ClosedOfRun     = "a run of Drainboard is going to replace it: it takes no new pods"
	SurplusOfRun    = "a run of Drainboard has marked it as surplus: new pods avoid it"
)

// InPlaceFailed says that an update in place failed, and why, "" where that is not known.
func InPlaceFailed(why string) string { return Because("its in-place update failed", why) }

func InPlaceTakenBack(who string) string {
	return "is updated in place, and " + who + " returns it to service"
}

func InPlaceUpdates(who string) string { return who + " updates it in place" }

func InPlaceDrains(who string) string { return who + " drains it, then updates it in place" }

const (
	InPlaceSelected  = "was selected for an in-place update, which starts with its drain"
	InPlaceCandidate = "waits to be selected for an in-place update"
)

func ReplacedNextRoll(who string) string { return who + " replaces it in its next rolling update" }

func Reboots(who string) string {
	return who + " drains and reboots it, then returns it to service"
}

func HandlerReplaces(who string) string {
	return who + " drains and replaces it once its pods fit on new nodes"
}

func HandlerHasDrained(who string) string { return who + " has drained it, and terminates it" }

func HandlerHasEnded(who string) string { return who + " has terminated it" }

func ActsOnEvent(who string) string { return who + " acts on an event of its instance" }

func CordonedForEvent(who string) string {
	return who + " has cordoned it for an event of its instance, and drains it"
}

func RepairAfter(who string, minutes int) string {
	return fmt.Sprintf("is unhealthy: %s, where it is on, replaces or reboots it after %d minutes", who, minutes)
}

const CordonedByNobody = "was cordoned by an unknown user or tool: it takes no new pods"

func CordonedByHandler(who string) string {
	return "was cordoned by " + who + ", which drains it unless it is set to cordon only"
}

const CordonedAsEKSDoes = "is cordoned and out of the load balancers, as by an EKS managed update before it drains and terminates a node"

// DrainedByHand and those below say what happens to the nodes of a group.
const (
	DrainedByHand  = "drained by a user, or by a tool that leaves no mark"
	CordonedByHand = "cordoned by a user, or by a tool that leaves no mark"
)

func MayAct(who string) string { return who + " may act here" }

// IsAtWork says that a controller moves nodes; guess: as far as its marks tell.
func IsAtWork(who string, guess bool) string {
	s := who + " is at work here"
	if guess {
		s += ", as its marks suggest"
	}
	return s
}

const (
	DrainboardLeftMarks = "a run of Drainboard has left marks behind"
	CloudShutDown       = "the cloud has shut down machines"
)

// RefreshAtWork says how far an instance refresh is, in percent, and how it is ended.
func RefreshAtWork(id, status string, percent int, group string) string {
	return InstanceRefresh(id) + " " + Because(RefreshDoes(status, percent), StopRefresh(group))
}

// SizeTo is a part of what a scheduled action sets.
func SizeTo(name string, n int) string { return fmt.Sprintf("%s %d", name, n) }

// Sizes are a group's.
func Sizes(least, most, desired int) string { return SizesTo(&least, &most, &desired) }

// SizesTo names the sizes that are given: "max 9, desired 6".
func SizesTo(least, most, desired *int) string {
	var out []string
	for _, s := range []struct {
		name string
		n    *int
	}{{"min", least}, {"max", most}, {"desired", desired}} {
		if s.n != nil {
			out = append(out, fmt.Sprintf("%s %d", s.name, *s.n))
		}
	}
	return strings.Join(out, ", ")
}
