package engine

import (
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// nodeTime is how long a node takes from the hooks before it, or the start of its
// drain, until its machine is gone: the longest of this run so far or, before the first
// one, a guess.
func (s *Reader) nodeTime() time.Duration {
	if s.Run.NodeTime > 0 {
		return s.Run.HookTime + s.Run.NodeTime + s.validationTime()
	}
	return s.Run.HookTime + s.Run.Settings.Settle + DrainGuess + s.validationTime()
}

// tooLate reports whether one more node, that may start in ahead, could not end
// before the run is to be over (--until). It may start if all that are left can end
// by then, or if it can and as many surplus nodes can be retired after it.
func (s *Reader) tooLate(ahead time.Duration, surplus int) bool {
	until := s.Run.Settings.Until
	if until.IsZero() {
		return false
	}
	one, limit := s.nodeTime(), max(1, s.Run.Limit)
	rounds := func(n int) time.Duration { return time.Duration((n+limit-1)/limit) * one }
	s.WakeAt(until.Add(-one))
	left := until.Sub(s.Now) - ahead
	return rounds(s.Count(record.Outdated, record.Queued)) > left && one+rounds(max(0, surplus)) > left
}

// AddUnrestoredLate skips every node that has not begun, if it is too late for the next one
// to begin in ahead, with as many surplus nodes to retire at the end. It reports
// whether none is left to roll.
func (s *Step) AddUnrestoredLate(ahead time.Duration, surplus int) bool {
	if s.tooLate(ahead, surplus) {
		for _, id := range s.Run.Order {
			if stage := s.Run.Nodes[id].Stage; stage == record.Outdated || stage == record.Queued {
				s.skip(id, text.CouldNotEndBy(s.Run.Settings.Until))
			}
		}
	}
	return s.Count(record.Outdated, record.Queued) == 0
}

// JoinGuess is what a launch is expected to take until the node is Ready.
const JoinGuess = 3 * time.Minute
