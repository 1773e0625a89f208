package gardener

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/lab/vms"
)

// NeverJoin makes the next n machines of a pool run without a node ever coming of them;
// 0 ends that for those made from then on.
func (s *Shoot) NeverJoin(pool string, n int) { s.vms.NeverJoin(pool, n) }

// RefuseCreate has the next n machines of a pool refused, with a code that
// machine-controller-manager's drivers know, such as ResourceExhausted; 0 ends that.
func (s *Shoot) RefuseCreate(pool string, n int, code, message string) {
	s.vms.RefuseCreate(pool, n, vms.Error{Code: code, Message: message})
}

// HangDelete lets no machine of a pool come to its end, until it is told false.
func (s *Shoot) HangDelete(pool string, hang bool) { s.vms.HangDelete(pool, hang) }

// Kill ends the machine of a node by itself: the provider forgets it, its node goes. It
// reports whether the node is of the Shoot.
func (s *Shoot) Kill(node string) bool { return s.vms.Kill(node) }

// StopGardenlet has nobody reconcile the Shoot or write its status, until it is told false:
// changes of it stay as they are applied. The machines are seen to as before.
func (s *Shoot) StopGardenlet(stop bool) { s.away.Store(stop) }

// PrepareFor is how long a reconciliation sees to the control plane before it comes to the
// machine deployments, as in Gardener, where that takes minutes: meanwhile the Shoot is
// Processing, and nothing tells of its machines. 0 ends that.
func (s *Shoot) PrepareFor(d time.Duration) { s.prepares.Store(int64(d)) }

// OpenWindow begins the maintenance time window that the changes of a Shoot wait for, see
// Options.Confine. It does not end.
func (s *Shoot) OpenWindow() { s.window.Store(true) }

// Constrain has Gardener tell of a constraint of the Shoot's that is not kept, such as
// MaintenancePreconditionsSatisfied; an empty kind ends all that were.
func (s *Shoot) Constrain(kind, reason, message string) {
	var now []shootCondition
	if was := s.troubles.Load(); was != nil && kind != "" {
		now = slices.Clone(*was)
	}
	if kind != "" {
		now = append(now, shootCondition{Type: kind, Status: "False", Reason: reason, Message: message})
	}
	s.troubles.Store(&now)
}

// FailUpdates makes updates in place of a pool's nodes fail, until MendUpdates.
func (s *Shoot) FailUpdates(pool string, fault UpdateFault) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	s.agent.broken[pool] = &fault
}

// MendUpdates ends what FailUpdates made. Where the system was rolled back the next try
// comes when the annotation of the node agent is taken away.
func (s *Shoot) MendUpdates(pool string) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	delete(s.agent.broken, pool)
}

// SlowUpdates makes updates in place of a pool's nodes take so long, those that begin
// from now on; -1 ends that.
func (s *Shoot) SlowUpdates(pool string, d time.Duration) {
	s.agent.mu.Lock()
	defer s.agent.mu.Unlock()
	if d < 0 {
		delete(s.agent.slow, pool)
	} else {
		s.agent.slow[pool] = d
	}
}
