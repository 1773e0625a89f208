package engine

import (
	"time"
)

// joinGuess is what a launch takes until the node is Ready, before any was measured.
const joinGuess = 3 * time.Minute

// nodeTime is how long a node takes from the start of its drain until its machine
// is gone: the longest of this run so far or, before the first one, a guess.
func (s *Step) nodeTime() time.Duration {
	if s.Run.NodeTime > 0 {
		return s.Run.NodeTime
	}
	return s.Run.Settings.Settle + drainGuess
}

// tooLate reports whether one more node could not end before the run is to be
// over (--until). A node may start if all that are left can end by then, or if it
// can and the surplus nodes can be retired after it.
func (s *Step) tooLate() bool {
	until := s.Run.Settings.Until
	if until.IsZero() {
		return false
	}
	one, limit := s.nodeTime(), max(1, s.Run.Limit)
	rounds := func(n int) time.Duration { return time.Duration((n+limit-1)/limit) * one }
	s.WakeAt(until.Add(-one))
	left := until.Sub(s.Now)
	return rounds(s.Run.Count(Outdated, Queued)) > left && one+rounds(max(0, s.Run.Surge())) > left
}

// LeaveLate skips every node that has not begun, if it is too late to begin; ahead
// is what comes before the first drain. It reports whether none is left to roll.
func (s *Step) LeaveLate(ahead time.Duration) bool {
	if until := s.Run.Settings.Until; !until.IsZero() && (s.tooLate() || s.Now.Add(ahead+s.nodeTime()).After(until)) {
		for _, id := range s.Run.Order {
			if stage := s.Run.Nodes[id].Stage; stage == Outdated || stage == Queued {
				s.skip(id, "it could not have ended by "+until.Format("15:04"))
			}
		}
	}
	return s.Run.Count(Outdated, Queued) == 0
}

// JoinGuess is what a launch is expected to take until the node is Ready.
func (s *Step) JoinGuess() time.Duration { return joinGuess }
