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
	inPlace = "node.machine.sapcloud.io/"
	// CandidateLabel is on nodes that are to be updated, SelectedLabel on those whose update was asked for,
	// ResultLabel on those where it has ended.
	CandidateLabel   = inPlace + "candidate-for-update"
	SelectedLabel    = inPlace + "selected-for-update"
	ResultLabel      = inPlace + "update-result"
	failedAnnotation = inPlace + "update-failed-reason"
	inPlaceCondition = "InPlaceUpdate"
)

// What Gardener's controllers wait for: an eviction that is refused, a drain, an update.
const (
	gardenerRetry = 20 * time.Second
	// GardenerDrain is for how long it drains a node by default.
	GardenerDrain  = 2 * time.Hour
	gardenerUpdate = 20 * time.Minute
)

// Pool is a Gardener worker pool that is updated in place: what machine-controller-manager and
// the node agents of its nodes do.
type Pool struct {
	// Update is its strategy, "" for a group that is no such pool.
	Update  string
	version string // to which it is updated, "" for one of a scenario
	// Drain is for how long a node is drained before what is left is deleted, Takes how long an update
	// takes, Critical how long critical components are not ready after it.
	Drain, Takes, Critical time.Duration
	// Fails and Hangs are the nodes whose next update fails, with the reason, or does not end.
	Fails map[string]string
	Hangs map[string]bool
	at    map[string]time.Time // since when a node is drained
	// Passed are the pods that were deleted past their budgets, in order.
	Passed []*world.Pod
	// Applied: there is a Shoot, which was changed just before. Starts is how long it takes from then until
	// Gardener starts, less than 0 for never.
	Applied bool
	Starts  time.Duration
}

// BeginPool marks the nodes of a pool as candidates for an update in place.
func (s *Sim) BeginPool() {
	for _, m := range s.Alive() {
		s.EditByOthers(m.Name, func(n *world.Node) {
			n.Labels[CandidateLabel] = "true"
			n.Taints = append(n.Taints, oldTaint)
			setStep(n, "CandidateForUpdate", s.now)
		})
	}
	s.After(time.Second, s.poolTurn)
}

// setStep writes the condition of an update in place.
func setStep(n *world.Node, reason string, at time.Time) {
	n.Conditions = slices.DeleteFunc(slices.Clone(n.Conditions), func(c world.Condition) bool { return c.Type == inPlaceCondition })
	n.Conditions = append(n.Conditions, world.Condition{Type: inPlaceCondition, Reason: reason, On: true, Since: at})
}

// StepOf is how far the update of a node in place is, as its condition tells, "" without one.
func StepOf(n *world.Node) string {
	for _, c := range n.Conditions {
		if c.Type == inPlaceCondition {
			return c.Reason
		}
	}
	return ""
}

// poolTurn lets machine-controller-manager look at the pool's nodes.
func (s *Sim) poolTurn() {
	s.After(5*time.Second, s.poolTurn)
	for _, m := range s.Alive() {
		n := s.Truth.Node(m.Name)
		if n == nil || n.Labels[SelectedLabel] != "true" || n.Labels[CandidateLabel] != "true" {
			continue
		}
		switch StepOf(n) {
		case "CandidateForUpdate", "":
			s.Pool.begins(m.Name, s.now)
			s.EditByOthers(m.Name, func(n *world.Node) {
				setStep(n, world.GardenerSelected, s.now)
				Cordon(n, s.now)
			})
			s.drainForUpdate(m.Name)
		case world.GardenerSelected:
			if len(s.toDrain(m.Name)) == 0 {
				s.EditByOthers(m.Name, func(n *world.Node) { setStep(n, world.GardenerReady, s.now) })
				s.updateInPlace(m.Name, s.Pool.Takes)
			}
		}
	}
}

// toDrain lists the pods that have to leave a node.
func (s *Sim) toDrain(node string) []*Pod {
	return slices.DeleteFunc(s.podsOn(node), func(p *Pod) bool { return p.Owner.Kind == DaemonSet || p.Mirror || p.Finished() })
}

// drainForUpdate evicts what is on a node, tries again what a budget refuses, and deletes
// what is left when the drain has used up its time.
func (s *Sim) drainForUpdate(node string) {
	n := s.Truth.Node(node)
	if n == nil || StepOf(n) != world.GardenerSelected {
		return
	}
	force := s.now.Sub(s.Pool.at[node]) >= s.Pool.Drain
	for _, p := range s.toDrain(node) {
		switch {
		case force:
			if gate := drain.GateOf(s.Truth, &p.Pod, func(string) int { return 0 }); !gate.Open && !p.Terminating() {
				was := p.Pod
				s.Pool.Passed = append(s.Pool.Passed, &was)
			}
			s.Kill(p.UID, new(int64))
		case !p.Terminating():
			s.evict(record.Action{Kind: record.Evict, Namespace: p.Namespace, Pod: p.Name, UID: p.UID})
		}
	}
	s.After(gardenerRetry, func() { s.drainForUpdate(node) })
}

