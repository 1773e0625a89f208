package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/drainboard/drainboard/engine/record"
	"github.com/drainboard/drainboard/engine/text"
)

// TakeOver makes a run that another process left behind ready to be decided on:
// nobody carries out its pending actions any more, so each is looked up
// directly, and the time since it was last seen does not count.
func TakeOver(r record.Run, now time.Time) record.Run {
	r.Pending, r.Takeover = cloneMap(r.Pending), nil
	found := record.Takeover{}
	for _, key := range slices.Sorted(maps.Keys(r.Pending)) {
		p := r.Pending[key]
		if p.Action.ReadOnly() || p.Action.Kind == record.RunHook { // a hook is asked again
			delete(r.Pending, key)
			continue
		}
		if p.Accepted.IsZero() {
			found.Open = append(found.Open, key)
		}
		p.Expires = now
		r.Pending[key] = p
	}
	if len(found.Open) > 0 {
		r.Takeover = &found
	}
	if v := r.Validation; v != nil && v.Passed.IsZero() {
		again := *v
		again.Passes = 0 // the last look of the process before may be in no record: the row starts again
		r.Validation = &again
	}
	r.Watched = time.Time{}
	if !r.Seen.IsZero() && now.Sub(r.Seen) > Heartbeat {
		r.Blind = r.Sources()
	}
	return r
}

// foundOut notes what became of a change that an earlier process had asked for.
func foundOut(s *Step, a record.Action, happened bool) {
	if s.Run.Takeover == nil || !slices.Contains(s.Run.Takeover.Open, a.Key) {
		return
	}
	f := *s.Run.Takeover
	f.Open = slices.DeleteFunc(slices.Clone(f.Open), func(key string) bool { return key == a.Key })
	if happened {
		f.Done = append(slices.Clip(f.Done), a.Sentence())
	} else {
		f.Not = append(slices.Clip(f.Not), a.Sentence())
	}
	s.Run.Takeover = &f
}

// reportFound reports what became of all of them, once it is known.
func reportFound(s *Step) {
	f := s.Run.Takeover
	if f == nil {
		return
	}
	if slices.ContainsFunc(f.Open, func(key string) bool { _, open := s.Run.Pending[key]; return open }) && s.Run.State != record.Finished {
		return
	}
	s.Run.Takeover, s.changed = nil, true
	s.Report(record.Event{Type: record.Warning, Reason: record.ReasonLookedUp, Message: text.UnderWay(f.Done, f.Not, len(f.Open))})
}
