package strategy

import (
	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/validationwait"
	"github.com/drainboard/drainboard/engine/world"
)

// Surge is how many machines may be out of the group while others stand in for them:
// maxSurge, a share of all machines rounded up, but no more than are to be replaced. The
// control plane has none, because a new member of it needs an old one's leave; nor has a
// roll without the Kubernetes API.
func (Kops) Surge(w *world.World, r *record.Run) int {
	if w.Group.Role == world.RoleControlPlane || r.Settings.CloudOnly {
		return 0
	}
	return min(max(0, r.Settings.MaxSurge.Of(instances(w, r), true)-strangers(r)), selected(r))
}

// Unavailable is maxUnavailable, a share of all machines rounded down but to one at least.
func (Kops) Unavailable(w *world.World, r *record.Run) int {
	n := r.Settings.MaxUnavailable.Of(instances(w, r), false)
	if r.Settings.MaxUnavailable.Percent {
		n = max(1, n)
	}
	return n
}

// Limit is how many nodes go at once: as many as may be unavailable and as others stand in
// for, and one at least; of a control plane no more than leave a majority.
func (k Kops) Limit(w *world.World, r *record.Run) int {
	limit := max(1, k.surges(w, r)+k.Unavailable(w, r))
	if r.HasBegun(rollPhase) {
		limit = max(1, outside(r)+k.Unavailable(w, r)) // fewer may have been detached than were to be
	}
	if spare, holds := spareMembers(w, r); holds {
		limit = min(limit, spare)
	}
	return limit
}

// Bounds: none may be unavailable where others stand in for what goes; of a control plane no
// more than leave a majority.
func (k Kops) Bounds(w *world.World, r *record.Run) assess.Bounds {
	b := assess.Base{}.Bounds(w, r)
	if k.surges(w, r) > 0 {
		b.Least = 0
	}
	if spare, holds := spareMembers(w, r); holds && spare < b.Most {
		b.Most, b.Why = max(1, spare), systems.MajorityStays
	}
	return b
}

// outside counts the machines that are or were out of their group, and that the run is to replace.
func outside(r *record.Run) (count int) {
	for _, n := range r.Nodes.All() {
		if n.Outside() {
			count++
		}
	}
	return count
}

// Extra is how many machines more there will be than there are.
func (k Kops) Extra(w *world.World, r *record.Run) int {
	return max(0, k.surges(w, r)-r.Detached())
}

// surges is what was settled when the run began, or what a run would.
func (k Kops) surges(w *world.World, r *record.Run) int {
	if r.Surges > 0 {
		return r.Surges
	}
	return k.Surge(w, r)
}

// AtOnce is one as long as no machine of the new specification has proved itself, and less
// than the limit when the surge is used up.
func (Kops) AtOnce(r *record.Run) int {
	if !r.ValidatedOnce {
		return 1
	}
	return r.Surged()
}

// instances counts the machines that the group is to have, and those that an earlier roll
// has detached.
func instances(w *world.World, r *record.Run) int {
	count := r.Base.Desired
	for _, m := range w.Machines() {
		if m.Detached && !m.Leaving() {
			count++
		}
	}
	return count
}

// selected counts the machines that are to be replaced.
func selected(r *record.Run) (count int) {
	for _, n := range r.Nodes.All() {
		if !n.New && n.Stage != record.Skipped {
			count++
		}
	}
	return count
}

// surge detaches machines, the first alone if no machine of the new specification has
// proved itself. What cannot be detached is not made up for: fewer nodes go at once then.
func (k Kops) surge(s *engine.Step) {
	if !s.Fresh(world.Cloud) {
		return
	}
	s.Guard()
	k.taintAll(s)
	aside, asked := s.DetachedAside()
	full := min(s.Run.Surges, s.Count(record.Outdated, record.Queued)+aside)
	want := full
	if !s.Run.ValidatedOnce && s.HasPendingValidation() && !validationwait.AfterEnds(s) {
		return // also after one that a user has ended since
	}
	if !s.Run.ValidatedOnce {
		want = min(want, earlier(&s.Run)+1)
	}
	have, open := s.DetachLast(want - aside)
	have += aside
	if open || asked || !validationwait.AfterEnds(s) {
		return
	}
	if have == want && want < full && s.Run.ValidatedOnce {
		s.Soon() // the others follow
		return
	}
	s.DetachedLast()
	if have < full {
		s.Note(systems.FewerDetached(have, full))
	}
	if s.Run.Settings.KeepOld {
		if !s.WatchLaunches(s.Missing()) {
			return // others may have ended machines meanwhile
		}
		s.EndKept(systems.KeepsOldMachines)
		return
	}
	if s.Approved(rollPhase) {
		s.Run.Limit = max(1, s.Run.Limit-s.Run.Surges+have)
		s.Enter(rollPhase)
		s.Soon()
	}
}

// strangers counts the detached machines that the run is not to replace: they are more than
// the group is to have, too.
func strangers(r *record.Run) (count int) {
	for _, n := range r.Nodes.All() {
		if n.Detached && n.LeftOut() {
			count++
		}
	}
	return count
}

// earlier counts the machines that an earlier roll has detached.
func earlier(r *record.Run) (count int) {
	for _, n := range r.Nodes.All() {
		if n.Detached && !n.LeftOut() && n.PendingValidation.IsZero() && n.Stage != record.Replaced {
			count++
		}
	}
	return count
}
