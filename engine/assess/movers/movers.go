package movers

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Shown are external movers without what a run only keeps for itself, which changes all
// the time.
func Shown(list []record.ExternalMover) []record.ExternalMover {
	list = slices.Clone(list)
	for i := range list {
		list[i].Seen = time.Time{}
	}
	return list
}

// Of lists who else moves nodes of the group now, as the world shows it. What cannot
// be seen now is as it was. The deferrals are the run's from now on, nil if the nodes cannot be seen.
func Of(s *assess.Reader) (out []record.ExternalMover, deferrals map[string]record.Deferral) {
	add := func(fresh bool, ofNodes bool, find func() []record.ExternalMover) {
		if fresh {
			out = append(out, find()...)
			return
		}
		for _, r := range s.Run.ExternalMovers {
			if r.OfNodes() == ofNodes {
				out = append(out, r)
			}
		}
	}
	add(s.Fresh(world.Cloud), false, func() []record.ExternalMover { return OfGroup(s) })
	add(s.Fresh(world.Cloud) && s.Fresh(world.Cluster), true, func() (of []record.ExternalMover) {
		of, deferrals = ofNodes(s)
		return of
	})
	for i := range out {
		r := &out[i]
		*r = r.Short()
		if !r.Since.IsZero() {
			continue
		}
		if old, known := knownMover(s, *r); known {
			r.Since = old.Since
		} else if r.Since.IsZero() && !s.Run.Started.IsZero() {
			r.Since = s.Now
		}
	}
	return out, deferrals
}

// knownMover finds what is known of a mover.
func knownMover(s *assess.Reader, r record.ExternalMover) (record.ExternalMover, bool) {
	if i := slices.IndexFunc(s.Run.ExternalMovers, r.Is); i >= 0 {
		return s.Run.ExternalMovers[i], true
	}
	return record.ExternalMover{}, false
}
