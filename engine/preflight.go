package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// notPreflighted is what no plan can tell: the APIs decide it when they are asked.
var notPreflighted = []string{
	text.WebhooksUnknown,
	text.RoomUnknown,
}

// preflightGap says why nothing can be said about what will hold up a drain, "" if
// what is known of the cluster is fresh enough to be judged.
func (s *Reader) preflightGap() string {
	if s.Run.Settings.CloudOnly {
		return text.ClusterUnseen
	}
	if s.Fresh(world.Cluster) {
		return ""
	}
	h := s.W.Health[world.Cluster]
	if h.Fresh.IsZero() {
		return text.PodsUnknown
	}
	return text.PodsTooOld(s.Now.Sub(h.Fresh))
}

// look fills a planned node with what is known of it and of its pods.
func (s *Reader) look(pn *PlannedNode) {
	if m := s.W.Machine(pn.Machine); m != nil {
		pn.Spot, pn.Protected = m.Spot, m.Protected
	}
	if n := s.W.NodeOf(pn.Machine); n != nil {
		pn.Unreachable = n.Unreachable
	}
	if pn.NotEvaluated = s.preflightGap(); pn.NotEvaluated == "" {
		pn.Foreseen, pn.Stuck = s.preflight(pn.Name), s.forever(pn.Name)
	}
}

// refusals names the pods on a node that need a consent which was not given.
func (s *Reader) refusals(node string) []string {
	var out []string
	for _, p := range s.W.PodsOn(node) {
		if v := s.judge(p); v.Fate == drain.Asks && !p.Terminating() {
			out = append(out, text.NeedsConsent(p.Ref(), node, v.Reason.Sentence()))
		}
	}
	return out
}

// preflight names what will hold the drain of a node up, judged by the drain's
// own rules and the budgets as they are now.
func (s *Reader) preflight(node string) []string {
	var out []string
	if silent := s.preflightSilence(node); silent != "" {
		out = append(out, silent)
	}
	for _, p := range s.W.PodsOn(node) {
		v := s.judge(p)
		switch {
		case p.Terminating() && v.Fate != drain.Stays:
			if held := s.preflightTerminating(p); held != "" {
				out = append(out, held)
			}
			continue
		case v.Fate != drain.Leaves:
			continue
		}
		if held := s.preflightBudget(p); held != "" {
			out = append(out, held)
		}
		if p.ToleratesAll {
			out = append(out, text.MayComeBack(p.Ref()))
		}
		if alone := s.preflightSingle(p); alone != "" {
			out = append(out, alone)
		}
		if len(p.Finalizers) > 0 {
			out = append(out, text.HasFinalizers(p.Ref()))
		}
	}
	return out
}

// forever names the pods on a node whose budgets will not let them go, however long the
// run waits, unless a user changes something.
func (s *Reader) forever(node string) []string {
	var out []string
	for _, p := range s.W.PodsOn(node) {
		if s.judge(p).Fate != drain.Leaves || p.Terminating() {
			continue
		}
		if gate := drain.GateOf(s.W, p, func(string) int { return 0 }); gate.Double() || !gate.Open && neverAllows(gate.Budgets[0]) {
			out = append(out, p.Ref())
		}
	}
	return out
}

// neverAllows reports whether a budget allows no eviction though all its pods are well.
func neverAllows(b *world.Budget) bool {
	return b.Current && b.Healthy >= b.Expected && b.Allowed <= 0
}

// preflightSilence says what a node that is not heard from, or not Ready, means for
// its drain, "" if it is well.
func (s *Reader) preflightSilence(node string) string {
	n := s.W.Node(node)
	if n == nil || n.Ready {
		return ""
	}
	if n.Unreachable.IsZero() {
		return text.DrainsNotReady(n.Trouble)
	}
	what := text.SilentGoesLast
	switch s.Run.Settings.Unreachable {
	case record.UnreachableTerminate:
		what = text.SilentIsEnded
	case record.UnreachableFail:
		what = text.SilentIsFailed
	}
	return text.DrainsSilent(s.Now.Sub(n.Unreachable), what)
}

