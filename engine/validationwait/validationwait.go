package validationwait

import (
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine"
	"github.com/drainboard/drainboard/engine/assess"
	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
	"github.com/drainboard/drainboard/engine/validation"
	"github.com/drainboard/drainboard/engine/world"
)

// First has the cluster validated before anything is done to it: one look has to
// find nothing. It reports whether that is so, or may be passed over.
func First(s *engine.Step) bool {
	if v := s.Run.Validation; v != nil && len(v.After) == 0 && (!v.Passed.IsZero() || !v.Failed.IsZero() && s.Run.Settings.PassInvalid) {
		return true
	}
	return validate(s, 1, nil)
}

// AfterEnds has the cluster validated after the machines that the run has ended or detached:
// an interval after each, so many looks in a row have to find nothing. It reports whether
// no proof is owed. Where the cluster is not looked at, or no look is asked for, the
// interval has to do.
func AfterEnds(s *engine.Step) bool {
	owed := s.PendingValidation()
	if len(owed) == 0 {
		return true
	}
	if count := s.Run.Settings.ValidateCount; count > 0 && !s.Run.Settings.CloudOnly {
		if !validate(s, count, owed) {
			return false
		}
		passed(s, owed)
		return true
	}
	var over []string
	for _, id := range owed {
		if end := s.Run.Nodes.Peek(id).PendingValidation.Add(s.Run.Settings.Interval); s.Now.Before(end) {
			s.WakeAt(end)
		} else {
			over = append(over, id)
		}
	}
	passed(s, over)
	return len(over) == len(owed)
}

// passed frees the slots of the machines whose end the cluster has stood.
func passed(s *engine.Step, machines []string) {
	for _, id := range machines {
		n := s.Run.Nodes.Get(id)
		s.Run.ValidationTime = max(s.Run.ValidationTime, s.Now.Sub(n.PendingValidation))
		n.PendingValidation, n.Validated = time.Time{}, n.Stage == record.Terminating || n.Stage == record.Replaced
		s.SetNode(id, n)
	}
	if len(machines) > 0 {
		s.Run.ValidatedOnce = true
		s.NoteChange()
		s.Soon() // their slots are free
	}
}

// validate takes the validation on that is owed for machines, and begins one if none
// continues. It reports whether it is over and the run may continue.
func validate(s *engine.Step, need int, owed []string) bool {
	v := currentValidation(s, need, owed)
	s.Run.Validation = &v
	late := s.Over(v.Wait) && v.Passes == 0 // a row of looks that has begun continues
	if s.Now.Before(v.Next) && !late {
		s.WakeAt(v.Next)
		return false
	}
	due := v.Next
	if s.Now.Before(due) { // the last look, before the next one is due
		due = v.Wait.End
	}
	if !seenSince(&s.Reader, latest(lastChange(&s.Reader, owed), v.Looked), due) {
		s.ReadCloud()
		s.WakeAt(s.Now.Add(time.Second))
		return false
	}
	before := v.Failures
	v.Looked, v.Failures = s.Now, s.Invalid()
	s.NoteChange()
	bad := record.Counting(v.Failures)
	switch {
	case len(bad) == 0:
		if v.Passes++; v.Passes >= need {
			v.Passed = s.Now
			s.Report(record.Event{Type: record.ValidationPassed, Reason: record.ValidationReason, Message: text.Valid(text.AfterNodes(v.After), text.PassesInARow(need))})
			s.Run.Validation = &v
			return true
		}
		v.Next = s.Now.Add(s.Run.Settings.ValidatePause)
	case s.Over(v.Wait): // also the look that ends a row of valid ones
		return notValid(s, v, bad)
	default:
		v.Passes, v.Next = 0, s.Now.Add(s.Run.Settings.ValidateRetry)
		reportInvalid(s, v, before, bad)
	}
	s.Run.Validation = &v
	s.WakeAt(v.Next)
	return false
}

// currentValidation is the current one, or a new one. What was ended since it began starts
// its looks and its time again.
func currentValidation(s *engine.Step, need int, owed []string) record.Validation {
	v := record.Validation{Need: need, Next: s.Now}
	if old := s.Run.Validation; old != nil && old.Passed.IsZero() && old.Failed.IsZero() {
		v = *old
		v.Need = need
	}
	begins := v.Wait == nil
	v.After = slices.Clone(v.After)
	for _, id := range owed {
		label, from := record.NameOf(id, s.Run.Nodes.Get(id)), s.Run.Nodes.Peek(id).PendingValidation.Add(s.Run.Settings.Interval)
		known := slices.Contains(v.After, label)
		if known && !from.After(v.Wait.Start) {
			continue
		}
		if !known {
			v.After = append(v.After, label)
		}
		v.Passes, v.Next, begins = 0, latest(v.Next, from), true
	}
	if begins {
		start := latest(v.Next, s.Now) // a look that could not be taken is due since long
		v.Wait = &record.Wait{For: record.ValidationReason, Start: start, End: start.Add(s.Run.Settings.ValidateTimeout), Needs: []world.Source{world.Cluster, world.Cloud}}
		s.NoteChange()
	}
	return v
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// lastChange is when the last of these machines was ended or detached.
func lastChange(s *assess.Reader, machines []string) (last time.Time) {
	for _, id := range machines {
		last = latest(last, s.Run.Nodes.Peek(id).PendingValidation)
	}
	return last
}

// seenSince reports whether the cluster can be seen, and the cloud was read since a look at
// it is due: after the last change and the last look, for two looks at one answer of it are
// one.
func seenSince(s *assess.Reader, last, due time.Time) bool {
	read := s.W.Health[world.Cloud].Fresh
	return s.Fresh(world.Cluster) && s.Fresh(world.Cloud) && read.After(last) && !read.Before(due)
}

// notValid is what becomes of a run whose cluster did not get valid in time. It reports
// whether the run continues anyway.
func notValid(s *engine.Step, v record.Validation, bad []record.Invalid) bool {
	v.Passes, v.Failed = 0, s.Now
	s.Run.Validation = &v
	why := text.NotValidInTime(s.Run.Settings.ValidateTimeout, text.AfterNodes(v.After), record.Messages(bad))
	s.Report(record.Event{Type: record.ValidationFailed, Reason: record.ValidationReason, Message: why})
	if s.Run.Settings.PassInvalid {
		s.Note(text.WentOnInvalid(text.AfterNodes(v.After)))
		return true
	}
	s.Run.BlockingPods = append(slices.Clip(s.Run.BlockingPods), record.Messages(bad)...)
	s.FailReported(record.InvalidFail, why)
	return false
}

// reportInvalid tells of failures that a look has found, unless they are what has to be
// while the group has its machines replaced: then they are told in the second half of
// the time only.
func reportInvalid(s *engine.Step, v record.Validation, before, bad []record.Invalid) {
	half := v.Wait.Start.Add(v.Wait.End.Sub(v.Wait.Start) / 2)
	odd := func(list []record.Invalid) []record.Invalid {
		return slices.DeleteFunc(record.Counting(list), func(i record.Invalid) bool {
			return len(v.After) > 0 && i.Group == s.Run.Group && i.Kind != validation.InvalidPod && s.Now.Before(half)
		})
	}
	now := odd(bad)
	if len(now) > 0 && !slices.Equal(record.Messages(now), record.Messages(odd(before))) {
		s.Report(record.Event{Type: record.Warning, Reason: record.ValidationReason, Until: &v.Wait.End, Message: text.NotValid(text.AfterNodes(v.After), record.Messages(now))})
	}
}
