package text

import (
	"fmt"
	"strings"
	"time"
)

// What becomes of nodes, where it takes no figures.
const (
	DrainsAgain   = "no longer empty and cordoned while settling: drained again"
	OnlyNamed     = "named by --only, joined"
	InService     = "in service"
	ReplacedAgain = "gone: the group launches a replacement"
	Retired       = "retired"
	Gone          = "gone"
	LeftNotByUs   = "left the group, not by this run"
	NodeGone      = "node is gone"
	NotReady      = "not Ready"
)

func PodsToMove(n int) string { return Plural(n, "pod") + " to move" }

func EmptyAfter(d time.Duration) string { return "empty after " + Seconds(d) }

func Settling(d time.Duration) string { return "waiting " + d.String() + " before termination" }

// NotEnded is why a run fails whose machine does not end; held is what holds it, or "".
func NotEnded(id string, after time.Duration, held string) string {
	return Because(fmt.Sprintf("%s not terminated after %s", id, Seconds(after)), held)
}

// DetachedToo is a change and that nothing replaces its machine.
func DetachedToo(change string) string { return change + ", detached: not replaced" }

// DrainOverdue begins what DrainTookTooLong returns.
const DrainOverdue = "drain not finished within "

// DrainTookTooLong is why a node is skipped whose drain took longer than its limit.
func DrainTookTooLong(limit time.Duration) string {
	return DrainOverdue + limit.String()
}

func PodsStayed(n int, limit time.Duration) string {
	return fmt.Sprintf("%s not gone after %s", Plural(n, "pod"), limit)
}

// DrainFailed is why a run fails whose drain took too long.
func DrainFailed(node string, limit time.Duration, pods []string) string {
	return fmt.Sprintf("PodEvictionFailure: %s on %s not gone after %s: %s", Plural(len(pods), "pod"), node, limit, strings.Join(pods, ", "))
}

// MayFail is why a node failed, and that so many may.
func MayFail(why string, limit int) string {
	return why + "; the run continues: up to " + Plural(limit, "node") + " may fail"
}

func Skipped(why string) string { return "skipped: " + why }

func Launching(id string) string { return id + " is launching" }

func Joined(version string) string { return "joined and Ready, " + version }

// Runs is why a machine is outdated.
func Runs(template string) string { return "runs " + template }

// Template names a version of a launch template.
func Template(version int64) string { return fmt.Sprintf("template %d", version) }

// Templates names several.
func Templates(versions []string) string { return "template " + strings.Join(versions, ", ") }

func NodeOutlives(machine string) string {
	return machine + " left the group, its node remains: removing our marks"
}

func NewMachineLeft(machine string) string {
	return "new instance " + machine + " left the group, not by this run"
}

// Renamed tells that a node is another machine's now; ends is what ends by that, or "".
func Renamed(machine, ends string) string {
	return Because("now the node of "+machine, ends)
}

func DrainEnds(machine string) string { return "drain of " + machine + " ends" }

func UpdateEnds(machine string) string { return "update of " + machine + " ends" }

func Silent(d time.Duration) string { return "unreachable for " + Seconds(d) }

// SilentFails is why a run fails with a node that is not heard from.
func SilentFails(node string, d time.Duration) string {
	return node + " " + Silent(d) + " (--unreachable=fail)"
}

func SilentEnds(d time.Duration) string {
	return Silent(d) + ": its instance will be terminated with its pods (--unreachable=terminate)"
}

// SilentFor is the note of a node that is not heard from, to the minute.
func SilentFor(d time.Duration) string { return "unreachable for " + d.Round(time.Minute).String() }

// Health.

// TooLate is why a new machine is given up that is not Ready after so long.
func TooLate(why string, limit time.Duration) string { return fmt.Sprintf("%s after %s", why, limit) }

func NewAndSick(sick string) string { return "new node unhealthy: " + sick }

// SickFor is why a machine is given up.
func SickFor(limit time.Duration, sick string) string {
	return fmt.Sprintf("unhealthy for %s: %s", limit, sick)
}

// SickPostponed is why a machine is not given up yet.
func SickPostponed(limit time.Duration, sick, while string) string {
	return fmt.Sprintf("unhealthy for more than %s: %s; termination postponed while %s", limit, sick, while)
}

func GivenUp(why string) string {
	return "given up: " + why + "; terminated and replaced"
}

func UnhealthyFirst(nodes []string) string {
	return "unhealthy nodes go first: " + strings.Join(nodes, ", ")
}

// What another node of a zone is at.

func IsEnded(node string) string { return node + " terminates" }

func IsDrained(node string) string { return node + " drains" }

func UpdateHasFailed(node string) string { return node + " has failed its update" }

func IsUpdated(node string) string { return node + " is being updated" }

// Load balancers.

const (
	StaysBalanced = "stays in its load balancers: no other node serves the API"
	CannotLeave   = "cannot be deregistered from its load balancers: drain starts anyway"
)

// DeregistrationFailed is why a run fails whose node stays in its load balancers.
func DeregistrationFailed(node, refused string) string {
	return fmt.Sprintf("DeregistrationFailure: %s cannot be deregistered from its load balancers: %s", node, refused)
}

func DidNotLeave(limit time.Duration) string {
	return fmt.Sprintf("not deregistered from its load balancers within %s: drain starts anyway", limit)
}

func DrainBeginsAnyway(why string) string { return why + ": drain starts anyway" }
