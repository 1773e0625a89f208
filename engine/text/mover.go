package text

import (
	"fmt"
	"strings"
	"time"
)

// What others who move nodes do, in words that follow their name.
const (
	Rebalances       = "moves instances between zones and terminates them without a drain"
	ResumedByAnother = "is active again, resumed by another user or tool"
	ReplacesSick     = "terminates as unhealthy, without a drain,"
	HasMarked        = "has marked"
	HasCordoned      = "has cordoned"
	MayBeDraining    = "has cordoned and may be draining"
	MayRepair        = "may replace or reboot"
	IsRolling        = "is rolling"
	Drains           = "drains"
	UpdatesOrReboots = "updates or reboots"
	Ends             = "terminates"
)

// Who moves nodes, beside those who have a name of their own.
const (
	HealthReplacement = "Auto Scaling (ReplaceUnhealthy)"
	// UserOrTool is who leaves no mark but a cordon.
	UserOrTool = "a user or a tool"
)

// How a run continues beside them.
const (
	NoRunBeside       = "no run starts beside it, a running one pauses"
	RunPauses         = "the run pauses"
	AutoscalerLeft    = "nodes it adds and removes count as the group's size, new nodes are protected from its scale-down until the end"
	SuspendedMeantime = "suspended while nodes are replaced, then resumed"
	MayEndUndrained   = "it may terminate instances without a drain"
	NotWaitedFor      = "not waited for: such a node counts as replaced, not by this run"
	PolicyLeft        = "a raise and a lowering count as the group's size; scaling in terminates instances without a drain, and surge capacity looks idle"
	ScheduleLeft      = "a raise and a lowering count as the group's size; scaling in terminates instances without a drain"
	CordonStays       = "rolled like any other node, the cordon stays"
	DrainUnsure       = "no pod was seen leaving, and all are blocked: rolled like any other node, the cordon stays"
	OurDrainContinues = "our own drain of it continues"
	NotDrainedByUs    = "not drained by this run meanwhile, counts as out of service"
	MarkStays         = "rolled like any other node, the mark stays"
	RollMayRun        = "rolled like any other node, the mark stays: interrupted rolls and drainAndTerminate: false leave it. A roll that still runs would terminate instances beside ours"
)

// What to do about them, where it takes no figures.
const (
	PutItRight    = "set the target template again, or abort"
	MakeSureNoOne = "make sure that no such roll runs"
)

func InstanceRefresh(id string) string { return "instance refresh " + id }

func RefreshDoes(status string, percent int) string {
	return fmt.Sprintf("replaces the group's instances (%s, %d %%)", status, percent)
}

func StopRefresh(group string) string {
	return "wait for it, or cancel it with " + CancelRefreshCommand(group)
}

// WaitForEKS is what there is to do about an update of a managed node group.
const WaitForEKS = "wait for it: an update of a managed node group cannot be cancelled"

func EKSUpdate(id string) string { return "EKS update " + id }

// EKSUpdateDoes says where an update goes, as far as that is known, and its status in EKS's
// word.
func EKSUpdateDoes(version, release, status string) string {
	to := ""
	if version != "" {
		to = " to Kubernetes " + version
	}
	if release != "" {
		to += ", release " + release
	}
	return fmt.Sprintf("replaces the group's nodes%s (%s)", to, status)
}

// EKSUpdateFailed says why an update failed, one reason after the other.
func EKSUpdateFailed(id string, why []string) string {
	if len(why) == 0 {
		return EKSUpdate(id) + " failed, and EKS names no error"
	}
	return EKSUpdate(id) + " failed: " + strings.Join(why, "; ")
}

// EKSUpdateCancelled says that an update was cancelled, with what EKS says of it.
func EKSUpdateCancelled(id string, why []string) string {
	return strings.Join(append([]string{EKSUpdate(id) + " was cancelled"}, why...), "; ")
}

// EKSError is an error of EKS's in its own words, and the pods that were held on the nodes
// that it is about.
func EKSError(code, message string, about, held []string) string {
	out := code + ": " + message
	if len(about) > 0 {
		out += " (" + strings.Join(about, ", ") + ")"
	}
	if len(held) > 0 {
		out += "; held there: " + strings.Join(held, ", ")
	}
	return out
}

