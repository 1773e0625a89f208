package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

const (
	// awaitTold is how often the reason of such a wait is reported.
	awaitTold = 30 * time.Second
	// WaitForStart is how long such a wait lasts by default.
	WaitForStart = 30 * time.Minute
)

// Await waits for what the group's own controller has not done, for Settings.WaitForStart of
// usable time; then the run pauses itself. what says in a clause why the run cannot continue
// without it.
func (s *Step) Await(what string, left []world.Unfinished) {
	limit := s.Run.Settings.WaitForStart
	if limit <= 0 { // a record of an older version
		limit = WaitForStart
	}
	by := s.drivenBy()
	if s.Run.PhaseWait == nil || s.Run.PhaseWait.For != by || s.Run.Awaits == nil {
		s.StartPhaseWait(by, limit)
		s.Run.Awaits, s.changed = nil, true
	}
	next := record.Awaits{Why: unfinishedText(left)}
	for _, u := range left {
		next.Kinds = append(next.Kinds, u.Kind)
	}
	next.Kinds = slices.Compact(next.Kinds)
	was := s.Run.Awaits
	if was != nil {
		next.Told = was.Told
	}
	if s.Over(s.Run.PhaseWait) {
		next.Expired = true
		s.Run.Awaits, s.Run.PhaseWait, s.changed = &next, nil, true
		s.Pause(text.AwaitedTooLong(what, by, next.Why, limit))
		return
	}
	if done, _ := s.Run.Outdated(); was == nil && done > 0 {
		next.Told = s.Now // at the end of an update it is usual for a moment: only what lasts is told
	} else if was == nil || s.Now.Sub(was.Told) >= awaitTold || done == 0 && !slices.Equal(was.Kinds, next.Kinds) {
		next.Told = s.Now
		s.Report(record.Event{Type: record.Warning, Reason: record.ReasonNotComplete, Until: until(s.Run.PhaseWait), Message: text.Awaiting(what, by, next.Why)})
	}
	s.WakeAt(next.Told.Add(awaitTold))
	if was == nil || was.Why != next.Why || !was.Told.Equal(next.Told) {
		s.Run.Awaits, s.changed = &next, true
	}
}

// EndAwait notes that there is nothing to wait for any more.
func (s *Step) EndAwait() {
	if s.Run.Awaits == nil {
		return
	}
	s.Run.Awaits, s.changed = nil, true
	if s.Run.PhaseWait != nil && s.Run.PhaseWait.For == s.drivenBy() {
		s.Run.PhaseWait = nil
	}
}

// gaveUp reports whether the run has paused itself because its time to wait was up.
func (s *Reader) gaveUp() bool { return s.Run.Awaits != nil && s.Run.Awaits.Expired }

// unfinishedText is what is not done as one sentence, the first three signs of it.
func unfinishedText(left []world.Unfinished) string {
	const most = 3
	var out []string
	for i, u := range left {
		if i == most {
			out = append(out, text.More(len(left)-most))
			break
		}
		out = append(out, u.Text)
	}
	return strings.Join(out, "; ")
}
