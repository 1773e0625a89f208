package engine

import (
	"fmt"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/world"
)

// Plan is what an upgrade would do, worked out from the world as it is.
type Plan struct {
	Run      Run           `json:"-"`
	Group    string        `json:"group"`
	Strategy string        `json:"strategy"`
	AsOf     time.Time     `json:"asOf"`
	From     string        `json:"from"`
	To       string        `json:"to"`
	Limit    int           `json:"maxUnavailable"`
	Nodes    []PlannedNode `json:"nodes"`
	// FreeAddresses are how many addresses the group's subnets have left, by zone.
	FreeAddresses map[string]int `json:"freeAddresses,omitempty"`
	// Extra is how many machines more there will be for a while.
	Extra int `json:"extra"`
	// Refusals keep the run from starting until the user consents.
	Refusals []string `json:"refusals,omitempty"`
	// Warnings are what the user should know before starting.
	Warnings []string      `json:"warnings,omitempty"`
	Estimate time.Duration `json:"estimate"`
}

// PlannedNode is a node in the order in which it will go.
type PlannedNode struct {
	Machine string `json:"machine"`
	Name    string `json:"name"`
	Zone    string `json:"zone"`
	Version string `json:"version"`
	Batch   int    `json:"batch"`
	// Evict pods have to leave, Stay stay.
	Evict int `json:"evict"`
	Stay  int `json:"stay"`
	// Foreseen are blockers to expect, a sentence each.
	Foreseen []string `json:"foreseen,omitempty"`
}

// Extra is implemented by strategies that run more machines than the group has
// for a while.
type Extra interface {
	Extra(w *world.World, limit int) int
}

// MakePlan works out what a planned run would do. limit is MaxUnavailable resolved.
func MakePlan(rules Strategy, now time.Time, w *world.World, r Run, limit int) Plan {
	s := newStep(rules, now, w, r)
	s.Run.Limit = limit
	if len(s.Run.Target.Templates) == 0 {
		s.Run.Target.Templates = append([]world.Template{w.Group.Template}, w.Group.Overrides...)
		if image := s.Run.Target.Image; image != "" && image != w.Group.Image { // a version that is still to be made: nobody has it
			s.Run.Target.Templates = []world.Template{{ID: w.Group.Template.ID, Version: 1 << 40}}
		}
	}
	var outdated []string
	for _, m := range w.Machines() {
		if !m.Leaving() {
			s.Run.Nodes[m.ID] = s.takeIn(m)
			if s.Run.Nodes[m.ID].Stage == Outdated {
				outdated = append(outdated, m.ID)
			}
		}
	}
	p := Plan{Run: r, Group: w.Group.Name, Strategy: rules.Name(), AsOf: now, Limit: limit, Estimate: estimate(len(outdated), max(1, limit), r.Settings)}
	p.From, p.To = s.versions()
	p.FreeAddresses = freeAddresses(&w.Group)
	for i, id := range s.InOrder(outdated) {
		n := s.Run.Nodes[id]
		pn := PlannedNode{Machine: id, Name: n.Name, Zone: n.Zone, Version: n.Old, Batch: s.plannedBatch(i)}
		pn.Evict, pn.Stay = s.podsToMove(n.Name)
		pn.Foreseen = s.foresee(n.Name)
		p.Nodes = append(p.Nodes, pn)
		p.Refusals = append(p.Refusals, s.refusals(n.Name)...)
		if n.Name == "" {
			p.Warnings = append(p.Warnings, "machine "+id+" in "+n.Zone+" has not joined the cluster: it will be ended without a drain")
		}
	}
	if e, ok := rules.(Extra); ok && len(outdated) > 0 {
		p.Extra = e.Extra(w, limit)
		p.Warnings = append(p.Warnings, s.spareAddresses(p.Extra)...)
	}
	return p
}

// plannedBatch is the number of the batch that the i-th node of the order is in.
func (s *Step) plannedBatch(i int) int {
	size := s.Run.Limit
	switch k := s.Run.Settings; {
	case k.Approve == ApproveNone, k.Approve == ApprovePhase:
		return 1
	case k.Approve == ApproveCanary:
		return 1 + min(i, 1)
	case k.BatchSize > 0:
		size = k.BatchSize
	}
	return i/max(1, size) + 1
}

// refusals names the pods on a node that need a consent which was not given.
func (s *Step) refusals(node string) []string {
	var out []string
	for _, p := range s.W.PodsOn(node) {
		if v := s.judge(p); v.Fate == drain.Asks && !p.Terminating() {
			out = append(out, fmt.Sprintf("%s on %s %s", p.Ref(), node, v.Reason.Sentence()))
		}
	}
	return out
}

// foresee names what will hold the drain of a node up, judged by the drain's
// own rules and the budgets as they are now.
func (s *Step) foresee(node string) []string {
	var out []string
	for _, p := range s.W.PodsOn(node) {
		v := s.judge(p)
		if v.Fate != drain.Leaves {
			continue
		}
		gate := drain.GateOf(s.W, p, func(string) int { return 0 })
		switch {
		case gate.Double():
			out = append(out, fmt.Sprintf("%s is covered by two budgets (%s, %s): it cannot be evicted", p.Ref(), gate.Budgets[0].Name, gate.Budgets[1].Name))
		case !gate.Open && gate.Budgets[0].Healthy >= gate.Budgets[0].Expected && gate.Budgets[0].Allowed <= 0:
			b := gate.Budgets[0]
			out = append(out, fmt.Sprintf("%s: budget %s never allows an eviction (%s, %d of %d healthy)", p.Ref(), b.Name, b.Expression, b.Healthy, b.Expected))
		case !gate.Open:
			b := gate.Budgets[0]
			out = append(out, fmt.Sprintf("%s: budget %s allows none now (%d healthy, %d required)", p.Ref(), b.Name, b.Healthy, b.Desired))
		}
		if p.ToleratesAll {
			out = append(out, p.Ref()+" tolerates every taint: it may come back to the node")
		}
		if p.Owner.UID != "" && s.W.Siblings(p) == 1 {
			out = append(out, p.Ref()+" is the only replica of "+ownerName(p)+": it will be down while it moves")
		}
		if len(p.Finalizers) > 0 {
			out = append(out, p.Ref()+" has finalizers that must be served before it goes")
		}
	}
	return out
}

// spareAddresses warns of subnets that have too few addresses for their share of
// the extra machines.
func (s *Step) spareAddresses(extra int) []string {
	zones := max(1, len(s.W.Group.Zones))
	share := (extra + zones - 1) / zones
	free := freeAddresses(&s.W.Group)
	var out []string
	for _, zone := range sortedKeys(free) {
		if free[zone] < share {
			out = append(out, fmt.Sprintf("the subnets in %s have %d free addresses for about %s", zone, free[zone], plural(share, "extra machine")))
		}
	}
	return out
}

// freeAddresses counts the addresses that a group's subnets have left, by zone.
func freeAddresses(g *world.Group) map[string]int {
	free := map[string]int{}
	for _, n := range g.Subnets {
		free[n.Zone] += n.Free
	}
	return free
}
