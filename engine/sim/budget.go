package sim

import (
	"math"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Budget is a PodDisruptionBudget: its rule, and what its controller last wrote.
type Budget struct {
	world.Budget
	list     string         // of its pods
	min, max *record.Amount // one of minAvailable and maxUnavailable
	fixed    bool           // what it wants does not change: its workloads keep their sizes
	Stuck    bool           // its controller does not look at it
	changes  *int           // of its list, nil where they are not counted
	counted  state          // when what it wrote was right
	// disrupted are pods whose evictions were let through and not seen yet.
	disrupted map[string]time.Time
}

// deletionTimeout is how long the controller counts a pod as disrupted whose
// eviction was let through and that stays (DeletionTimeout, 2 minutes).
const deletionTimeout = 2 * time.Minute

// SetRule sets what the budget asks for: one of minAvailable and maxUnavailable.
func (b *Budget) SetRule(low, high *record.Amount) {
	b.min, b.max, b.counted = low, high, state{}
	if low != nil {
		b.Expression = "minAvailable " + low.String()
	} else {
		b.Expression = "maxUnavailable " + high.String()
	}
}

// AddBudget makes a budget over the pods with a label app=app. One of min
// (minAvailable) and max (maxUnavailable) is given.
func (s *Sim) AddBudget(namespace, name, app string, min, max *record.Amount, alwaysAllow bool) {
	b := &Budget{list: appList(namespace, app), disrupted: map[string]time.Time{}}
	b.Namespace, b.Name, b.AlwaysAllow = namespace, name, alwaysAllow
	b.Selector = labels.SelectorFromSet(labels.Set{"app": app})
	b.SetRule(min, max)
	s.budgets[b.Ref()], s.refs = b, nil
	s.recount(b)
}

// DropBudget deletes a budget.
func (s *Sim) DropBudget(ref string) {
	delete(s.budgets, ref)
	s.refs = nil
	s.Truth.DeleteBudget(ref)
	s.watch(func(w *world.World) { w.DeleteBudget(ref) })
	s.Touch()
}

// SetBudget shows what has changed in a budget to the Truth and the watch.
func (s *Sim) SetBudget(b *Budget) {
	seen := b.Budget
	s.Truth.SetBudget(&seen)
	s.watch(func(w *world.World) { w.SetBudget(&seen) })
}

// recount does what the disruption controller does
// (pkg/controller/disruption/disruption.go): a share rounds up, terminating pods
// are not healthy.
func (s *Sim) recount(b *Budget) {
	now := state{}
	if b.changes != nil {
		now = stateOf(b.changes, s.wanted(b))
	}
	if b.settled(now) {
		return
	}
	b.counted = state{}
	healthy, pods := 0, 0
	owners := map[*Workload]bool{}
	expected := 0
	for _, p := range s.pods.of(b.list) { // what its selector says
		if p.Finished() {
			continue
		}
		pods++
		since, disrupted := b.disrupted[p.UID]
		if disrupted && (p.Terminating() || s.now.Sub(since) >= deletionTimeout) {
			delete(b.disrupted, p.UID)
			disrupted = false
		}
		if p.Ready && !p.Terminating() && !disrupted {
			healthy++
		}
		if o := p.owner; o != nil && !owners[o] {
			owners[o] = true
			expected += o.Replicas
		}
	}
	next := b.Budget
	next.Healthy = healthy
	switch {
	case b.fixed:
	case b.min != nil && !b.min.Percent:
		next.Expected, next.Desired = pods, b.min.N
	case b.min != nil:
		next.Expected, next.Desired = expected, share(*b.min, expected)
	default:
		next.Expected, next.Desired = expected, max(0, expected-share(*b.max, expected))
	}
	next.Allowed = max(0, healthy-next.Desired)
	next.Current = !b.Stuck
	if b.Stuck {
		return
	}
	if same(next, b.Budget) {
		b.counted = now
		return
	}
	s.writeCount(b, next)
}

// settled reports whether nothing that a budget counts has changed since it was counted last.
func (b *Budget) settled(now state) bool {
	return b.counted.known(now) && !b.Stuck && len(b.disrupted) == 0
}

// wanted tells how the workloads are scaled from how they were, for a budget that depends on it.
func (s *Sim) wanted(b *Budget) (sum int) {
	if b.fixed {
		return 0
	}
	for _, w := range s.workloads {
		sum = 31*sum + w.Replicas
	}
	return sum
}

// writeCount writes what was counted.
func (s *Sim) writeCount(b *Budget, next world.Budget) {
	if (next.Allowed > 0) != (b.Allowed > 0) || b.Since.IsZero() {
		next.Since = s.now
	}
	b.Budget = next
	s.SetBudget(b)
}

func share(a record.Amount, of int) int {
	if !a.Percent {
		return a.N
	}
	return int(math.Ceil(float64(of) * float64(a.N) / 100))
}

func same(a, b world.Budget) bool {
	return a.Healthy == b.Healthy && a.Expected == b.Expected && a.Desired == b.Desired && a.Allowed == b.Allowed && a.Current == b.Current
}

// evict answers a POST to a pod's eviction subresource
// (pkg/registry/core/pod/storage/eviction.go).
func (s *Sim) evict(a record.Action) record.Outcome {
	p := s.PodOfApp(a.Namespace, a.Pod)
	if p == nil {
		return Refuse(record.RefusedGone, "pods %q not found", a.Pod)
	}
	if p.UID != a.UID {
		return Refuse(record.RefusedConflict, "the UID in the precondition (%s) does not match the UID in record (%s)", a.UID, p.UID)
	}
	if s.Faults.denies(p) {
		return Refuse(record.RefusedWebhook, "admission webhook \"guard.example.com\" denied the request: not now")
	}
	if p.Phase == world.PodPending || p.Finished() || p.Terminating() {
		s.Kill(p.UID, nil)
		return record.Outcome{Verdict: record.Done}
	}
	budgets := s.Truth.BudgetsOf(&p.Pod)
	if len(budgets) > 1 {
		return Refuse(record.RefusedBudgets, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
	}
	if len(budgets) == 1 {
		b := s.budgets[budgets[0].Ref()]
		unhealthy := !p.Ready && (b.AlwaysAllow || b.Healthy >= b.Desired && b.Desired > 0)
		switch {
		case unhealthy:
		case !b.Current:
			o := Refuse(record.RefusedBudget, "Cannot evict pod as it would violate the pod's disruption budget: the disruption budget %s is still being processed by the server.", b.Name)
			o.After = staleRetry
			return o
		case b.Allowed <= 0:
			s.cue("refusing " + b.Name)
			return Refuse(record.RefusedBudget, "Cannot evict pod as it would violate the pod's disruption budget: the disruption budget %s needs %d healthy pods and has %d currently", b.Name, b.Desired, b.Healthy)
		default:
			if b.Allowed--; b.Allowed == 0 {
				b.Since = s.now
			}
			b.disrupted[p.UID] = s.now
			s.SetBudget(b)
			if s.Faults.HalfEvict > 0 {
				s.Faults.HalfEvict--
				s.After(deletionTimeout, s.Touch)
				return record.Outcome{Verdict: record.Unknown, Message: "Timeout: request did not complete within requested timeout"}
			}
		}
	}
	if p.owner != nil {
		s.cue("evicting " + p.owner.Name)
	}
	s.Kill(p.UID, nil)
	return record.Outcome{Verdict: record.Done}
}

// Contended is how long the API server pauses before it tries again to evict a pod
// whose budget another eviction writes to at the same time (EvictionsRetry in
// pkg/registry/core/pod/storage/eviction.go), 0 if none does. It is simulated
// where requests overtake each other (Config.Jitter).
func (s *Sim) Contended(a record.Action) time.Duration {
	p := s.PodOfApp(a.Namespace, a.Pod)
	if s.Config.Jitter == 0 || a.Kind != record.Evict || p == nil {
		return 0
	}
	for _, seen := range s.Truth.BudgetsOf(&p.Pod) {
		for _, at := range s.budgets[seen.Ref()].disrupted {
			if s.now.Sub(at) < s.Config.ClusterLatency {
				return 500*time.Millisecond + time.Duration(s.rand.Int64N(int64(50*time.Millisecond)))
			}
		}
	}
	return 0
}

// PodOfApp finds a pod by its name; a StatefulSet's is another one each time.
func (s *Sim) PodOfApp(namespace, name string) *Pod { return s.pods.names[namespace+"/"+name] }
