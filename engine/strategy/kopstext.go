package strategy

import (
	"time"

	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text/systems"
	"github.com/drainboard/drainboard/engine/world"
)

// Does says what a phase will do, for the user who approves it.
func (k Kops) Does(phase string, w *world.World, r *record.Run) string {
	switch phase {
	case taint:
		return systems.KopsTaints
	case surge:
		more := k.Extra(w, r)
		if more == 0 {
			return systems.KopsNoSurge
		}
		return systems.KopsSurges(more)
	case rollPhase:
		return systems.KopsRolls(r.Limit)
	}
	return ""
}

// Estimate adds up the waits that kops's rules force: after each round of nodes the
// interval, the launch of what replaces them, and the looks in a row; the same after the
// surge, where the first machine may go alone. Nothing is launched for detached machines.
func (k Kops) Estimate(w *world.World, r *record.Run, left int) time.Duration {
	s := &r.Settings
	if s.KeepOld {
		return k.surgeTime(w, r)
	}
	looks := time.Duration(max(0, s.ValidateCount-1)) * s.ValidatePause
	drain := s.Settle + assess.DrainGuess
	if w.Group.Role == world.RoleBastion || s.CloudOnly {
		drain = assess.DrainGuess
	}
	if s.CloudOnly {
		looks = 0
	}
	detached := min(left, max(r.Detached(), k.surges(w, r)))
	return k.surgeTime(w, r) +
		rounds(left-detached, r.Limit)*(drain+s.Interval+assess.JoinGuess+looks) +
		rounds(detached, r.Limit)*(drain+s.Interval+looks)
}

// surgeTime is how long the surge takes that is still to come.
func (k Kops) surgeTime(w *world.World, r *record.Run) time.Duration {
	more := k.Extra(w, r)
	proofs := min(more, 1)
	if more > 1 && !r.ValidatedOnce {
		proofs = 2
	}
	s := &r.Settings
	return time.Duration(proofs) * (s.Interval + assess.JoinGuess + time.Duration(max(0, s.ValidateCount-1))*s.ValidatePause)
}

// rounds is in how many turns so many nodes go, so many at once.
func rounds(nodes, atOnce int) time.Duration {
	atOnce = max(1, atOnce)
	return time.Duration((nodes + atOnce - 1) / atOnce)
}
