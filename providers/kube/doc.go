// Package kube is the connection to a Kubernetes cluster: how it is found (flags.go, connect.go), how
// requests are sent, what this user may do (rights.go, rules.go), and what it means when the API
// refuses or does not answer (refusals.go for people, classify.go for the engine). A Client (kube.go)
// also tells the cluster's time, and reads what is wanted once (read.go, machines.go, custom.go).
//
// What is done with a Client has packages of its own, which know this one and not each other, but
// for those that are named:
//
//	feed      the cluster in the world, by package mirror
//	actions   what the engine asks for on nodes and pods
//	records   run records, which a feed may follow
//	lock      the lock of a group, and who holds it
//	commands  commands to a run in another process, by package mirror
//	events    Kubernetes Events of a run
//	mirror    copies of the objects of one kind, in step with the API
//
// Below it are typed (the kinds and calls), transport (what may be sent) and objects (what is read
// of an object). The names of what Drainboard keeps in a cluster are in names.go.
//
// All strings that come from the cluster are cleaned here and in these packages, where objects are
// converted; no other package needs to do so again.
package kube
