// Package events tells others in the cluster of a run, by Kubernetes Events: on the nodes, and for the
// group on the ConfigMap of its record, which `kubectl describe` shows (announcer.go). It is a help
// and no record: what the API does not take soon is left out.
package events
