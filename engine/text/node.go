package text

import (
	"fmt"
	"strings"
	"time"
)

// What becomes of nodes, where it takes no figures.
const (
	DrainsAgain   = "it did not stay empty and cordoned while it settled: it drains again"
	OnlyNamed     = "named by --only, and has joined"
	InService     = "in service"
	ReplacedAgain = "gone: the group launches another one in its place"
	Retired       = "retired"
	Gone          = "gone"
	LeftNotByUs   = "left the group, not by us"
	NodeGone      = "its node is gone"
	NotReady      = "not Ready"
)

func PodsToMove(n int) string { return Plural(n, "pod") + " to move" }

func EmptyAfter(d time.Duration) string { return "empty after " + seconds(d) }

func Settling(d time.Duration) string { return "waits " + d.String() + " before its termination" }

// NotEnded is why a run fails whose machine does not end; held is what holds it, or "".
func NotEnded(id string, after time.Duration, held string) string {
	why := fmt.Sprintf("%s did not end within %s of being asked to", id, seconds(after))
	if held != "" {
		why += ": it is " + held
	}
	return why
}

// DetachedToo is a change and that nothing replaces its machine.
func DetachedToo(change string) string { return change + ", which is detached: nothing replaces it" }

func DrainTookTooLong(limit time.Duration) string {
	return "its drain did not end within " + limit.String()
}

func PodsStayed(n int, limit time.Duration) string {
	return fmt.Sprintf("%s left after %s", Plural(n, "pod"), limit)
}

// DrainFailed is why a run fails whose drain took too long.
func DrainFailed(node string, limit time.Duration, pods []string) string {
	return fmt.Sprintf("PodEvictionFailure: %s kept %s for %s: %s", Plural(len(pods), "pod"), node, limit, strings.Join(pods, ", "))
}

// MayFail is why a node failed, and that so many may.
func MayFail(why string, limit int) string {
	return fmt.Sprintf("%s; the run goes on, %d of %s may fail", why, limit, Plural(limit, "node"))
}

func Skipped(why string) string { return "skipped: " + why }

func Launching(id string) string { return id + " is launching" }

func Joined(version string) string { return "joined and is Ready, " + version }

// Runs is why a machine is outdated.
func Runs(template string) string { return "runs " + template }

// Template names a version of a launch template.
func Template(version int64) string { return fmt.Sprintf("template %d", version) }

// Templates names several.
func Templates(versions []string) string { return "template " + strings.Join(versions, ", ") }

func NodeOutlives(machine string) string {
	return "machine " + machine + " left the group and its node is still there: our marks come off"
}

func NewMachineLeft(machine string) string {
	return "new machine " + machine + " left the group, not by us"
}

// Renamed tells that a node is another machine's now; ends is what ends by that, or "".
func Renamed(machine, ends string) string {
	return because("this is the node of "+machine+" now", ends)
}

func DrainEnds(machine string) string { return "the drain of " + machine + " ends" }

func UpdateEnds(machine string) string { return "the update of " + machine + " ends" }

func Silent(d time.Duration) string { return "not heard from for " + seconds(d) }

// SilentFails is why a run fails with a node that is not heard from.
func SilentFails(node string, d time.Duration) string {
	return node + " has been " + Silent(d) + " (--unreachable=fail)"
}

func SilentEnds(d time.Duration) string {
	return Silent(d) + ": its machine will be ended with the pods on it (--unreachable=terminate)"
}

// SilentFor is the note of a node that is not heard from, to the minute.
func SilentFor(d time.Duration) string { return "not heard from for " + d.Round(time.Minute).String() }

// Health.

// TooLate is why a new machine is given up that is not Ready after so long.
func TooLate(why string, limit time.Duration) string { return fmt.Sprintf("%s after %s", why, limit) }

func NewAndSick(sick string) string { return "new, and not healthy: " + sick }

// SickFor is why a machine is given up.
func SickFor(limit time.Duration, sick string) string {
	return fmt.Sprintf("not healthy for %s: %s", limit, sick)
}

// SickPostponed is why a machine is not given up yet.
func SickPostponed(limit time.Duration, sick, while string) string {
	return fmt.Sprintf("not healthy for more than %s: %s; its end is postponed while %s", limit, sick, while)
}

func GivenUp(why string) string {
	return "given up: " + why + "; it is ended, and another one comes"
}

func UnhealthyFirst(nodes []string) string {
	return "goes first, because it is not healthy: " + strings.Join(nodes, ", ")
}

// What another node of a zone is at.

func IsEnded(node string) string { return node + " is ended" }

func IsDrained(node string) string { return node + " drains" }

func UpdateHasFailed(node string) string { return "the update of " + node + " has failed" }

func IsUpdated(node string) string { return node + " is updated" }

// Load balancers.

const (
	StaysBalanced = "it stays in its load balancers: no other machine serves the API"
	CannotLeave   = "it cannot be taken out of its load balancers: the drain begins all the same"
)

// DeregistrationFailed is why a run fails whose node stays in its load balancers.
func DeregistrationFailed(node, refused string) string {
	return fmt.Sprintf("DeregistrationFailure: %s cannot be taken out of its load balancers: %s", node, refused)
}

func DidNotLeave(limit time.Duration) string {
	return fmt.Sprintf("it did not leave its load balancers within %s: the drain begins all the same", limit)
}

func DrainBeginsAnyway(why string) string { return why + ": the drain begins all the same" }
