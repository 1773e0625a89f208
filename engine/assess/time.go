package assess

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/world"
)

// Fresh reports whether a source is fresh enough to act on. One that the run does not look
// at keeps nothing waiting.
func (s *Reader) Fresh(src world.Source) bool {
	if !slices.Contains(s.Run.Sources(), src) {
		return true
	}
	limit := s.Run.Settings.ClusterMaxAge
	if src == world.Cloud {
		limit = s.Run.Settings.CloudMaxAge
	}
	return !s.W.Stale(src, s.Now, limit)
}

// Over reports whether a wait has ended; if not, the engine wakes at its end.
func (s *Reader) Over(w *record.Wait) bool {
	if w == nil {
		return true
	}
	s.WakeAt(w.End)
	return !s.Now.Before(w.End)
}

// NewWait starts a wait of d that counts only while the needed sources do.
func (s *Reader) NewWait(what string, d time.Duration, needs ...world.Source) *record.Wait {
	s.WakeAt(s.Now.Add(d))
	return &record.Wait{For: what, Start: s.Now, End: s.Now.Add(d), Needs: needs}
}

// JoinGuess is what a launch is expected to take until the node is Ready.
const JoinGuess = 3 * time.Minute
