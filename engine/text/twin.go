package text

import (
	"fmt"
	"strings"
)

// Commands that a user can give, where they are those of no action.

// ActivitiesCommand lists what a group has done.
func ActivitiesCommand(group string) string {
	return "aws autoscaling describe-scaling-activities --auto-scaling-group-name " + group
}

// GroupCommand shows a group's sizes and instances.
func GroupCommand(group string) string {
	return "aws autoscaling describe-auto-scaling-groups --auto-scaling-group-names " + group
}

// CancelRefreshCommand stops a group's instance refresh.
func CancelRefreshCommand(group string) string {
	return "aws autoscaling cancel-instance-refresh --auto-scaling-group-name " + group
}

// RollbackCommand rolls a group back to a version of its template.
func RollbackCommand(group string, version int64) string {
	return fmt.Sprintf("drainboard upgrade %s --launch-template-version %d", group, version)
}

// RollbackBySpec is how a group is rolled back whose template another tool sets.
func RollbackBySpec(tool, group string) string {
	return fmt.Sprintf("%s with the earlier specification, then drainboard upgrade %s", tool, group)
}

// UnmarkCommand takes a mark, such as "taint key=value:effect", off a node; "" where no
// command does.
func UnmarkCommand(node, mark string) string {
	mark, _, _ = strings.Cut(mark, ", ")
	kind, name, _ := strings.Cut(mark, " ")
	key, _, _ := strings.Cut(name, "=")
	switch kind {
	case "taint":
		return "kubectl taint node " + node + " " + name + "-"
	case "label":
		return "kubectl label node " + node + " " + key + "-"
	case "annotation":
		return "kubectl annotate node " + node + " " + key + "-"
	}
	return ""
}
