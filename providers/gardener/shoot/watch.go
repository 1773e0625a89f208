package shoot

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/drainboard/drainboard/engine/world"
)

// From reads a Shoot out of an object as a cluster gives it, which stays as it is.
func From(object map[string]any) (*Shoot, error) { return read(clone(object)) }

// Pools are the names of the Shoot's pools, in its order.
func (s *Shoot) Pools() []string {
	var names []string
	for _, w := range s.Spec.Provider.Workers {
		names = append(names, world.Clean(w.Name))
	}
	return names
}

// Describe puts into a pool what the Shoot says of it, by its name, and of all pools: the
// maintenance time window and what its status tells. It returns how many machines the pool may
// have, zero if the Shoot has none of that name.
func (s *Shoot) Describe(p *world.Pool, now time.Time) (sizes world.Sizes) {
	p.Shoot, p.Notes, p.Progress = s.Ref(), s.Status.notes(), s.progress(p.Name)
	if window, err := s.Window(); err == nil {
		p.Opens, p.Closes, _ = window.At(now)
	}
	v, known := s.pool(p.Name)
	if !known {
		return sizes
	}
	p.Update, p.Version, p.Limits, p.Pending = world.Clean(v.UpdateStrategy), world.Clean(v.version()), v.limits(), v.pending()
	p.NodeSecret, p.Unhashed = world.Clean(s.NodeSecret(p.Name)), world.Clean(s.Unhashed(p.Name))
	p.MaxSurge, p.MaxUnavailable = "", ""
	if v.MaxSurge != nil {
		p.MaxSurge = limit(v.MaxSurge)
	}
	if v.MaxUnavailable != nil {
		p.MaxUnavailable = limit(v.MaxUnavailable)
	}
	sizes.Min, sizes.Max = v.Minimum, v.Maximum
	return sizes
}

// progress is how far Gardener is with the Shoot, as far as it concerns a pool.
func (s *Shoot) progress(pool string) *world.ShootProgress {
	o := s.Status.LastOperation
	p := &world.ShootProgress{
		Generation: s.Metadata.Generation, Observed: s.Status.ObservedGeneration,
		Operation: world.Clean(o.Type), State: world.Clean(o.State), Percent: o.Progress,
		Confined: s.Spec.Maintenance.ConfineSpecUpdateRollout,
	}
	for _, pending := range s.Status.ManualWorkerPoolRollout.PendingWorkersRollouts {
		p.Rollout = p.Rollout || pending.Name == pool
	}
	return p
}

// limits are what holds for the pool's machines that are made now.
func (v view) limits() world.MachineLimits {
	l, set := world.DefaultLimits(v.UpdateStrategy), v.Settings
	l.Guessed = false
	for _, d := range []struct {
		given *metav1.Duration
		into  *time.Duration
	}{{set.DrainTimeout, &l.Drain}, {set.HealthTimeout, &l.Health}, {set.CreationTimeout, &l.Creation}, {set.InPlaceUpdateTimeout, &l.InPlace}} {
		if d.given != nil {
			*d.into = d.given.Duration
		}
	}
	if n := set.MaxEvictRetries; n != nil && *n > 0 {
		l.EvictRetries = *n
	}
	if off := set.DisableHealthTimeout; off != nil {
		l.NoHealth = *off
	}
	if len(set.NodeConditions) > 0 {
		l.Conditions = nil
		for _, c := range set.NodeConditions {
			l.Conditions = append(l.Conditions, world.Clean(c))
		}
	}
	return l
}

// operation is Gardener's last one on a Shoot.
type operation struct {
	Type        string `json:"type"`
	State       string `json:"state"`
	Description string `json:"description"`
	Progress    int    `json:"progress"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// notes are what the status says of the workers, a sentence each.
func (s status) notes() (notes []string) {
	if o := s.LastOperation; o.State != "" && o.State != "Succeeded" {
		notes = append(notes, fmt.Sprintf("the Shoot's last operation, %s, is %s (%d %%): %s", o.Type, o.State, o.Progress, o.Description))
	}
	for _, e := range s.LastErrors {
		notes = append(notes, "the Shoot's last error: "+e.Description)
	}
	notes = append(notes, s.stalls()...)
	for i := range notes {
		notes[i] = strings.TrimRight(world.Clean(notes[i]), " .:")
	}
	return notes
}
