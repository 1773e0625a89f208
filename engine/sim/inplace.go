package sim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/drain"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Keys of an update in place (machine-controller-manager pkg/apis/machine/v1alpha1).
const (
	inPlace          = "node.machine.sapcloud.io/"
	candidateLabel   = inPlace + "candidate-for-update"
	selectedLabel    = inPlace + "selected-for-update"
	resultLabel      = inPlace + "update-result"
	failedAnnotation = inPlace + "update-failed-reason"
	inPlaceCondition = "InPlaceUpdate"
)

// What Gardener's controllers wait for: an eviction that is refused, a drain, an update.
const (
	gardenerRetry  = 20 * time.Second
	gardenerDrain  = 2 * time.Hour
	gardenerUpdate = 20 * time.Minute
)

// pool is a Gardener worker pool that is updated in place: what machine-controller-manager and
// the node agents of its nodes do.
type pool struct {
	update   string        // its strategy, "" for a group that is no such pool
	version  string        // to which it is updated, "" for one of a scenario
	drain    time.Duration // for how long a node is drained before what is left is deleted
	takes    time.Duration // an update
	critical time.Duration // until critical components are ready after it
	fails    map[string]string
	hangs    map[string]bool
	at       map[string]time.Time // since when a node is drained
	passed   []*world.Pod         // those that were deleted past their budgets, in order
	applied  bool                 // there is a Shoot, which was changed just before
	starts   time.Duration        // from then until Gardener starts, less than 0 for never
}

// beginPool marks the nodes of a pool as candidates for an update in place.
func (s *Sim) beginPool() {
	for _, m := range s.alive() {
		s.editByOthers(m.name, func(n *world.Node) {
			n.Labels[candidateLabel] = "true"
			n.Taints = append(n.Taints, oldTaint)
			setStep(n, "CandidateForUpdate", s.now)
		})
	}
	s.after(time.Second, s.poolTurn)
}

// setStep writes the condition of an update in place.
func setStep(n *world.Node, reason string, at time.Time) {
	n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c world.Condition) bool { return c.Type == inPlaceCondition })
	n.Conditions = append(n.Conditions, world.Condition{Type: inPlaceCondition, Reason: reason, On: true, Since: at})
}

func stepOf(n *world.Node) string {
	for _, c := range n.Conditions {
		if c.Type == inPlaceCondition {
			return c.Reason
		}
	}
	return ""
}

// poolTurn lets machine-controller-manager look at the pool's nodes.
func (s *Sim) poolTurn() {
	s.after(5*time.Second, s.poolTurn)
	for _, m := range s.alive() {
		n := s.Truth.Node(m.name)
		if n == nil || n.Labels[selectedLabel] != "true" || n.Labels[candidateLabel] != "true" {
			continue
		}
		switch stepOf(n) {
		case "CandidateForUpdate", "":
			s.pool.at[m.name] = s.now
			s.editByOthers(m.name, func(n *world.Node) {
				setStep(n, world.GardenerSelected, s.now)
				cordon(n, s.now)
			})
			s.drainForUpdate(m.name)
		case world.GardenerSelected:
			if len(s.toDrain(m.name)) == 0 {
				s.editByOthers(m.name, func(n *world.Node) { setStep(n, world.GardenerReady, s.now) })
				s.updateInPlace(m.name, s.pool.takes)
			}
		}
	}
}

// toDrain lists the pods that have to leave a node.
func (s *Sim) toDrain(node string) []*pod {
	return slices.DeleteFunc(s.podsOn(node), func(p *pod) bool { return p.Owner.Kind == DaemonSet || p.Mirror || p.Finished() })
}

// drainForUpdate evicts what is on a node, tries again what a budget refuses, and deletes
// what is left when the drain has used up its time.
func (s *Sim) drainForUpdate(node string) {
	n := s.Truth.Node(node)
	if n == nil || stepOf(n) != world.GardenerSelected {
		return
	}
	force := s.now.Sub(s.pool.at[node]) >= s.pool.drain
	for _, p := range s.toDrain(node) {
		switch {
		case force:
			if gate := drain.GateOf(s.Truth, &p.Pod, func(string) int { return 0 }); !gate.Open && !p.Terminating() {
				was := p.Pod
				s.pool.passed = append(s.pool.passed, &was)
			}
			s.kill(p.UID, new(int64))
		case !p.Terminating():
			s.evict(record.Action{Kind: record.Evict, Namespace: p.Namespace, Pod: p.Name, UID: p.UID})
		}
	}
	s.after(gardenerRetry, func() { s.drainForUpdate(node) })
}

// updateInPlace lets a node's agent update it: it succeeds, fails, or never ends.
func (s *Sim) updateInPlace(node string, takes time.Duration) {
	if s.pool.hangs[node] {
		delete(s.pool.hangs, node)
		s.after(gardenerUpdate, func() { s.failUpdate(node, "the update did not end within 20m0s") })
		return
	}
	s.after(takes, func() {
		if why := s.pool.fails[node]; why != "" {
			delete(s.pool.fails, node)
			s.failUpdate(node, why)
			return
		}
		s.editByOthers(node, func(n *world.Node) {
			n.Version = cmp.Or(s.pool.version, "v1.32")
			n.Labels[resultLabel] = "successful"
			setStep(n, "UpdateSuccessful", s.now)
		})
		s.after(5*time.Second, func() { s.finishUpdate(node) })
	})
}

func (s *Sim) failUpdate(node, why string) {
	s.cue("failing " + node)
	s.editByOthers(node, func(n *world.Node) {
		n.Labels[resultLabel] = "failed"
		annotate(n, failedAnnotation, why)
		setStep(n, world.GardenerFailed, s.now)
	})
}

// finishUpdate takes a node over into the new machine set, and has its critical components
// waited for.
func (s *Sim) finishUpdate(node string) {
	s.editByOthers(node, func(n *world.Node) {
		for _, key := range []string{candidateLabel, selectedLabel, resultLabel} {
			delete(n.Labels, key)
		}
		n.Annotations = maps.Clone(n.Annotations)
		delete(n.Annotations, failedAnnotation)
		n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == world.GardenerTaint })
		n.Taints = append(n.Taints, world.Taint{Key: world.CriticalTaint, Effect: "NoSchedule"})
		uncordon(n)
	})
	s.criticalReady(node)
}

// criticalReady lets a node's critical components get ready.
func (s *Sim) criticalReady(node string) {
	s.after(s.pool.critical, func() {
		s.editByOthers(node, func(n *world.Node) {
			n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == world.CriticalTaint })
		})
	})
}

// retryUpdate lets a node's agent try a failed update again.
func (s *Sim) retryUpdate(node string) error {
	n := s.Truth.Node(node)
	if n == nil || stepOf(n) != world.GardenerFailed {
		return fmt.Errorf("no update of %q has failed", node)
	}
	s.editByOthers(node, func(n *world.Node) {
		delete(n.Labels, resultLabel)
		delete(n.Annotations, failedAnnotation)
		setStep(n, world.GardenerReady, s.now)
	})
	s.updateInPlace(node, s.pool.takes)
	return nil
}
