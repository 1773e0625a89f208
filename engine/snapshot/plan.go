package snapshot

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/assess/movers"
	"github.com/drainboard/drainboard/engine/assess/preflight"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// Plan is what an upgrade would do, worked out from the world as it is.
type Plan struct {
	Run      record.Run `json:"-"`
	Group    string     `json:"group"`
	Strategy string     `json:"strategy"`
	AsOf     time.Time  `json:"asOf"`
	// From and To name versions, as far as they are known: those of kubelets, else of
	// templates. To is "" where only the Shoot knows it.
	From  string        `json:"from"`
	To    string        `json:"to"`
	Limit int           `json:"maxUnavailable"`
	Nodes []PlannedNode `json:"nodes"`
	// Role is what the group's machines do in their cluster, "" where nobody tells.
	Role world.Role `json:"role,omitempty"`
	// Pool is how the group stands as a pool that its own controller drives, nil for one that is none.
	Pool *PoolView `json:"-"`
	// FreeAddresses are how many addresses the group's subnets have left, by zone.
	FreeAddresses map[string]int `json:"freeAddresses,omitempty"`
	// Quota is what the account may run of the machines, nil where it was not read.
	Quota *Quota `json:"quota,omitempty"`
	// Extra is how many machines more there will be for a while.
	Extra int `json:"extra"`
	// ExtraWhy is why it is that many, "" where the settings say it.
	ExtraWhy string `json:"extraWhy,omitempty"`
	// Detach are those of the nodes, by machine, that the group will have others in place of
	// before they are drained.
	Detach []string `json:"detach,omitempty"`
	// ExternalMovers are those who else move nodes of the group, or may; beside those that are
	// refused no run starts.
	ExternalMovers []record.ExternalMover `json:"rivals,omitempty"`
	// Refusals keep the run from starting until the user consents.
	Refusals []string `json:"refusals,omitempty"`
	// WarmAlone: no node is to be replaced, and Warm are ended all the same.
	WarmAlone bool `json:"warmAlone,omitempty"`
	// QuorumLost is why what is asked for would leave the control plane without a majority, ""
	// if it would not: a run that asks nobody is not started so.
	QuorumLost string `json:"quorumLost,omitempty"`
	// Warnings are what the user should know before starting.
	Warnings []string `json:"warnings,omitempty"`
	// NotEvaluated is what the plan says nothing about, a sentence each, with the
	// reason: that nothing is foreseen there means nothing.
	NotEvaluated []string `json:"notEvaluated,omitempty"`
	// Hooks are the group's lifecycle hooks, which hold machines that launch or end.
	Hooks []PlannedHook `json:"hooks,omitempty"`
	// Warm are the ids of outdated machines of the warm pool: they are ended, too.
	Warm     []string      `json:"warm,omitempty"`
	Estimate time.Duration `json:"estimate"`
	// Awaited is what the group's own controller has not done: while there is any, a plan
	// without nodes is no reason to end.
	Awaited []world.Unfinished `json:"-"`
	// Forecast is how the run would end, nil where nothing was rehearsed: then Estimate is a sum
	// of guesses.
	Forecast *Forecast `json:"-"`
	// Rights are those in the cloud that the run takes (RightsOf), as far as they were checked.
	Rights []Right `json:"-"`
}

// PlannedHook is a lifecycle hook that will hold machines.
type PlannedHook struct {
	Name string `json:"name"`
	// Launching: it holds machines that launch, else those that end.
	Launching bool `json:"launching"`
	// Timeout is how long at most, if nobody completes it.
	Timeout time.Duration `json:"timeout"`
	// Abandon: a launching machine whose hook nobody completes is ended.
	Abandon bool `json:"abandon,omitempty"`
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
	// Stuck are the pods that, as it stands, can never be evicted.
	Stuck []string `json:"stuck,omitempty"`
	// NotEvaluated says why nothing could be foreseen, "" if what is known was judged.
	NotEvaluated string `json:"notEvaluated,omitempty"`
	// Unreachable is since when its kubelet has not been heard from.
	Unreachable time.Time `json:"unreachable,omitzero"`
	// Spot: the cloud may take it back at any moment. Protected: it is protected from
	// scale in, which does not keep the run from ending it.
	Spot      bool `json:"spot,omitempty"`
	Protected bool `json:"protected,omitempty"`
	// Why it is replaced, in a few words, where the strategy has more than one reason.
	Why string `json:"why,omitempty"`
}

