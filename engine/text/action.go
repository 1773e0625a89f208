package text

import "fmt"

// MakeTemplateVersion and those below say in a few words what an action does: "cordon a1".
func MakeTemplateVersion(image string) string {
	return "make a launch template version with image " + image
}

func SetTemplate(id, version string) string {
	return "set the group to launch template " + id + " version " + version
}

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

func ReadPods(node string) string { return "look at the pods on " + node }

func Terminate(machine string) string { return "terminate " + machine }

// TerminationAsked says that the end of a machine was asked for: of its group, which replaces it
// unless its desired size goes down, or directly of the cloud.
func TerminationAsked(machine string, direct, decrement bool) string {
	switch {
	case direct:
		return "asked the cloud to end " + machine
	case decrement:
		return "asked the group to end " + machine + " and not to replace it"
	}
	return "asked the group to end " + machine
}

func EndWarm(machine string) string { return "end " + machine + " of the warm pool" }

func Detach(machine string) string { return "detach " + machine }

func Detached(machine string) string {
	return "detached " + machine + ": its group launches another one in its place"
}

func Deregister(machine string) string { return "take " + machine + " out of its load balancers" }

const Deregistered = "out of the load balancers of its group"

func Inspect(machine string) string { return "inspect " + machine }

func LookUp(action string) string { return "look up whether it happened: " + action }

// RunHooks is of a side, "before" or "after".
func RunHooks(side, node string) string { return "run the hooks " + side + " " + node }

// NotDone says why an action that would restore something is not done.
func NotDone(action, why string) string { return action + " is not done: " + why }

// LargerByRun says that a run that has ended left its group larger, with the command that
// takes the machines away.
func LargerByRun(run string, machines int, was, command string) string {
	return fmt.Sprintf("the run %s left the group %s larger than it was (%s), and this one takes that for its size; drain a node and end it to go back: %s", run, Plural(machines, "machine"), was, command)
}

func Larger(group string, machines int, was, command string) string {
	return fmt.Sprintf("the group %s is %s larger than it was (%s); drain a node and end it: %s", group, Plural(machines, "machine"), was, command)
}

// MaybeLarger is said of a raise whose answer was lost; command shows what came of it.
func MaybeLarger(group string, machines int, was, command string) string {
	return fmt.Sprintf("the group %s may be %s larger than it was (%s): %s", group, Plural(machines, "machine"), was, command)
}

func MaximumRaised(is, was int, command string) string {
	return fmt.Sprintf("the group's maximum is %d, and was %d: %s", is, was, command)
}

// StaysDetached names a machine that runs outside of its group.
func StaysDetached(machine string) string {
	return machine + " is detached and serves outside its group, which has another machine in its place; the next upgrade of the group replaces it. Drain it and end it, or put it back into the group, which is one larger then"
}

func StaysDeregistered(node string) string {
	return node + " was taken out of the load balancers of its group and is not in them again; register it with each"
}
