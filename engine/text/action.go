package text

import (
	"fmt"
	"strings"
)

// MakeTemplateVersion and those below say in a few words what an action does: "cordon a1".
func MakeTemplateVersion(image string) string {
	return "create a launch template version with image " + image
}

func SetTemplate(id, version string) string {
	return "set the group to launch template " + id + " version " + version
}

// SetSizes names those of the sizes that are set: "set the group's sizes to max 18, desired 18".
func SetSizes(sizes string) string { return "set the group's sizes to " + sizes }

func Suspend(process string) string { return "suspend " + process }

func Resume(process string) string { return "resume " + process }

func LaunchIn(zone string) string { return "launch a machine in " + zone }

func Taint(node, taint string) string { return "taint " + node + " " + taint }

func Tainted(taint string) string { return "tainted " + taint }

func RemoveTaint(node, taint string) string { return "remove taint " + taint + " from " + node }

func Cordon(node string) string { return "cordon " + node }

func Uncordon(node string) string { return "uncordon " + node }

func Label(node, label, value string) string { return "label " + node + " " + label + "=" + value }

func Labelled(label, value string) string { return "labelled " + label + "=" + value }

func RemoveLabel(node, label string) string { return "remove label " + label + " from " + node }

func Annotate(node, annotation, value string) string {
	return "annotate " + node + " " + annotation + "=" + value
}

func Annotated(annotation, value string) string { return "annotated " + annotation + "=" + value }

func RemoveAnnotation(node, annotation string) string {
	return "remove annotation " + annotation + " from " + node
}

func Evict(pod string) string { return "evict " + pod }

func Delete(pod string) string { return "delete " + pod }

func ReadPods(node string) string { return "list the pods on " + node }

func ReadRoutes(node string) string { return "list what routes to " + node }

// ReadBalancers is the read of the load balancers that have a machine.
func ReadBalancers(machine string) string {
	return "ask the load balancers of the group about " + machine
}

func Terminate(machine string) string { return "terminate " + machine }

// TerminationAsked says that the end of a machine was asked for: of its group, which replaces it
// unless its desired size goes down, or directly of the cloud.
func TerminationAsked(machine string, direct, decrement bool) string {
	switch {
	case direct:
		return "terminating " + machine
	case decrement:
		return "terminating " + machine + ", desired capacity lowered by 1"
	}
	return "terminating " + machine + ", its group launches a replacement"
}

func EndWarm(machine string) string { return "terminate " + machine + " of the warm pool" }

func Detach(machine string) string { return "detach " + machine }

func Detached(machine string) string {
	return "detached " + machine + ", its group launches a replacement"
}

func Deregister(machine string) string { return "deregister " + machine + " from its load balancers" }

const Deregistered = "deregistered from the load balancers of its group"

func Inspect(machine string) string { return "inspect " + machine }

func LookUp(action string) string { return "check whether it happened: " + action }

// RunHooks is of a side, "before" or "after".
func RunHooks(side, node string) string { return "run the hooks " + side + " " + node }

// NotDone says why an action that would restore something is not done.
func NotDone(action, why string) string { return "will not " + action + ": " + why }

// TakesBack is the command that takes a raise back that a run has left, and replaces nothing.
// The next upgrade of the group does so as well.
func TakesBack(group string) string { return "drainboard retire " + group }

// Aborts is the command that ends a group's unfinished run, and restores what it has changed.
func Aborts(group string) string { return "drainboard abort " + group }

// AbortsRetiring is the same where nodes of its surge are to go as well.
func AbortsRetiring(group string) string { return Aborts(group) + " --retire" }

// LowerMax is the command that gives a group a lower maximum size, or its desired size as that
// where it is higher: below it the group would choose instances to terminate.
func LowerMax(group string, size int) string {
	desired := fmt.Sprintf("%s --query 'max([AutoScalingGroups[0].DesiredCapacity, `%d`])' --output text", DescribeGroup(group), size)
	return fmt.Sprintf("aws autoscaling update-auto-scaling-group --auto-scaling-group-name %s --max-size \"$(%s)\"", group, desired)
}

// DescribeGroup is the command that shows a group.
func DescribeGroup(group string) string {
	return "aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names " + group
}

// SetDesired is the command that sets a group's desired size.
func SetDesired(group string, size int) string {
	return fmt.Sprintf("aws autoscaling set-desired-capacity --auto-scaling-group-name %s --desired-capacity %d", group, size)
}

// RaiseLeft tells of a raise that runs have left: by how much the desired and the maximum size
// are above what they were, and how much of the desired size may be theirs or others'.
func RaiseLeft(desired, limit, doubtful int, run string) string {
	var parts []string
	if desired > 0 {
		parts = append(parts, fmt.Sprintf("desired capacity %d above its base", desired))
	}
	if limit > 0 {
		parts = append(parts, fmt.Sprintf("maximum size %d above its base", limit))
	}
	if doubtful > 0 {
		parts = append(parts, fmt.Sprintf("%d of the desired capacity in doubt", doubtful))
	}
	return strings.Join(parts, ", ") + ", raised by the run " + run
}

// RaiseMaybe tells of a raise whose answer was lost.
func RaiseMaybe(desired int, run string) string {
	return fmt.Sprintf("desired capacity may be %d above its base, raised by the run %s: the answer was lost", desired, run)
}

// RaiseInherited says in a plan what becomes of the raise that an earlier run has left.
func RaiseInherited(what string, doubtful bool) string {
	if doubtful {
		return "inherited: " + what + "; at its end this run takes back what is not in doubt, and ends with exit code 8"
	}
	return "inherited: " + what + "; this run takes it back at its end"
}

// RaiseDoubtful names what may be left of an earlier run's raise, or be others'.
func RaiseDoubtful(machines int, run string) string {
	return fmt.Sprintf("raise in doubt: %d of the desired capacity may be of the run %s: left unchanged", machines, run)
}

func Larger(group string, machines int, was, command string) string {
	return fmt.Sprintf("the group %s is %s larger than before (%s); to shrink it: %s", group, Plural(machines, "machine"), was, command)
}

// MaybeLarger is said of a raise whose answer was lost; command shows what came of it.
func MaybeLarger(group string, machines int, was, command string) string {
	return fmt.Sprintf("the group %s may be %s larger than before (%s): %s", group, Plural(machines, "machine"), was, command)
}

func MaximumRaised(is, was int, command string) string {
	return fmt.Sprintf("the group's maximum is %d, was %d: %s", is, was, command)
}

// StaysDetached names a machine that runs outside of its group.
func StaysDetached(machine string) string {
	return machine + " is detached and serves outside its group, which has a replacement; the next upgrade replaces it. Or drain and terminate it, or attach it to the group, which grows by one"
}

func StaysDeregistered(node string) string {
	return node + " is in service and not registered with the load balancers of its group; register it with each"
}
