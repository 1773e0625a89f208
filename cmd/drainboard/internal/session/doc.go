// Package session connects a command to its groups and their records.
//
// Options lead to a cluster. Their Connect, Open and OpenCloudOnly return a Session, which is
// two things: the backend of its groups (internal/backend), which finds and lists them, and
// its Environment, where their runs are recorded and locked:
//
//	cluster.go    InCluster: a ConfigMap and a Lease for each group
//	cloudonly.go  OnDisk: files of this machine and a tag of the group, without Kubernetes
//
// A command finds a group (Find), asks for its unfinished run (Unfinished, and AsBegun, which
// returns the group with the provider of that run), and reads cluster and group (Read), which
// keeps a View up to date until it is closed. The driver of a run holds its Lease: the lock and
// the record together, which the loop writes, and regains after it was lost.
//
// Nothing here drives a run, prompts the user or prints.
package session