// MakePlan works out what a planned run would do. limit is MaxUnavailable resolved.
func MakePlan(rules engine.Strategy, now time.Time, w *world.World, r record.Run, limit int) Plan {
	s, outdated := engine.TakeIn(rules, now, w, r, limit)
	s.Run.ValidatedOnce = s.SomeCurrent()
	s.Run.Limit = rules.Limit(w, &s.Run)
	p := Plan{Run: r, Group: w.Group.Name, Role: w.Group.Role, Strategy: rules.Name(), AsOf: now, Limit: s.Run.Limit, Estimate: s.Estimate(len(outdated))}
	p.From, p.To = versions(&s.Reader)
	p.Pool = poolView(&s.Reader)
	p.FreeAddresses = freeAddresses(&w.Group)
	if len(outdated) > 0 {
		p.Extra = rules.Extra(w, &s.Run)
		if r, has := rules.(interface {
			SurgeReason(*world.World, *record.Run) string
		}); has {
			p.ExtraWhy = r.SurgeReason(w, &s.Run)
		}
		s.Run.ValidatedOnce = s.Run.ValidatedOnce || s.Capabilities().Detaches && p.Extra > 0 // by what comes in the surge
	}
	s.Run.Order = preflight.InOrder(&s.Reader, outdated)
	s.DetachedLast()
	s.Run.Order = throughGate(&s.Reader, s.Run.Order, p.Extra)
	for i, id := range s.Run.Order {
		n := s.Run.Nodes.Get(id)
		pn := PlannedNode{Machine: id, Name: n.Name, Zone: n.Zone, Version: n.Old, Batch: plannedBatch(&s.Reader, i), Why: s.WhySelected(w.Machine(id))}
		pn.Evict, pn.Stay = s.PodsToMove(n.Name)
		look(&s.Reader, &pn)
		p.Nodes = append(p.Nodes, pn)
		p.Refusals = append(p.Refusals, preflight.Refusals(&s.Reader, n.Name)...)
		if n.Name == "" && !s.Nodeless() {
			p.Warnings = append(p.Warnings, plans.NotJoinedWarning(id, n.Zone))
		}
	}
	if r.Inherited != nil {
		what, _ := r.RaiseText(r.Inherited)
		p.Warnings = append(p.Warnings, text.RaiseInherited(what, r.Inherited.Doubtful > 0))
	}
	if late := p.late(); late != "" {
		p.Warnings = append(p.Warnings, late)
	}
	if rules.Follows() == nil {
		p.ExternalMovers, _ = movers.Of(&s.Reader)
	}
	preflightTurns(&s.Reader, p.Nodes, preflight.Together(&s.Reader, p.Limit))
	preflightCloud(&s.Reader, &p)
	if p.Extra > 0 {
		p.Warnings = append(p.Warnings, spareAddresses(&s.Reader, p.Extra)...)
		p.Detach = s.ToDetach(p.Extra)
	}
	p.Awaited = rules.Awaited(w, &s.Run)
	p.WarmAlone = len(p.Nodes) == 0 && len(p.Warm) > 0 && s.WarmAlone()
	if len(outdated) > 0 {
		p.Warnings = append(p.Warnings, rules.Warnings(w, &s.Run)...)
		p.QuorumLost = rules.LosesQuorum(w, &s.Run)
		p.Warnings = append(p.Warnings, preflight.Upkeep(&w.Group)...)
	}
	if r.Settings.CloudOnly && len(outdated) > 0 {
		p.Warnings = append(p.Warnings, plans.CloudOnlyWarning)
	}
	return p
}

// HasWork reports whether there is anything for a run to do: nodes or a warm pool to replace,
// something to wait for, or what an earlier run has set to restore.
func (p *Plan) HasWork() bool {
	return len(p.Nodes) > 0 || p.WarmAlone || len(p.Awaited) > 0 || p.Run.Inherited != nil || p.Run.UpdateConfig != nil
}

// late warns of a run that is to be over before all of it is done, "" if it is not.
func (p *Plan) late() string {
	until := p.Run.Settings.Until
	if until.IsZero() || len(p.Nodes) == 0 || !p.AsOf.Add(p.Estimate).After(until) {
		return ""
	}
	return plans.Late(until.Sub(p.AsOf), p.Estimate)
}

// Opposed lists the external movers beside which no run starts.
func (p Plan) Opposed() (out []record.ExternalMover) {
	for _, r := range p.ExternalMovers {
		if r.Handling == record.HandlingRefused {
			out = append(out, r)
		}
	}
	return out
}

