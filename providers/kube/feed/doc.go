// Package feed brings the cluster into the world: nodes, pods, disruption budgets and DaemonSets, and
// how fresh they are. A Feed (feed.go) follows each kind by a mirror, gathers what changes for a few
// milliseconds (outbox.go), and posts it as live.Change, in order. Follow and FollowKind add what else
// a caller wants to follow by the same connection: a run record, Gardener's machines (follow.go).
//
// health.go tells whether the cluster is fresh: every kind was listed and is watched, and the API
// answers a heartbeat. In a large cluster the nodes are read before the pods, and first of those the
// pods of the nodes that a user sees (readorder.go).
package feed
