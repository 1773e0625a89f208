package text

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

func GroupIncomplete(group string, have, want int) string {
	return fmt.Sprintf("group %s has %d of %s", group, have, Plural(want, "machine"))
}

// GroupMissing says of an instance group that it has a spec and nothing else.
func GroupMissing(group string) string {
	return fmt.Sprintf("instance group %s has no Auto Scaling group; kops update cluster --yes makes it", group)
}

func NotJoined(machine, group string) string {
	return fmt.Sprintf("machine %s of %s has not joined the cluster", machine, group)
}

// NodeUnready says of a node that it is not Ready, and what the node itself says of that, ""
// for nothing.
func NodeUnready(node, group, trouble string) string {
	return fmt.Sprintf("node %s of %s is not Ready: %s", node, group, cmp.Or(strings.TrimPrefix(trouble, "not ready: "), "its kubelet has not reported Ready"))
}

func NoControlPlanePod(node, group, app string) string {
	return fmt.Sprintf("node %s of %s has no %s pod", node, group, app)
}

// CriticalNotReady names the containers of a critical pod that are not ready.
func CriticalNotReady(pod, class string, containers []string) string {
	noun := "container"
	if len(containers) > 1 {
		noun = "containers"
	}
	return fmt.Sprintf("pod %s (%s) is not ready: %s %s", pod, class, noun, strings.Join(containers, ", "))
}

// CriticalUnknown says of a critical pod that its kubelet's state of it is not known.
func CriticalUnknown(pod, class string) string {
	return fmt.Sprintf("pod %s (%s) is in the phase Unknown", pod, class)
}

// CriticalPending says of a critical pod that it is pending, and why, "" where that is not
// known.
func CriticalPending(pod, class, why string) string {
	s := fmt.Sprintf("pod %s (%s) is pending", pod, class)
	if why != "" {
		s += ": " + why
	}
	return s
}

// ClusterInvalid is of a validation that ended, after is what AfterNodes says.
func ClusterInvalid(after string, failures []string) string {
	return "the cluster did not validate in time" + after + ": " + strings.Join(FirstOf(failures), "; ")
}

// AfterNodes says which nodes were ended before a validation, "" for none.
func AfterNodes(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " after " + Some(names)
}

// PassesInARow says how many validations in a row a cluster has passed, where these are more
// than one.
func PassesInARow(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(", %d validations in a row", n)
}

// NotValid tells of a cluster that is not valid, after which nodes ("" for none), and why.
func NotValid(after string, why []string) string {
	return "cluster not valid" + after + ": " + strings.Join(FirstOf(why), "; ")
}

// Valid tells of a cluster that has passed its validations: passes is of PassesInARow.
func Valid(after, passes string) string { return "cluster valid" + after + passes }

func NotValidInTime(limit time.Duration, after string, why []string) string {
	return fmt.Sprintf("cluster not valid within %s%s: %s", limit, after, strings.Join(FirstOf(why), "; "))
}

func WentOnInvalid(after string) string {
	return "continued although the cluster was not valid" + after + " (--fail-on-validate-error=false)"
}
