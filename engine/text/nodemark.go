package text

import "fmt"

// How sentences name what moves nodes, where that is no name of its own.
const (
	EKSManagedUpdate     = "an EKS managed update"
	RollingUpdateHandler = "the rolling update handler"
)

// The and TheAWS name a controller within a sentence.
func The(controller string) string { return "the " + controller }

func TheAWS(controller string) string { return "the AWS " + controller }

// WillReplace and those below say what a mark on a node means.
func WillReplace(who string) string { return who + " is going to replace it: new pods avoid it" }

func WillReplaceNoPods(who string) string {
	return who + " is going to replace it: it takes no new pods"
}

func WillReplaceSomeTime(who string) string { return who + " is going to replace it" }

func WillUpdateOrReplace(who string) string {
	return who + " is going to update or replace it: new pods avoid it"
}

func CordonedToDrain(who string) string { return who + " has cordoned it: it is drained" }

func CordonedToEnd(who string) string {
	return who + " has cordoned it: it is drained, and then its machine ends"
}

func CordonedToEndLater(who string) string {
	return who + " has cordoned it: it is drained, and its machine ends 60 s later"
}

func ReplacedOnceReady(who string) string {
	return who + " has chosen to replace it, and drains it once the replacement is Ready: it takes no new pods"
}

func IsReplacing(who string) string {
	return who + " is replacing it: it is drained, and then its machine ends"
}

// IsReplacingUnhealthy is said of a node that its controller has found not healthy.
func IsReplacingUnhealthy(who string) string {
	return who + " is replacing it: it was found unhealthy: it is drained, and then its machine ends"
}

func IsRemoving(who string) string {
	return who + " is removing it: it is drained, and then its machine ends"
}

func NotNeeded(who string) string {
	return who + " finds that it is not needed, and may remove it"
}

const (
	SpotTakenBack        = "its Spot machine is taken back 2 minutes after the notice"
	MaintenanceScheduled = "AWS has scheduled maintenance of its machine"
	GroupEndsMachine     = "its Auto Scaling group is ending its machine"
	SpotAtRisk           = "its Spot machine is likely to be taken back"
)

// HandlerDrains says that a controller drains a node, and why.
func HandlerDrains(why, who string) string { return why + ": " + who + " drains it" }

func MaintenanceDrains(who string) string {
	return who + " drains it, and keeps it cordoned until the maintenance is over"
}

const (
	OutOfService    = "was declared out of service: its pods are deleted by force, and its volumes detached"
	MachineShutDown = "its machine is shut down"
	SurplusOfRun    = "a run of Drainboard meant to end it at the end, and new pods avoid it"
)

// InPlaceFailed says that an update in place failed, and why, "" where that is not known.
func InPlaceFailed(why string) string { return because("its update in place failed", why) }

func InPlaceTakenBack(who string) string {
	return "is updated in place, and " + who + " takes it back into service"
}

func InPlaceUpdates(who string) string { return who + " updates it in place" }

func InPlaceDrains(who string) string { return who + " drains it, and then updates it in place" }

const (
	InPlaceSelected  = "was selected for an update in place, which begins with its drain"
	InPlaceCandidate = "waits to be selected for an update in place"
)

func ReplacedNextRoll(who string) string { return who + " replaces it in its next rolling update" }

func Reboots(who string) string {
	return who + " drains it and reboots it: it comes back by itself"
}

func HandlerReplaces(who string) string {
	return who + " replaces it: it is drained as soon as its pods fit on new nodes"
}

func HandlerHasDrained(who string) string { return who + " has drained it, and ends its machine" }

func HandlerHasEnded(who string) string { return who + " has ended its machine" }

func ActsOnEvent(who string) string { return who + " acts on an event of its machine" }

func CordonedForEvent(who string) string {
	return who + " has cordoned it for an event of its machine, and drains it"
}

func RepairAfter(who string, minutes int) string {
	return fmt.Sprintf("is unhealthy: %s, where it is on, replaces or reboots it after %d minutes", who, minutes)
}

const CordonedByNobody = "was cordoned, and nothing says by whom: it takes no new pods"

func CordonedByHandler(who string) string {
	return "was cordoned by " + who + ", which drains it unless it is set to cordon only"
}

const CordonedAsEKSDoes = "is cordoned and out of the load balancers, as an EKS managed update does before it drains and ends a node"

// DrainedByHand and those below say what happens to the nodes of a group.
const (
	DrainedByHand  = "drained by hand, or by a tool that leaves no mark"
	CordonedByHand = "cordoned by hand, or by a tool that leaves no mark"
)

func MayAct(who string) string { return who + " may act here" }

// IsAtWork says that a controller moves nodes; guess: as far as its marks tell.
func IsAtWork(who string, guess bool) string {
	s := who + " is at work here"
	if guess {
		s += ", as it looks"
	}
	return s
}

const (
	DrainboardLeftMarks = "a run of Drainboard has left marks behind"
	CloudShutDown       = "the cloud has shut down machines"
)

// RefreshAtWork says how far an instance refresh is, in percent, and how it is ended.
func RefreshAtWork(id, status string, percent int, group string) string {
	return fmt.Sprintf("instance refresh %s is %s (%d %%): wait for it, or stop it with aws autoscaling cancel-instance-refresh --auto-scaling-group-name %s", id, status, percent, group)
}

// SizeTo is a part of what a scheduled action sets.
func SizeTo(name string, n int) string { return fmt.Sprintf("%s %d", name, n) }

// Sizes are a group's.
func Sizes(least, most, desired int) string {
	return fmt.Sprintf("min %d, max %d, desired %d", least, most, desired)
}