// throughGate is the order in which nodes go, given the run's. Where few nodes are in service, the
// replacements gate holds those that serve, and lets the others of their batch start before them.
// Batches begin with nodes that need not wait for the gate.
func throughGate(s *assess.Reader, order []string, extra int) []string {
	if !slices.ContainsFunc(order, s.TakesNothing) {
		return order
	}
	if how := s.Run.Settings.Approve; how == record.ApproveBatch || how == record.ApproveCanary {
		holdBack(order, func(id string) bool { return !s.PassesGate(id) })
	}
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && plannedBatch(s, to) == plannedBatch(s, from) {
			to++
		}
		left, batch := s.MayStart(extra), order[from:to]
		held := map[string]bool{}
		for _, id := range batch {
			if !s.TakesNothing(id) {
				left--
				held[id] = left < 0
			}
		}
		holdBack(batch, func(id string) bool { return held[id] })
		from = to
	}
	return order
}

// holdBack moves the nodes that are held behind the others; both keep their order.
func holdBack(nodes []string, held func(id string) bool) {
	var first, last []string
	for _, id := range nodes {
		if held(id) {
			last = append(last, id)
		} else {
			first = append(first, id)
		}
	}
	copy(nodes, append(first, last...))
}

// plannedBatch is the number of the batch that the i-th node of the order is in.
func plannedBatch(s *assess.Reader, i int) int {
	size, first := s.Run.Limit, s.AtOnce()
	switch k := s.Run.Settings; {
	case k.Approve == record.ApproveNone, k.Approve == record.ApprovePhase:
		return 1
	case k.Approve == record.ApproveCanary:
		return 1 + min(i, 1)
	case k.BatchSize > 0:
		size, first = k.BatchSize, k.BatchSize
	}
	if i < first {
		return 1
	}
	return (i-first)/max(1, size) + 2
}

// spareAddresses warns of subnets that have too few addresses for their share of
// the extra machines.
func spareAddresses(s *assess.Reader, extra int) []string {
	zones := max(1, len(s.W.Group.Zones))
	share := (extra + zones - 1) / zones
	free := freeAddresses(&s.W.Group)
	var out []string
	for _, zone := range slices.Sorted(maps.Keys(free)) {
		if free[zone] < share {
			out = append(out, plans.FewAddresses(zone, free[zone], share))
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

// look fills a planned node with what is known of it and of its pods.
func look(s *assess.Reader, pn *PlannedNode) {
	if m := s.W.Machine(pn.Machine); m != nil {
		pn.Spot, pn.Protected = m.Spot, m.Protected
	}
	if n := s.W.NodeOf(pn.Machine); n != nil {
		pn.Unreachable = n.Unreachable
	}
	if pn.NotEvaluated = preflight.Gap(s); pn.NotEvaluated == "" {
		pn.Foreseen, pn.Stuck = preflight.Of(s, pn.Name), preflight.Forever(s, pn.Name)
	}
}

// preflightTurns adds to the first node of each set that drains together which
// budgets cover more of the set's pods than they let go at once.
func preflightTurns(s *assess.Reader, nodes []PlannedNode, limit int) {
	for from := 0; from < len(nodes); {
		to := from + 1
		for to < len(nodes) && to-from < max(1, limit) && nodes[to].Batch == nodes[from].Batch {
			to++
		}
		names := make([]string, 0, to-from)
		for _, n := range nodes[from:to] {
			names = append(names, n.Name)
		}
		if nodes[from].NotEvaluated == "" {
			nodes[from].Foreseen = append(nodes[from].Foreseen, preflight.Turns(s, names)...)
		}
		from = to
	}
}

// preflightCloud adds what the cloud will do beside launching and ending machines,
// and what the plan could not look at.
func preflightCloud(s *assess.Reader, p *Plan) {
	if why := preflight.Gap(s); why != "" {
		p.NotEvaluated = append(p.NotEvaluated, plans.BlockersUnknown(why))
	}
	p.NotEvaluated = append(p.NotEvaluated, preflight.NotEvaluated...)
	if !s.Fresh(world.Cloud) {
		p.NotEvaluated = append(p.NotEvaluated, plans.CloudTooOld)
		p.NotEvaluated = append(p.NotEvaluated, plans.MoversUnknown)
		return
	}
	if why := s.W.Group.Scaling.Unread; why != "" {
		p.NotEvaluated = append(p.NotEvaluated, plans.ScalingUnknown(why))
	}
	for _, h := range s.W.Group.Hooks {
		p.Hooks = append(p.Hooks, PlannedHook{Name: h.Name, Launching: h.Launching, Timeout: h.Timeout, Abandon: h.Launching && h.Abandon})
	}
	for _, m := range s.W.Group.Warm {
		if !m.Leaving() && !slices.Contains(s.Run.Target.Templates, m.Template) {
			p.Warm = append(p.Warm, m.ID)
		}
	}
}
