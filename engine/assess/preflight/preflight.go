package preflight

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/plans"
	"github.com/drainboard/drainboard/engine/world"
)

// NotEvaluated is what no plan can tell: the APIs decide it when they are asked.
var NotEvaluated = []string{
	plans.WebhooksUnknown,
	plans.RoomUnknown,
}

// Gap says why nothing can be said about what will hold up a drain, "" if
// what is known of the cluster is fresh enough to be judged.
func Gap(s *assess.Reader) string {
	if s.Run.Settings.CloudOnly {
		return plans.ClusterUnseen
	}
	if s.Fresh(world.Cluster) {
		return ""
	}
	h := s.W.Health[world.Cluster]
	if h.Fresh.IsZero() {
		return plans.PodsUnknown
	}
	return plans.PodsTooOld(s.Now.Sub(h.Fresh))
}

// Refusals names the pods on a node that need a consent which was not given.
func Refusals(s *assess.Reader, node string) []string {
	var out []string
	for _, p := range s.W.PodsOn(node) {
		if v := s.Judge(p); v.Fate == drain.Asks && !p.Terminating() {
			out = append(out, plans.NeedsConsent(p.Ref(), node, v.Reason.Sentence()))
		}
	}
	return out
}

// Of names what will hold the drain of a node up, judged by the drain's
// own rules and the budgets as they are now.
func Of(s *assess.Reader, node string) []string {
	var out []string
	if silent := silence(s, node); silent != "" {
		out = append(out, silent)
	}
	for _, p := range s.W.PodsOn(node) {
		v := s.Judge(p)
		switch {
		case p.Terminating() && v.Fate != drain.Stays:
			if held := terminating(s, p); held != "" {
				out = append(out, held)
			}
			continue
		case v.Fate != drain.Leaves:
			continue
		}
		moves := assess.SingleMoves(s, p)
		if held := Budget(s, p); held != "" && !moves {
			out = append(out, held)
		}
		if p.ToleratesAll {
			out = append(out, plans.MayComeBack(p.Ref()))
		}
		if moves {
			out = append(out, plans.SecondReplica(p.Ref(), assess.OwnerName(p)))
		} else if alone := Single(s, p); alone != "" {
			out = append(out, alone)
		}
		if len(p.Finalizers) > 0 {
			out = append(out, plans.HasFinalizers(p.Ref()))
		}
	}
	return out
}

// Forever names the pods on a node whose budgets will not let them go, however long the
// run waits, unless a user changes something.
func Forever(s *assess.Reader, node string) []string {
	var out []string
	for _, p := range s.W.PodsOn(node) {
		if s.Judge(p).Fate != drain.Leaves || p.Terminating() || assess.SingleMoves(s, p) {
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

// silence says what a node that is not heard from, or not Ready, means for
// its drain, "" if it is well.
func silence(s *assess.Reader, node string) string {
	n := s.W.Node(node)
	if n == nil || n.Ready {
		return ""
	}
	if n.Unreachable.IsZero() {
		return plans.DrainsNotReady(n.Trouble)
	}
	what := plans.SilentGoesLast
	switch s.Run.Settings.Unreachable {
	case record.UnreachableTerminate:
		what = plans.SilentIsEnded
	case record.UnreachableFail:
		what = plans.SilentIsFailed
	}
	return plans.DrainsSilent(s.Now.Sub(n.Unreachable), what)
}

// terminating says what holds a pod that was asked to go before, "" if it
// is on its way.
func terminating(s *assess.Reader, p *world.Pod) string {
	over := s.Now.Sub(p.Ends)
	switch {
	case over < 5*time.Second:
		return ""
	case len(p.Finalizers) > 0:
		return plans.PodOverdueHeld(p.Ref(), over, p.Finalizers)
	}
	return plans.PodOverdue(p.Ref(), over)
}

// Budget says why a pod's budget would refuse an eviction now, "" if it
// would let it through.
func Budget(s *assess.Reader, p *world.Pod) string {
	gate := drain.GateOf(s.W, p, func(string) int { return 0 })
	if gate.Double() {
		return plans.TwoBudgets(p.Ref(), gate.Budgets[0].Name, gate.Budgets[1].Name)
	}
	if gate.Open {
		return ""
	}
	switch b := gate.Budgets[0]; {
	case !b.Current:
		return plans.BudgetUnseen(p.Ref(), b.Name)
	case neverAllows(b):
		return plans.BudgetNever(p.Ref(), b.Name, b.Expression, b.Healthy, b.Expected)
	default:
		return plans.BudgetClosed(p.Ref(), b.Name, b.Healthy, b.Desired)
	}
}

// Single says that a pod has no other of its kind, "" if it has.
func Single(s *assess.Reader, p *world.Pod) string {
	if p.Owner.UID == "" || !s.W.Alone(p) {
		return ""
	}
	return plans.OnlyReplica(p.Ref(), assess.OwnerName(p))
}

// Together is how many of the nodes that are next to each other in the order drain side by side, as far as that
// is known: limit, or one where they are picked as drains begin.
func Together(s *assess.Reader, limit int) int {
	if slices.Contains(s.Run.Settings.Order, record.OrderApart) {
		return 1
	}
	return limit
}

// Turns names the budgets that allow evictions, but cover more of the pods on
// nodes that drain together than they let go at once.
func Turns(s *assess.Reader, nodes []string) []string {
	type claim struct {
		pods int
		on   map[string]bool
	}
	claims := map[string]*claim{}
	for _, node := range nodes {
		for _, p := range s.W.PodsOn(node) {
			gate := drain.GateOf(s.W, p, func(string) int { return 0 })
			if s.Judge(p).Fate != drain.Leaves || len(gate.Budgets) != 1 || !gate.Open || !p.Ready {
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
		out = append(out, plans.BudgetTurns(ref, allowed, c.pods, len(c.on), s.Capabilities().Surges))
	}
	return out
}

// batch is what will hold up the drains of a batch, limit nodes at once,
// each with its node; or why that cannot be said.
func batch(s *assess.Reader, nodes []string, limit int) (foreseen []string, notEvaluated string) {
	if why := Gap(s); why != "" {
		return nil, why
	}
	for together := range slices.Chunk(nodes, max(1, limit)) {
		for _, node := range together {
			for _, f := range Of(s, node) {
				foreseen = append(foreseen, plans.OfNode(node, f))
			}
			foreseen = append(foreseen, Refusals(s, node)...)
		}
		foreseen = append(foreseen, Turns(s, together)...)
	}
	return foreseen, ""
}