// updateInPlace lets a node's agent update it: it succeeds, fails, or never ends.
func (s *Sim) updateInPlace(node string, takes time.Duration) {
	if s.Pool.Hangs[node] {
		delete(s.Pool.Hangs, node)
		s.After(gardenerUpdate, func() { s.failUpdate(node, "the update did not end within 20m0s") })
		return
	}
	s.After(takes, func() {
		if why := s.Pool.Fails[node]; why != "" {
			delete(s.Pool.Fails, node)
			s.failUpdate(node, why)
			return
		}
		s.EditByOthers(node, func(n *world.Node) {
			n.Version = cmp.Or(s.Pool.version, "v1.32")
			n.Labels[ResultLabel] = "successful"
			setStep(n, "UpdateSuccessful", s.now)
		})
		s.After(5*time.Second, func() { s.finishUpdate(node) })
	})
}

func (s *Sim) failUpdate(node, why string) {
	s.cue("failing " + node)
	s.EditByOthers(node, func(n *world.Node) {
		n.Labels[ResultLabel] = "failed"
		Annotate(n, failedAnnotation, s.hostile(why))
		setStep(n, world.GardenerFailed, s.now)
	})
}

// finishUpdate takes a node over into the new machine set, and has its critical components
// waited for.
func (s *Sim) finishUpdate(node string) {
	s.EditByOthers(node, func(n *world.Node) {
		for _, key := range []string{CandidateLabel, SelectedLabel, ResultLabel} {
			delete(n.Labels, key)
		}
		n.Annotations = maps.Clone(n.Annotations)
		delete(n.Annotations, failedAnnotation)
		n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == world.GardenerTaint })
		n.Taints = append(n.Taints, world.Taint{Key: world.CriticalTaint, Effect: "NoSchedule"})
		Uncordon(n)
	})
	s.criticalReady(node)
}

// criticalReady lets a node's critical components get ready.
func (s *Sim) criticalReady(node string) {
	s.After(s.Pool.Critical, func() {
		s.EditByOthers(node, func(n *world.Node) {
			n.Taints = slices.DeleteFunc(n.Taints, func(t world.Taint) bool { return t.Key == world.CriticalTaint })
		})
	})
}

// RetryUpdate lets a node's agent try a failed update again.
func (s *Sim) RetryUpdate(node string) error {
	n := s.Truth.Node(node)
	if n == nil || StepOf(n) != world.GardenerFailed {
		return fmt.Errorf("no update of %q has failed", node)
	}
	s.EditByOthers(node, func(n *world.Node) {
		delete(n.Labels, ResultLabel)
		delete(n.Annotations, failedAnnotation)
		setStep(n, world.GardenerReady, s.now)
	})
	s.updateInPlace(node, s.Pool.Takes)
	return nil
}

// shootPrepares is how long Gardener sees to a Shoot's control plane before it comes to its
// pools; shootReports how often it brings the Shoot's status up to date.
const (
	shootPrepares = 10 * time.Second
	shootReports  = 5 * time.Second
)

// ApplyShoot applies the change of a pool's Shoot, which Gardener starts after that time, never
// if it is less than 0.
func (s *Sim) ApplyShoot(starts time.Duration) {
	s.editShoot(func(p *world.Pool) {
		p.Shoot = "garden/sim"
		p.Limits.Drain, p.Limits.Guessed = s.Pool.Drain, false
		p.Progress = &world.ShootProgress{Generation: 2, Observed: 1, Operation: "Reconcile", State: "Succeeded", Percent: 100}
	})
	if starts < 0 {
		return
	}
	s.After(starts, func() {
		s.editShoot(func(p *world.Pool) { p.Progress.Observed, p.Progress.State, p.Progress.Percent = 2, "Processing", 10 })
		s.After(shootPrepares, func() {
			s.BeginPool()
			s.editShoot(func(p *world.Pool) { p.Pending = true })
			s.After(shootReports, s.reportShoot)
		})
	})
}

// reportShoot brings the Shoot's status up to date: nobody waits for updates by hand, and the
// pool is pending as long as a node is a candidate.
func (s *Sim) reportShoot() {
	s.After(shootReports, s.reportShoot)
	candidate := slices.ContainsFunc(s.Alive(), func(m *Machine) bool {
		n := s.Truth.Node(m.Name)
		return n != nil && n.Labels[CandidateLabel] != ""
	})
	if p := s.Group.Pool; p.Progress.State == "Succeeded" && p.Pending == candidate {
		return
	}
	s.editShoot(func(p *world.Pool) { p.Progress.State, p.Progress.Percent, p.Pending = "Succeeded", 100, candidate })
}

// editShoot changes what the pool's Shoot tells.
func (s *Sim) editShoot(change func(*world.Pool)) {
	p := *s.Group.Pool
	if p.Progress != nil {
		progress := *p.Progress
		p.Progress = &progress
	}
	change(&p)
	s.Group.Pool = &p
	s.ListMachines()
}

// begins notes since when a node is drained for its update.
func (p *Pool) begins(node string, at time.Time) {
	if p.at == nil {
		p.at = map[string]time.Time{}
	}
	p.at[node] = at
}
