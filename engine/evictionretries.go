package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// retriesUsedUp reports whether a pod that is due has been tried often enough: then its delete
// is ordered, and nothing is left to evict.
func (s *Step) retriesUsedUp(c candidate) bool {
	n, gate := s.Run.Settings.Retries(), s.gateOf(c.pod.UID) // by what its budget says: our own evictions under way refuse nothing
	if n == 0 || c.known.Rounds < n || gate.Open || gate.Double() || s.misconfigured(gate) || s.Now.Sub(c.known.Round) < s.retryPause(gate) ||
		!s.Run.Gap.IsZero() && !c.known.Round.After(s.Run.Gap) { // a try precedes it after a time without sight
		return false
	}
	if !slices.ContainsFunc(s.Run.Orders, func(o record.ForceOrder) bool { return o.UID == c.pod.UID && o.Machine == c.machine && !o.Over }) {
		s.orderForce(c.machine, c.pod.UID, cmp.Or(s.Run.Settings.ForcedBy, s.Run.By),
			text.RetriesUsedUp(n))
		s.Soon()
	}
	return true
}

// countRound counts a turn in which a pod was due and its budget shut, so that another
// pod of that budget was tried in its stead, last then. Both are due again together, and
// the one that was tried less goes first.
func (s *Step) countRound(c candidate, due bool, last time.Time) {
	if s.Run.Settings.Retries() == 0 || !due || c.gate.Open {
		return
	}
	c.known.Ref, c.known.Node, c.known.Owner = c.pod.Ref(), c.node.Name, c.pod.Owner.UID
	c.known.Closed = true
	if c.known.Next = last.Add(s.retryPause(c.gate)); !c.known.Next.After(s.Now) {
		c.known.Next = s.Now.Add(s.retryPause(c.gate))
	}
	s.round(&c.known, c.gate)
	s.Run.Pods[c.pod.UID] = c.known
	s.changed = true
	s.WakeAt(c.known.Next)
}

// pastTries adds to a pod that a budget keeps after how many more refusals the run deletes it
// past that, and when. Each is a retry after the one before it, at the earliest.
func (s *Reader) pastTries(b *Blocker, p *world.Pod, n record.Node) {
	known, tries := s.Run.Pods[p.UID], s.Run.Settings.Retries()
	if s.Run.External != nil || tries == 0 || n.Stage != record.Draining || known.Rounds == 0 || p.Terminating() || b.Kind != BlockedByBudget && b.Kind != BlockedByRoom {
		return
	}
	gate := s.gateOf(p.UID)
	if gate.Open || gate.Double() || s.misconfigured(gate) {
		return
	}
	pause, left := s.retryPause(gate), max(0, tries-known.Rounds)
	next := known.Round.Add(pause)
	if next.Before(s.Now) {
		next = s.Now
	}
	own := &record.Wait{For: UntilPodForced, Start: known.First, End: next.Add(time.Duration(left) * pause), Needs: []world.Source{world.Cluster}, Guess: true,
		Basis: text.RetriesLeft(known.Rounds, tries, pause)}
	if b.Deadline == nil || own.End.Before(b.Deadline.End) {
		b.Deadline, b.AtDeadline, b.Refusals = own, record.TimeoutForce, left
	}
}

// round counts a turn, unless the last one was less than a retry ago.
func (s *Reader) round(p *record.Pod, g drain.Gate) {
	switch {
	case s.misconfigured(g):
		p.Rounds = 0
	case s.Now.Sub(p.Round) >= s.retryPause(g):
		p.Rounds, p.Round = p.Rounds+1, s.Now
	}
}

// misconfigured reports whether a budget allows nothing although all its pods are healthy:
// no waiting opens it (machine-controller-manager, pkg/util/provider/drain/drain.go,
// isMisconfiguredPdb).
func (s *Reader) misconfigured(g drain.Gate) bool {
	return s.Run.Settings.MisconfiguredRetry > 0 && slices.ContainsFunc(g.Budgets, func(b *world.Budget) bool {
		return b.Current && b.Expected > 0 && b.Healthy >= b.Expected && b.Allowed == 0
	})
}

// retryPause is how long a refused eviction waits for its next try.
func (s *Reader) retryPause(g drain.Gate) time.Duration {
	if s.misconfigured(g) {
		return s.Run.Settings.MisconfiguredRetry
	}
	return s.Run.Settings.EvictionRetry
}

// gateOf is what the budgets say to an eviction of a pod, by its UID.
func (s *Reader) gateOf(uid string) drain.Gate {
	p := s.W.Pod(uid)
	if p == nil {
		return drain.Gate{}
	}
	return drain.GateOf(s.W, p, func(string) int { return 0 })
}

// volumeLeaves reports whether another pod with a persistent volume is on its way out of
// the node: they leave in turn, where the settings ask for that.
func (s *Reader) volumeLeaves(c candidate) bool {
	return s.Run.Settings.VolumesInTurn && slices.ContainsFunc(s.W.PodsOn(c.node.Name), func(p *world.Pod) bool {
		return p.Volume && p.UID != c.pod.UID && (p.Terminating() || !s.settled(record.EvictKey(p.UID)) || !s.settled(record.DeleteKey(p.UID)))
	})
}
