package text

import (
	"fmt"
	"strings"
	"time"
)

// What others who move nodes do, in words that follow their name.
const (
	Rebalances       = "moves machines between zones, and ends them undrained"
	ResumedByAnother = "acts again, because somebody has resumed it"
	ReplacesSick     = "finds unhealthy, and ends undrained,"
	HasMarked        = "has marked"
	HasCordoned      = "has cordoned"
	MayBeDraining    = "has cordoned, and may be draining,"
	MayRepair        = "may replace or reboot"
	IsRolling        = "is rolling"
	Drains           = "drains"
	UpdatesOrReboots = "updates or reboots"
	Ends             = "ends"
)

// Who moves nodes, beside those who have a name of their own.
const HealthReplacement = "the group (ReplaceUnhealthy)"

// How a run goes on beside them.
const (
	NoRunBeside       = "no run starts beside it, and one that goes on pauses"
	RunPauses         = "the run pauses"
	AutoscalerLeft    = "what it adds stays, what it removes counts as a part of what we take back, and new nodes are kept from its scale down until the end"
	SuspendedMeantime = "suspended while nodes are replaced, and acts again after"
	MayEndUndrained   = "it may end machines undrained"
	NotWaitedFor      = "it is not waited for, and such a node counts as replaced, not by us"
	PolicyLeft        = "a raise stays, a lowering counts as a part of what we take back; but to be smaller the group ends machines undrained, and with its extra machines it looks idle"
	ScheduleLeft      = "a raise stays, a lowering counts as a part of what we take back; but to be smaller the group ends machines undrained"
	CordonStays       = "such a node is rolled like any other, and the cordon stays"
	DrainUnsure       = "no pod was seen leaving, and each that is left is held: the node is rolled like any other, and the cordon stays"
	OurDrainGoesOn    = "our own drain of it goes on"
	NotDrainedByUs    = "not drained by us meanwhile, and counts as out of service"
	MarkStays         = "the node is rolled like any other, and the mark stays"
	RollMayGoOn       = "such a node is rolled like any other, and the mark stays: an interrupted roll leaves it, and so does drainAndTerminate: false. If a roll goes on, two at once end the group's machines"
)

// What to do about them, where it takes no figures.
const (
	PutItRight    = "put that right"
	MakeSureNoOne = "make sure that none goes on"
)

func InstanceRefresh(id string) string { return "instance refresh " + id }

func RefreshDoes(status string, percent int) string {
	return fmt.Sprintf("replaces the group's machines by itself (%s, %d %%)", status, percent)
}

func StopRefresh(group string) string {
	return "wait for it, or stop it with " + CancelRefreshCommand(group)
}

func AutoscalerDoes(tag string) string { return "scales the group (tag " + tag + ")" }

// ScalingPolicies are who changes a group's size and what they do.
func ScalingPolicies(names []string) (who, does string) {
	if len(names) > 1 {
		return "scaling policies " + Some(names), "change the desired size by themselves"
	}
	return "scaling policy " + names[0], "changes the desired size by itself"
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
	return fmt.Sprintf("it has not come to an end in %s: the node is rolled like any other", wait)
}

// WaitOrUnmark is the way out of a drain of others.
func WaitOrUnmark(mark string) string {
	return "wait for it; if nobody is at it any more, take the mark off" + withCommand(UnmarkCommand("NODE", mark)) + ", or skip the node"
}

// WaitForRoll is the way out of a roll of others.
func WaitForRoll(node, mark string) string {
	return "wait until its roll is over; if it is, take its marks off" + withCommand(UnmarkCommand(node, mark))
}

func withCommand(command string) string {
	if command == "" {
		return ""
	}
	return ": " + command
}

// WaitedFor tells of nodes that others take out of service.
func WaitedFor(movers []string) string { return strings.Join(movers, "; ") + ": waited for" }

// TakenOutBy is the note of a node that others take out of service.
func TakenOutBy(who string) string { return "waits: " + who + " takes it out of service" }

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
	LeftByLastRun   = "our last run has left this mark behind"
	NodeLeftCluster = "its node has left the cluster"
	DrainedAndThen  = "drained, and nothing says what comes next"
	EKSDrains       = "an EKS managed update drains it, as its pods leave"
	LooksDrained    = "was cordoned, and its pods leave: it is being drained, as it looks"
	MayWaitToDrain  = "was cordoned, and every pod left on it is held: a drain may be waiting"
	InStandby       = "in Standby: somebody has taken it out of service"
	InPlaceDone     = "updated in place"
)

func DrainedBy(who string) string { return "drained by " + who }

// LongerThanUsual is the note of a drain of others that takes longer than its limit.
func LongerThanUsual(note string, limit time.Duration) string {
	return note + ", for longer than the " + limit.String() + " that are usual"
}
