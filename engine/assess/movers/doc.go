// Package movers says who else moves nodes of a group, or may: by marks on nodes that are not
// ours (node.go), by pods that leave without us (manualdrain.go), by what the group tells
// (group.go: refreshes, autoscalers, schedules).
//
//	now, deferrals := movers.Of(reader)
//
// A node that a user drains is waited for, for a time (deferral.go). Of a group without a
// run, or one that its own controller rolls, activity.go makes the stages.
package movers