// preflightTerminating says what holds a pod that was asked to go before, "" if it
// is on its way.
func (s *Reader) preflightTerminating(p *world.Pod) string {
	over := s.Now.Sub(p.Ends)
	switch {
	case over < 5*time.Second:
		return ""
	case len(p.Finalizers) > 0:
		return text.PodOverdueHeld(p.Ref(), over, p.Finalizers)
	}
	return text.PodOverdue(p.Ref(), over)
}

// preflightBudget says why a pod's budget would refuse an eviction now, "" if it
// would let it through.
func (s *Reader) preflightBudget(p *world.Pod) string {
	gate := drain.GateOf(s.W, p, func(string) int { return 0 })
	if gate.Double() {
		return text.TwoBudgets(p.Ref(), gate.Budgets[0].Name, gate.Budgets[1].Name)
	}
	if gate.Open {
		return ""
	}
	switch b := gate.Budgets[0]; {
	case !b.Current:
		return text.BudgetUnseen(p.Ref(), b.Name)
	case neverAllows(b):
		return text.BudgetNever(p.Ref(), b.Name, b.Expression, b.Healthy, b.Expected)
	default:
		return text.BudgetClosed(p.Ref(), b.Name, b.Healthy, b.Desired)
	}
}

// preflightSingle says that a pod has no other of its kind, "" if it has.
func (s *Reader) preflightSingle(p *world.Pod) string {
	if p.Owner.UID == "" || !s.W.Alone(p) {
		return ""
	}
	return text.OnlyReplica(p.Ref(), ownerName(p))
}

// preflightTurns adds to the first node of each set that drains together which
// budgets cover more of the set's pods than they let go at once.
func (s *Reader) preflightTurns(nodes []PlannedNode, limit int) {
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
			nodes[from].Foreseen = append(nodes[from].Foreseen, s.turns(names)...)
		}
		from = to
	}
}

// turns names the budgets that allow evictions, but cover more of the pods on
// nodes that drain together than they let go at once.
func (s *Reader) turns(nodes []string) []string {
	type claim struct {
		pods int
		on   map[string]bool
	}
	claims := map[string]*claim{}
	for _, node := range nodes {
		for _, p := range s.W.PodsOn(node) {
			gate := drain.GateOf(s.W, p, func(string) int { return 0 })
			if s.judge(p).Fate != drain.Leaves || len(gate.Budgets) != 1 || !gate.Open || !p.Ready {
				continue // evicting an unready pod costs its budget nothing
			}
			ref := gate.Budgets[0].Ref()
			if claims[ref] == nil {
				claims[ref] = &claim{on: map[string]bool{}}
			}
			claims[ref].pods++
			claims[ref].on[node] = true
		}
	}
	var out []string
	for _, ref := range slices.Sorted(maps.Keys(claims)) {
		c, allowed := claims[ref], s.W.Budget(ref).Allowed
		if c.pods <= allowed {
			continue
		}
		out = append(out, text.BudgetTurns(ref, allowed, c.pods, len(c.on), s.capabilities().Surges))
	}
	return out
}

// preflightBatch is what will hold up the drains of a batch, limit nodes at once,
// each with its node; or why that cannot be said.
func (s *Reader) preflightBatch(nodes []string, limit int) (foreseen []string, notEvaluated string) {
	if why := s.preflightGap(); why != "" {
		return nil, why
	}
	for together := range slices.Chunk(nodes, max(1, limit)) {
		for _, node := range together {
			for _, f := range s.preflight(node) {
				foreseen = append(foreseen, text.OfNode(node, f))
			}
			foreseen = append(foreseen, s.refusals(node)...)
		}
		foreseen = append(foreseen, s.turns(together)...)
	}
	return foreseen, ""
}

// preflightCloud adds what the cloud will do beside launching and ending machines,
// and what the plan could not look at.
func (s *Reader) preflightCloud(p *Plan) {
	if why := s.preflightGap(); why != "" {
		p.NotEvaluated = append(p.NotEvaluated, text.BlockersUnknown(why))
	}
	p.NotEvaluated = append(p.NotEvaluated, notPreflighted...)
	if !s.Fresh(world.Cloud) {
		p.NotEvaluated = append(p.NotEvaluated, text.CloudTooOld)
		p.NotEvaluated = append(p.NotEvaluated, text.MoversUnknown)
		return
	}
	if why := s.W.Group.Scaling.Unread; why != "" {
		p.NotEvaluated = append(p.NotEvaluated, text.ScalingUnknown(why))
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
