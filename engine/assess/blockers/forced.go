package blockers

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// pastBudget adds to a pod that a budget holds on a node that a controller drains what becomes
// of it.
func pastBudget(s *assess.Reader, b *Blocker, n record.Node) {
	c := s.Controller()
	if c == nil || len(b.Budgets) == 0 || !assess.IsDraining(n) || !s.DrainedByOthers(n.Name) {
		return
	}
	out := c.Kept(selfdriven.Kept{
		Now: s.Now, World: s.W, Machine: s.W.Machine(b.Machine), Node: s.W.Node(n.Name), Since: n.Since,
		Budget: s.W.Budget(b.Budgets[0].Ref), Several: b.Kind == BlockedByBudgets, Closed: b.Kind == BlockedByBudget,
	})
	if out.Forces {
		b.AtDeadline = record.TimeoutForce
	}
	b.WayOut += out.Adds
	if w := assess.WaitOf(out.Deadline); w != nil {
		w.For = UntilPodForced
		b.Deadline = nearest(s, b.Deadline, w)
	}
}

// UntilPodForced is the countdown of a single pod, beside those of its node.
const UntilPodForced = "pod forced"

// nearest is the wait that ends first of those that have not ended, nil without one.
func nearest(s *assess.Reader, waits ...*record.Wait) (first *record.Wait) {
	for _, w := range waits {
		if w != nil && s.Now.Before(w.End) && (first == nil || w.End.Before(first.End)) {
			first = w
		}
	}
	return first
}

// pastTries adds to a pod that a budget keeps after how many more refusals the run deletes it
// past that, and when. Each is a retry after the one before it, at the earliest.
func pastTries(s *assess.Reader, b *Blocker, p *world.Pod, n record.Node) {
	known, tries := s.Run.Pods.Get(p.UID), s.Run.Settings.Retries()
	if s.Run.External != nil || tries == 0 || n.Stage != record.Draining || known.Rounds == 0 || p.Terminating() || b.Kind != BlockedByBudget && b.Kind != BlockedByRoom {
		return
	}
	gate := GateOf(s, p.UID)
	if gate.Open || gate.Double() || Misconfigured(s, gate) {
		return
	}
	pause, left := RetryPause(s, gate), max(0, tries-known.Rounds)
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

// Misconfigured reports whether a budget allows nothing although all its pods are healthy:
// no waiting opens it (machine-controller-manager, pkg/util/provider/drain/drain.go,
// isMisconfiguredPdb).
func Misconfigured(s *assess.Reader, g drain.Gate) bool {
	return s.Run.Settings.MisconfiguredRetry > 0 && slices.ContainsFunc(g.Budgets, func(b *world.Budget) bool {
		return b.Current && b.Expected > 0 && b.Healthy >= b.Expected && b.Allowed == 0
	})
}

// RetryPause is how long a refused eviction waits for its next try.
func RetryPause(s *assess.Reader, g drain.Gate) time.Duration {
	if Misconfigured(s, g) {
		return s.Run.Settings.MisconfiguredRetry
	}
	return s.Run.Settings.EvictionRetry
}

// GateOf is what the budgets say to an eviction of a pod, by its UID.
func GateOf(s *assess.Reader, uid string) drain.Gate {
	p := s.W.Pod(uid)
	if p == nil {
		return drain.Gate{}
	}
	return drain.GateOf(s.W, p, func(string) int { return 0 })
}
