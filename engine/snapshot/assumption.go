package snapshot

import (
	"time"

	"github.com/drainboard/drainboard/engine/text"
)

// Assumed is what a rehearsal assumes something of.
type Assumed string

// What is assumed something of.
const (
	NodeJoins     Assumed = "node-joins"     // from the launch of an instance until its node joins
	NodeGetsReady Assumed = "node-ready"     // from then until the node is Ready
	InService     Assumed = "in-service"     // from then until the group has the instance in service
	InstanceEnds  Assumed = "instance-ends"  // from the request to terminate an instance until it is gone
	EndNoticed    Assumed = "end-noticed"    // from the request to terminate an instance past its group until that launches another one
	PodStops      Assumed = "pod-stops"      // from an eviction until the pod is gone
	PodGetsReady  Assumed = "pod-ready"      // from when a pod has a node until it is Ready
	HookCompleted Assumed = "hook-completed" // until a user completes a lifecycle hook
	Deregistered  Assumed = "deregistered"   // until an instance has left its load balancers
	NodeHook      Assumed = "node-hook"      // how long the run's own hooks before a node take
	NodeUpdated   Assumed = "node-updated"   // from the end of a node's drain until its update in place is over
)

// Basis is what an assumption rests on.
type Basis string

// Bases.
const (
	FromGuess      Basis = "guess"        // nothing is known
	FromLaunches   Basis = "launches"     // when the group's machines were launched, and their nodes created
	FromActivities Basis = "activities"   // the group's scaling activities of the past
	FromNodes      Basis = "nodes"        // the nodes of the group as they are now
	FromCluster    Basis = "cluster"      // all nodes of the cluster
	FromPods       Basis = "pods"         // the pods of the same owners
	FromRun        Basis = "run"          // what this run has measured
	FromEarlier    Basis = "earlier-runs" // what earlier runs of the group have measured
)

// Assumption is what a rehearsal takes for how long something lasts, and why.
type Assumption struct {
	What  Assumed
	Takes time.Duration // 0 where Note says how long
	Basis Basis
	// Of is how many durations it is the median of, 0 for a guess.
	Of int
	// Note adds in a few words what is not said by these; "" for nothing.
	Note string
}

// Guessed reports whether nothing is known of it.
func (a Assumption) Guessed() bool { return a.Basis == FromGuess }

// String is the assumption in a line.
func (a Assumption) String() string {
	return text.Assumption{What: string(a.What), Takes: a.Takes, Basis: string(a.Basis), Of: a.Of, Note: a.Note}.String()
}
