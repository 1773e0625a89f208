// Package kopsorder holds what a rolling update said, as JSON events, against the order
// that kops's rolling update keeps. The order is a partial one, written down by hand from
// kops's source (rules.go): each constraint says in a sentence what must come before
// what, or after how long, and names the lines that make it so. Nothing of it is derived
// from drainboard's code.
package kopsorder

import (
	"cmp"
	"slices"
	"time"
)

// Event is what is read of a line of `drainboard upgrade -o json` (docs/reference/events.md).
type Event struct {
	Time   time.Time `json:"time"`
	Group  string    `json:"group"`
	Type   string    `json:"type"`
	Node   string    `json:"node"`
	Pod    string    `json:"pod"`
	Reason string    `json:"reason"`
}

// Group is what was asked for of an instance group. Surge and Unavailable are resolved:
// machines, not shares.
type Group struct {
	Name string // as its events name it
	Role Role
	Size int

	Surge, Unavailable int
	// Proven: when the roll began the group had machines of the new specification.
	Proven bool
	// Balanced: it has load balancers, and its machines have nodes.
	Balanced bool

	PostDrain, Interval time.Duration // the wait after a drain; after a machine's end
	Looks               int           // in a row that must find the cluster valid
	Pause               time.Duration // between two of them
}

// limit is how many nodes may go at once (instancegroups.go:178,185-194).
func (g Group) limit() int {
	if g.Role == ControlPlane {
		return max(1, g.Unavailable)
	}
	return max(1, min(g.Surge, g.Size)+g.Unavailable)
}

// Role is that of an instance group.
type Role int

// The roles in the order in which kops rolls them (rollingupdate.go:138-226).
const (
	Bastion Role = iota
	ControlPlane
	APIServer
	Node
)

// kind is what a step does.
type kind string

const (
	validated    kind = "validated"
	tainted      kind = "tainted"
	detached     kind = "detached"
	cordoned     kind = "cordoned"
	deregistered kind = "deregistered"
	evicted      kind = "evicted"
	drained      kind = "drained"
	terminated   kind = "terminated"
)

// step is one thing that was done, or seen to be so.
type step struct {
	kind  kind
	group string
	node  string
	at    time.Time
	place int // among all steps
}

// said are the event types that are steps. Others are left out.
var said = map[string]kind{
	"validation.passed":     validated,
	"node.tainted":          tainted,
	"instance.detached":     detached,
	"node.cordoned":         cordoned,
	"instance.deregistered": deregistered,
	"pod.evicted":           evicted,
	"node.drained":          drained,
	"node.terminating":      terminated,
}

// steps reads events in the order in which they came.
func steps(events []Event) []step {
	var out []step
	for _, e := range events {
		k, counts := said[e.Type]
		if !counts || e.Reason == "label" || e.Reason == "annotation" || e.Reason == "canary" {
			continue // labels go with a cordon; neither is a canary's health the cluster's
		}
		out = append(out, step{kind: k, group: e.Group, node: e.Node, at: e.Time})
	}
	return number(out)
}

func number(s []step) []step {
	for i := range s {
		s[i].place = i
	}
	return s
}

// roll is the steps of a whole rolling update.
type roll struct {
	steps  []step
	groups []groupRoll // in the order of their roles and names
}

// groupRoll is the part of it that is one group's.
type groupRoll struct {
	Group
	steps []step
}

func newRoll(s []step, groups []Group) roll {
	r := roll{steps: s}
	for _, g := range groups {
		gr := groupRoll{Group: g}
		for _, step := range s {
			if step.group == g.Name {
				gr.steps = append(gr.steps, step)
			}
		}
		r.groups = append(r.groups, gr)
	}
	slices.SortStableFunc(r.groups, func(a, b groupRoll) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Name, b.Name))
	})
	return r
}

// of are the steps of a kind.
func (g groupRoll) of(k kind) []step {
	var out []step
	for _, s := range g.steps {
		if s.kind == k {
			out = append(out, s)
		}
	}
	return out
}

// node are the steps of a kind with a node.
func (g groupRoll) node(k kind, node string) []step {
	return slices.DeleteFunc(g.of(k), func(s step) bool { return s.node != node })
}

// begun is the first step towards each node's end, in their order.
func (g groupRoll) begun() []step {
	var out []step
	seen := map[string]bool{}
	for _, s := range g.steps {
		switch s.kind {
		case cordoned, deregistered, evicted, drained, terminated:
			if !seen[s.node] {
				seen[s.node] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// validatedBetween reports whether the cluster proved valid between two steps.
func (g groupRoll) validatedBetween(a, b step) bool {
	return slices.ContainsFunc(g.of(validated), func(v step) bool { return a.place < v.place && v.place < b.place })
}

// isDetached reports whether a machine was detached before a step.
func (g groupRoll) isDetached(node string, before step) bool {
	return slices.ContainsFunc(g.node(detached, node), func(d step) bool { return d.place < before.place })
}
