package movers

import (
	"cmp"
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// patience is how long a node is waited for that another user takes out of service, if its
	// mover has no limit of its own; with one it is twice that. Marks may be left behind.
	patience = 30 * time.Minute
	// lull is how long another user may evict no pod, and still drain the node: kubectl drain
	// tries again every 5 s.
	lull = 10 * time.Second
)

// cordonMover is who has cordoned a node: a user drains it as long as pods leave it
// that we did not evict, and continues while every remaining pod is blocked.
func cordonMover(s *assess.Reader, machine string, n *world.Node, r record.ExternalMover, deferrals map[string]record.Deferral) record.ExternalMover {
	r.Kind, r.Does, r.Mark, r.How = record.ExternalCordon, text.HasCordoned, "", text.CordonStays
	if assess.InWork(&s.Run, machine) {
		return r // and what leaves it does so because of us
	}
	sure := manuallyDrained(s, n.Name)
	y, begun := s.Run.Deferrals[record.DeferralKey(machine, r.Who)]
	switch {
	case sure == drainSeen, begun && sure == drainPossible:
		y.Lull = nil
	case begun && y.Lull == nil:
		y.Lull = s.NewWait("lull", lull, world.Cluster, world.Cloud)
	case begun && !s.Over(y.Lull):
	default:
		if sure == drainPossible {
			r.Does, r.How = text.MayBeDraining, text.DrainUnsure
		}
		return r
	}
	r.Kind, r.Does, r.Acts, r.Since = record.ExternalDrain, text.Drains, true, time.Time{} // the cordon may be much older
	return drainMover(s, machine, r, 0, y, deferrals)
}

// drainMover waits for the mover that takes a node out of service, unless the run is at it
// already, or it takes too long: longer than twice a limit, 0 for none. y is what is kept
// of it, the zero value if nothing is.
func drainMover(s *assess.Reader, machine string, r record.ExternalMover, limit time.Duration, y record.Deferral, deferrals map[string]record.Deferral) record.ExternalMover {
	if assess.InWork(&s.Run, machine) {
		r.How = text.OurDrainContinues
		return r
	}
	wait := cmp.Or(2*limit, patience)
	if y.Wait == nil {
		y.Wait = s.NewWait("others", wait, world.Cluster, world.Cloud)
		if from := begun(s, r.Since); !from.IsZero() {
			y.Wait.Start, y.Wait.End = from, from.Add(wait)
		}
	}
	deferrals[record.DeferralKey(machine, r.Who)] = y
	if !s.Run.Started.IsZero() {
		r.Since = y.Wait.Start
	}
	if s.Over(y.Wait) {
		r.How = text.NotEndedIn(wait)
		return r
	}
	r.Handling, r.How = record.HandlingWaited, text.NotDrainedByUs
	r.WayOut = text.WaitOrUnmark(r.Mark)
	return r
}

// begun is from when on a user is waited for who put a mark on a node at a time: the
// time before that the run could not see it does not count. Zero if the time is not known.
func begun(s *assess.Reader, put time.Time) time.Time {
	switch {
	case put.IsZero(), put.After(s.Now):
		return time.Time{}
	case !s.Run.Started.IsZero() && put.After(s.Run.Started) && put.Before(s.Run.Gap):
		return s.Run.Gap
	}
	return put
}
