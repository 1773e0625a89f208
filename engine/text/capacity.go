package text

import (
	"fmt"
	"strings"
)

// AnotherUser is who has changed a group of whom nothing is known.
const AnotherUser = "somebody else"

func RebalanceResumes(counts string) string {
	return "AZRebalance acts again and may end machines undrained to even out the zones: " + counts
}

func DesiredRaised(from, to int) string {
	return fmt.Sprintf("somebody else raised the group's desired size from %d to %d meanwhile", from, to)
}

func DesiredLowered(from, to int) string {
	return fmt.Sprintf("somebody else lowered the group's desired size from %d to %d meanwhile", from, to)
}

// MachineIs tells the state of a machine that is not in service; held is what holds it, or "".
func MachineIs(id, zone, state, held string) string {
	why := fmt.Sprintf("machine %s in %s is %s", id, zone, state)
	if held != "" {
		why += ", " + held
	}
	return why
}

func MachineNotJoined(id, zone string) string {
	return fmt.Sprintf("machine %s in %s has not joined the cluster", id, zone)
}

// NodeNotReady tells of a node that is not Ready; trouble is what its kubelet says, or "".
func NodeNotReady(name, trouble string) string {
	why := strings.TrimPrefix(trouble, "not ready: ")
	if why == "" {
		why = "its kubelet has not said so"
	}
	return fmt.Sprintf("node %s is not Ready: %s", name, why)
}

func NodeLacksLabels(name string, labels []string) string {
	return fmt.Sprintf("node %s lacks the expected labels %s", name, strings.Join(labels, ", "))
}

func LaunchFailed(failure string) string { return "a launch failed: " + failure }

// LaunchTimedOut is why a run fails whose new nodes do not come; failure is why the newest
// launch failed.
func LaunchTimedOut(why, failure string) string {
	if !strings.Contains(why, failure) {
		why += "; the newest launch that failed: " + failure
	}
	return "NodeCreationFailure: " + why
}

// NoFindings is what is known of a machine that the cloud does not tell of; why may be "".
func NoFindings(machine, why string) string {
	if why == "" {
		why = "no answer"
	}
	return fmt.Sprintf("the cloud could not be asked about %s: %s", machine, why)
}

func MaxLeftAsSet(limit int) string {
	return fmt.Sprintf("somebody else set the group's maximum to %d; it is left as it is", limit)
}

// LeftAsItIs tells of a change that another user has made.
func LeftAsItIs(who, does string) string { return who + " " + does + "; it is left as it is" }

// TemplateSet is what another user did, in words that follow who it was.
func TemplateSet(is, want string) string {
	return fmt.Sprintf("has set the group to template %s, the run's target is %s", is, want)
}

// ProcessStaysSuspended names a process that is not resumed; counts are the machines of each
// zone, where it would even them out, else "".
func ProcessStaysSuspended(process, counts string) string {
	why := ""
	if counts != "" {
		why = ", because it would end machines undrained to even out the zones (" + counts + "); resume it when they are even"
	}
	return process + " stays suspended" + why
}

// TemplateStays names a template that is not restored, because nodes run it.
func TemplateStays(template string) string {
	return "the group stays on template " + template + ", because nodes run it"
}

func TemplateNotRestored(template, refused string) string {
	return "the group stays on template " + template + ", because it could not be set back: " + refused
}

func RollbackOffer(back string) string {
	return "the nodes that run the new template can be rolled back: " + back
}

// RaiseUnsure tells that nobody can know any more whether our raise happened.
func RaiseUnsure(base, sizes string) string {
	return fmt.Sprintf("the answer to our raise of the group's sizes was lost, and somebody else has changed them since: they were %s, and are %s", base, sizes)
}

func DesiredLeftAsRaised(desired int) string {
	return fmt.Sprintf("somebody else raised the group's desired size meanwhile: it is %d, and is left as it is", desired)
}

func DesiredStays(above int) string {
	return fmt.Sprintf("the group's desired size stays %d above its base, because new nodes hold pods or could not be launched; drain a node and end it", above)
}

func MaxStays(limit int) string { return fmt.Sprintf("the group's maximum stays %d", limit) }

// WarmNotEnded tells of a machine of the warm pool that stays as it is.
func WarmNotEnded(id, refused string) string {
	return id + " of the warm pool could not be ended, and stays outdated: " + refused
}

// HeldByHooks names the lifecycle hooks that hold a machine, as far as they are known, for
// limit at most.
func HeldByHooks(names []string, limit string) string {
	if len(names) == 0 {
		return "held by a lifecycle hook"
	}
	return "held by lifecycle hook " + strings.Join(names, ", ") + " for at most " + limit
}

// InZone counts the machines of a zone.
func InZone(n int, zone string) string { return fmt.Sprintf("%d in %s", n, zone) }