// HeldPod is a pod with its owner, "" for none, and what holds it.
func HeldPod(pod, owner, why string) string {
	if owner != "" {
		pod += " of " + owner
	}
	return pod + " (" + why + ")"
}

func AutoscalerDoes(tag string) string { return "scales the group (tag " + tag + ")" }

// ScalingPolicies are who changes a group's size and what they do.
func ScalingPolicies(names []string) (who, does string) {
	if len(names) > 1 {
		return "scaling policies " + Some(names), "change the desired capacity"
	}
	return "scaling policy " + names[0], "changes the desired capacity"
}

func ScheduledAction(name string) string { return "scheduled action " + name }

// ScheduleDoes is what a scheduled action sets, next at a time (zero where that is not known),
// and how it recurs, or "".
func ScheduleDoes(sets string, at time.Time, recurs string) string {
	does := "sets " + sets
	if !at.IsZero() {
		does += " at " + at.UTC().Format("2006-01-02 15:04 MST")
	}
	if recurs != "" {
		does += " (" + recurs + ")"
	}
	return does
}

// SuspendForNow is the way out of what changes a group's size.
func SuspendForNow(suspend string) string { return suspend + ", and resume-processes after the run" }

// NotEndedIn tells of a drain of others that takes too long.
func NotEndedIn(wait time.Duration) string {
	return fmt.Sprintf("not finished after %s: rolled like any other node", wait)
}

// WaitOrUnmark is the way out of a drain of others.
func WaitOrUnmark(mark string) string {
	return "wait for it; if it was abandoned, remove the mark" + withCommand(UnmarkCommand("NODE", mark)) + ", or skip the node"
}

// WaitForRoll is the way out of a roll of others.
func WaitForRoll(node, mark string) string {
	return "wait until its roll is over; if it is, remove its marks" + withCommand(UnmarkCommand(node, mark))
}

func withCommand(command string) string {
	if command == "" {
		return ""
	}
	return ": " + command
}

// WaitedFor tells of nodes that others take out of service.
func WaitedFor(movers []string) string { return "waiting while " + strings.Join(movers, "; ") }

// TakenOutBy is the note of a node that others take out of service.
func TakenOutBy(who string) string { return "waiting while " + who + " takes it out of service" }

// NodesAre names one or two nodes and how they stand.
func NodesAre(nodes []string, how string) string { return joinTwo(nodes) + " " + how }

// NodeCountIs counts nodes and says how they stand.
func NodeCountIs(n int, how string) string { return Plural(n, "node") + " " + how }

// joinTwo names one or two.
func joinTwo(names []string) string { return strings.Join(names, " and ") }

// MoverRest are the nodes that others have still to move.
type MoverRest struct {
	Nodes []string
	// Cordoned: that is all that is known of them.
	Cordoned bool
}

// Named names them.
func (r MoverRest) Named() string { return joinTwo(r.Nodes) }

// NamedBeside names them beside others that have come further.
func (r MoverRest) NamedBeside() string { return joinTwo(r.Nodes) + r.word() }

// CountedBeside counts them beside others that have come further.
func (r MoverRest) CountedBeside() string { return fmt.Sprint(len(r.Nodes)) + r.word() }

func (r MoverRest) word() string {
	if r.Cordoned {
		return " cordoned"
	}
	return " to go"
}

// How nodes stand that others move.
const (
	LeftByLastRun   = "carries a mark that our last run left"
	NodeLeftCluster = "node has left the cluster"
	DrainedAndThen  = "drained, next step unknown"
	EKSDrains       = "pods leave: an EKS managed update drains it"
	LooksDrained    = "cordoned, and pods leave: probably being drained"
	MayWaitToDrain  = "cordoned, all pods blocked: a drain may be waiting"
	InStandby       = "in Standby: taken out of service by a user"
	InPlaceDone     = "updated in place"
)

func DrainedBy(who string) string { return "drained by " + who }

// LongerThanUsual is the note of a drain of others that takes longer than its limit.
func LongerThanUsual(note string, limit time.Duration) string {
	return note + ", longer than the usual " + limit.String()
}
