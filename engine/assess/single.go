package assess

import (
	"math"
	"strings"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// SingleHeld reports whether a pod is the only one of its ReplicaSet, and kept by one PDB.
func SingleHeld(s *Reader, p *world.Pod) bool {
	if p.Terminating() || !p.Ready || p.Owner.Kind != "ReplicaSet" || !s.W.Alone(p) || s.Judge(p).Fate != drain.Leaves {
		return false
	}
	gate := drain.GateOf(s.W, p, func(string) int { return 0 })
	return !gate.Open && len(gate.Budgets) == 1
}

// SingleMoves reports whether a pod is expected to move by a second replica of its Deployment, as far as that is known
// before the Deployment is read.
func SingleMoves(s *Reader, p *world.Pod) bool {
	if !s.Run.MovesSingles() || !SingleHeld(s, p) || !OpensWithOneMore(s.W.BudgetsOf(p)) {
		return false
	}
	known := s.Run.Singles[p.Owner.UID]
	return known.Open() || known.Pod != p.UID || known.Why == ""
}

// OpensWithOneMore reports whether a PDB would allow a disruption with one more healthy pod.
func OpensWithOneMore(budgets []*world.Budget) bool {
	if len(budgets) != 1 {
		return false
	}
	b := budgets[0]
	rule, amount, _ := strings.Cut(b.Expression, " ")
	n, err := record.ParseAmount(amount)
	if err != nil {
		return false
	}
	of, desired := b.Expected+1, n.N
	if n.Percent {
		desired = int(math.Ceil(float64(of) * float64(n.N) / 100))
	}
	if rule == "maxUnavailable" {
		desired = of - desired
	}
	return b.Healthy+1 > desired
}
