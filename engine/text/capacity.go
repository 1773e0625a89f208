package text

import (
	"fmt"
	"strings"
)

// AnotherUser is who has changed a group where nothing tells who.
const AnotherUser = "another user or tool"

func RebalanceResumes(counts string) string {
	return "AZRebalance resumed: zones are uneven (" + counts + "), it may terminate instances without a drain"
}

func DesiredRaised(from, to int) string {
	return fmt.Sprintf("desired capacity raised from %d to %d, not by this run", from, to)
}

func DesiredLowered(from, to int) string {
	return fmt.Sprintf("desired capacity lowered from %d to %d, not by this run", from, to)
}

// MachineIs tells the state of a machine that is not in service; held is what holds it, or "".
func MachineIs(id, zone, state, held string) string {
	why := fmt.Sprintf("%s in %s is %s", id, zone, state)
	if held != "" {
		why += ", " + held
	}
	return why
}

func MachineNotJoined(id, zone string) string {
	return fmt.Sprintf("%s in %s has not joined the cluster", id, zone)
}

// NodeNotReady tells of a node that is not Ready; trouble is what its kubelet says, or "".
func NodeNotReady(name, trouble string) string {
	why := strings.TrimPrefix(trouble, "not ready: ")
	if why == "" {
		why = "its kubelet gives no reason"
	}
	return fmt.Sprintf("node %s is not Ready: %s", name, why)
}

func NodeLacksLabels(name string, labels []string) string {
	return fmt.Sprintf("node %s lacks expected labels %s", name, strings.Join(labels, ", "))
}

func LaunchFailed(failure string) string { return "launch failed: " + failure }

// LaunchTimedOut is why a run fails whose new nodes do not come; failure is why the newest
// launch failed.
func LaunchTimedOut(why, failure string) string {
	if !strings.Contains(why, failure) {
		why += "; newest failed launch: " + failure
	}
	return "NodeCreationFailure: " + why
}

// LaunchOverdue is why a run pauses whose replacements do not come; others is how many more
// machines are not Ready, and trouble why the group launches nothing, "" if it is not known.
func LaunchOverdue(why string, others int, trouble string) string {
	why = "replacement overdue: " + why
	if others > 0 {
		why += fmt.Sprintf("; %s not Ready", Plural(others, "more instance"))
	}
	if !strings.Contains(why, trouble) {
		why += "; " + trouble
	}
	return why + "; repair it, then resume, or abort"
}

// NotLaunched says that a group lacks machines, and why, "" where that is not known.
func NotLaunched(n int, why string) string {
	return Because(Plural(n, "instance")+" not launched", why)
}

// LaunchSuspended says that the group launches nothing; why is what the cloud says of it, or "".
func LaunchSuspended(why string) string {
	return Because("the group's process Launch is suspended", why)
}

// NoFindings is what is known of a machine that the cloud does not tell of; why may be "".
func NoFindings(machine, why string) string {
	if why == "" {
		why = "no answer"
	}
	return fmt.Sprintf("cannot inspect %s: %s", machine, why)
}

func MaxLeftAsSet(limit int) string {
	return fmt.Sprintf("maximum size set to %d, not by this run: left unchanged", limit)
}

// LeftAsItIs tells of a change that another user has made.
func LeftAsItIs(who, does string) string { return who + " " + does + ": left unchanged" }

// TemplateSet is what another user did, in words that follow who it was.
func TemplateSet(is, want string) string {
	return fmt.Sprintf("has set the launch template to %s, the run's target is %s", is, want)
}

// ProcessStaysSuspended names a process that is not resumed; counts are the machines of each
// zone, where it would even them out, else "".
func ProcessStaysSuspended(process, counts string) string {
	why := ""
	if counts != "" {
		why = ": zones are uneven (" + counts + "), it would terminate instances without a drain; resume it when they are even"
	}
	return process + " stays suspended" + why
}

// TemplateStays names a template that is not restored, because nodes run it.
func TemplateStays(template string) string {
	return "launch template stays " + template + ": nodes run it"
}

// TemplateUnseen names a template that was set, and that no look at the group has shown.
func TemplateUnseen(template string) string {
	return "launch template may stay " + template + ": the group was not seen since it was set"
}

func TemplateNotRestored(template, refused string) string {
	return "launch template stays " + template + ", restoring it failed: " + refused
}

func RollbackOffer(back string) string {
	return "to roll the new nodes back: " + back
}

// RaiseUnsure tells that nobody can know any more whether our raise happened.
func RaiseUnsure(base, sizes string) string {
	return fmt.Sprintf("answer to the capacity raise lost, sizes changed since, not by this run: they were %s and are %s", base, sizes)
}

// KeepsMinimum says that a group keeps as many machines as its minimum asks for.
func KeepsMinimum(least, base int) string {
	return fmt.Sprintf("minimum size is %d: the group keeps %s, not %d", least, Plural(least, "machine"), base)
}

func DesiredStays(above int) string {
	return fmt.Sprintf("desired capacity stays %d above its base: new nodes hold pods or could not be launched", above)
}

func MaxStays(limit int) string { return fmt.Sprintf("maximum size stays %d", limit) }

// WarmNotEnded tells of a machine of the warm pool that stays as it is.
func WarmNotEnded(id, refused string) string {
	return "warm pool instance " + id + " not terminated, stays outdated: " + refused
}

// HeldByHooks names the lifecycle hooks that hold a machine, as far as they are known, for
// limit at most.
func HeldByHooks(names []string, limit string) string {
	if len(names) == 0 {
		return "held by a lifecycle hook"
	}
	return "held by lifecycle hook " + strings.Join(names, ", ") + ", up to " + limit
}

// InZone counts the machines of a zone.
func InZone(n int, zone string) string { return fmt.Sprintf("%d in %s", n, zone) }
