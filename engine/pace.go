package engine

import (
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/selfdriven"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/world"
)

// The pace of a group's own controller (selfdriven.Paced): a run that is to have another one sets
// it at its start, or when it is resumed with other settings, and restores it when it ends,
// however it ends. What another user sets meanwhile is left as it is.

// paced is the run's controller if its pace can be set, nil if not.
func paced(s *assess.Reader) selfdriven.Paced {
	c, _ := s.Rules.Follows().(selfdriven.Paced)
	return c
}

// paceGiven reports whether the object with the pace is asked for.
func paceGiven(s *assess.Reader) bool {
	c := paced(s)
	return c != nil && c.PaceGiven(&s.W.Group)
}

// paceNow is the pace as it is, false while that is not known.
func paceNow(s *assess.Reader) (world.Pace, bool) {
	c := paced(s)
	if c == nil || !s.Fresh(world.Cloud) {
		return world.Pace{}, false
	}
	return c.Pace(&s.W.Group)
}

// keepPace sets the pace that the run is to have.
func keepPace(s *Step) {
	now, known := paceNow(&s.Reader)
	if s.Run.Settings.Pace == nil || !known {
		return
	}
	if p, busy := s.Run.Pending[record.PaceKey]; busy {
		if s.Run.Pace != nil && !p.Accepted.IsZero() {
			s.Ensure(p.Action)
		}
		return
	}
	h := s.Run.Pace
	switch {
	case h != nil && h.Restoring:
		s.RestorePace()
		return
	case h == nil:
		h = startPace(s, now)
	case now == h.Set:
		h = changePace(s, *h)
	case now != h.From:
		losePace(s, now)
		return
	}
	if h != nil {
		s.Ensure(h.Change())
	}
}

// startPace records the pace that is found and the one to be set, nil where none is to be.
func startPace(s *Step, now world.Pace) *record.HeldPace {
	c := paced(&s.Reader)
	set := s.Run.Settings.Pace.Over(now)
	if set == now || s.Run.PaceOver {
		return nil
	}
	why := c.PaceRefused(&s.W.Group)
	if set.Halts() {
		why = text.PaceHalts
	}
	if why != "" {
		s.Note(text.PaceNotSet(set.String(), why))
		return nil
	}
	h := &record.HeldPace{Was: now, From: now, Set: set, Controller: c.ID()}
	h.Namespace, h.Object, h.Group = c.PaceIn(&s.W.Group)
	s.Run.Pace, s.changed = h, true
	return h
}

// changePace records another pace than the one that is set, nil where it is the same.
func changePace(s *Step, h record.HeldPace) *record.HeldPace {
	set := s.Run.Settings.Pace.Over(h.Was)
	if set == h.Set || set.Halts() {
		return nil
	}
	h.From, h.Set = h.Set, set
	s.Run.Pace, s.changed = &h, true
	return &h
}

// losePace leaves the pace to the user who has changed it meanwhile.
func losePace(s *Step, now world.Pace) {
	s.Note(text.PaceChanged(now.String(), s.Run.Pace.Set.String(), s.Run.Pace.Was.String()))
	s.Run.Pace, s.Run.PaceOver, s.changed = nil, true, true
}

// RestorePace gives the controller back the pace that it had before the run. It reports whether
// nothing is left to restore, or nothing more can be done.
func (s *Step) RestorePace() bool {
	h := s.Run.Pace
	if h == nil {
		return true
	}
	now, known := paceNow(&s.Reader)
	switch {
	case !paceGiven(&s.Reader):
		if s.Run.State == record.Running {
			s.GiveUp(text.PaceCannotRestore(h.Set.String(), h.Group, h.Namespace+"/"+h.Object))
		}
		return s.Run.State == record.Ending // listPace names it
	case !known:
		return false
	case stands(&s.Reader, record.PaceKey), stands(&s.Reader, record.RestorePaceKey):
		return false
	case now == h.Was:
		delete(s.Run.Pending, record.RestorePaceKey)
		s.Run.Pace, s.Run.PaceOver, s.changed = nil, true, true
		return true
	case now != h.Set && now != h.From:
		losePace(s, now)
		return true
	}
	delete(s.Run.Pending, record.PaceKey) // it was seen
	if !h.Restoring {
		restoring := *h
		restoring.Restoring = true
		h, s.Run.Pace, s.changed = &restoring, &restoring, true
	}
	s.Ensure(h.Restore(now))
	retry, refused := s.Run.Retries[record.RestorePaceKey]
	return s.Run.State == record.Ending && refused && retry.Hopeless()
}

// listPace names the pace that stays as the run has set it.
func listPace(s *Step) {
	if h := s.Run.Pace; h != nil {
		back := h.Restore(h.Set)
		s.AddUnrestored(text.PaceStays(h.Set.String(), h.Group, h.Namespace+"/"+h.Object), back.Command())
	}
}
