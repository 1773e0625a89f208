package sim

import (
	"slices"
	"strings"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Held is what keeps others from scaling a Deployment.
type Held struct {
	Recreate bool
	Holder   string // who else decides on its replicas, "" for nobody
	Denied   bool   // nobody may scale it
}

// deployment is a Deployment by its UID, nil if there is none.
func (s *Sim) deployment(uid string) *workload {
	for _, w := range s.workloads {
		if (w.UID == uid || w.scale == uid && uid != "") && w.Kind == Deployment {
			return w
		}
	}
	return nil
}

// lookAtOwner answers the reads of a pod's ReplicaSet, its Deployment and what scales that.
func (s *Sim) lookAtOwner(a record.Action) record.Outcome {
	p := s.pods.byUID[a.UID]
	if p == nil {
		return refuse(record.RefusedGone, "pods %q not found", a.Pod)
	}
	o := record.Outcome{Verdict: record.Done}
	if w := p.owner; w != nil && w.Kind == Deployment {
		o.Deployment = &world.Deployment{Name: w.Name, UID: w.UID, Replicas: w.Replicas, Recreate: w.held.Recreate, Holder: w.held.Holder}
	}
	return o
}

// scaleTo answers an update of a Deployment's scale.
func (s *Sim) scaleTo(a record.Action) record.Outcome {
	switch w := s.deployment(a.UID); {
	case w == nil:
		return refuse(record.RefusedGone, "deployments.apps %q not found", a.Object)
	case w.held.Denied:
		return refuse(record.RefusedForbidden, "this user may not update deployments/scale")
	case w.Replicas == max(a.Replicas, a.FromReplicas) && !w.ours:
		return refuse(record.RefusedConflict, "another user has set %d replicas", w.Replicas)
	case w.Replicas == a.Replicas:
		return done
	case w.Replicas != a.FromReplicas:
		return refuse(record.RefusedConflict, "it has %d replicas, not %d", w.Replicas, a.FromReplicas)
	default:
		w.Replicas, w.ours = a.Replicas, true
		if s.scaled == nil {
			s.scaled = map[string]int{}
		}
		s.scaled[w.UID] = a.Replicas
		return done
	}
}

// replicas checks that each Deployment that the run has scaled has one replica again, unless the run names it, or others
// have scaled it since.
func (c *checker) replicas() {
	for uid, n := range c.d.Sim.scaled {
		w := c.d.Sim.deployment(uid)
		if w == nil || w.Replicas != n || n < 2 || !w.ours {
			continue
		}
		named := func(line string) bool { return strings.Contains(line, " "+w.Name+" -n "+w.Namespace+" ") }
		if !slices.ContainsFunc(c.d.Run.Unrestored, named) {
			c.d.breaks("rule 5: Deployment %s keeps %d replicas", w.Name, n)
		}
	}
}
